import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createCrash } from '../fixtures/crash.ts';
import { createEscalationWorld, type EscalationWorld } from '../fixtures/escalation.ts';
import { b } from '../fixtures/messages.ts';

const crash = createCrash();
let world: EscalationWorld;
beforeAll(async () => {
  world = await createEscalationWorld(crash.options);
});
afterAll(() => world.stop());

const MINUTE = 60;
type Home = Awaited<ReturnType<typeof furnish>>;
/**
 * A home in which a person lies on the floor. `notifications` are repeated every 10 minutes until someone acknowledges.
 */
const furnish = async () => {
  const home = await world.furnish(1, 'maker_b');
  await home.addRule('a', {}, { repeatSeconds: 600 });
  const pose = async (number: number) => home.say({ ...b.pose(1, number), timestamp: world.clock.now() });
  const list = async <T>(path: string): Promise<T[]> =>
    (await home.client.ok<{ data: T[] }[]>('GET', path))[0]?.data ?? [];
  const hits = async () => (await home.hits()).toSorted((one, other) => one.id - other.id);
  return {
    ...home,
    pose,
    /** Raises another alarm with the same pose after six minutes without a posture. */
    alarmAgain: async () => {
      for (let passed = 0; passed < 2; passed++) {
        await world.pass(3 * MINUTE + 1);
        // The sensor stays online.
        await home.say({ ...b.vital(0, 14, 60), timestamp: world.clock.now() });
      }
      await pose(5);
    },
    /** Calls an operation on the fall, identified by the event for alarm number `alarm` (counted from 0). */
    call: async (method: 'PUT' | 'DELETE', action: string, alarm: number, body?: object) => {
      const uuid = (await hits())[alarm]?.sensorEventId;
      const made = await home.client.ok(
        'PUT' === method ? 'PUT' : 'DELETE',
        `/sensors/${home.sensorId}/falls/${uuid}/${action}`,
        body,
      );
      await world.cloud.idle();
      return made as { acknowledgement: { date: number; note?: string } | null };
    },
    /** The acknowledgement notes of all hits, or null for an unacknowledged hit. */
    notes: async () => (await hits()).map(({ acknowledgement }) => acknowledgement && (acknowledgement.note ?? '')),
    openFalls: () => list<{ falls: { acknowledgement: object | null }[] }>(`/customers/${home.customerId}/open-falls`),
    alarms: () => list<{ state: string; acknowledgement: object | null }>(`/customers/${home.customerId}/alarms`),
    /** The number of notifications within the next hour. */
    more: async () => {
      const before = home.notifications.length;
      await world.pass(60 * MINUTE);
      return home.notifications.length - before;
    },
  };
};
const fallTwice = async (): Promise<Home> => {
  const home = await furnish();
  await home.pose(5);
  await home.alarmAgain();
  return home;
};

describe('a fall that raised another alarm', () => {
  test.each([0, 1])('a fall can be acknowledged and reopened through the event of either alarm (%i)', async (alarm) => {
    const home = await fallTwice();
    await home.call('PUT', 'acknowledgement', alarm, { note: 'all' });
    expect(await home.notes()).toEqual(['all', 'all']);
    expect(await home.openFalls()).toMatchObject([{ falls: [{ acknowledgement: { note: 'all' } }] }]);
    expect(await home.more()).toBe(0);
    await home.call('DELETE', 'acknowledgement', 1 - alarm);
    expect(await home.notes()).toEqual([null, null]);
    expect(await home.openFalls()).toMatchObject([{ falls: [{ acknowledgement: null }] }]);
    expect(await home.more()).toBeGreaterThan(5);
  });

  test.each([0, 1])(
    'acknowledging or reopening the hit of either alarm (%i) applies to the whole fall',
    async (alarm) => {
      const home = await fallTwice();
      const hitId = (await home.hits()).toSorted((one, other) => one.id - other.id)[alarm]?.id;
      const path = `/customers/${home.customerId}/rule-hits/${hitId}/acknowledgement`;
      await home.client.ok('PUT', path, { note: 'hit' });
      await world.cloud.idle();
      expect(await home.notes()).toEqual(['hit', 'hit']);
      expect(await home.more()).toBe(0);
      await home.client.ok('DELETE', path);
      await world.cloud.idle();
      expect(await home.notes()).toEqual([null, null]);
    },
  );

  test.each([0, 1])('a fall can be closed through the event of either alarm (%i)', async (alarm) => {
    const home = await fallTwice();
    await home.call('PUT', 'closure', alarm, { outcome: 'helped' });
    expect(await home.notes()).toEqual(['', '']);
    expect((await home.hits()).map(({ closure }) => closure?.outcome)).toEqual(['helped', 'helped']);
    expect(await home.openFalls()).toEqual([]);
    expect((await home.alarms()).every(({ state }) => state === 'over')).toBe(true);
    expect(await home.more()).toBe(0);
  });

  test('a fall that has ended can still be acknowledged through its first event', async () => {
    const home = await fallTwice();
    await home.pose(1);
    await home.call('PUT', 'acknowledgement', 0, { note: 'late' });
    expect(await home.notes()).toEqual(['late', 'late']);
    expect(await home.more()).toBe(0);
  });
});

describe('an alarm after an acknowledgement', () => {
  test("an alarm stays open until someone acknowledges any of the fall's events", async () => {
    const home = await furnish();
    await home.pose(5);
    await home.call('PUT', 'acknowledgement', 0, { note: 'first' });
    await home.alarmAgain();
    expect(await home.notes()).toEqual(['first', null]);
    expect(await home.openFalls()).toMatchObject([{ falls: [{ acknowledgement: null }] }]);
    // Adding another note to the first alarm through the hit does not acknowledge other alarms.
    const [first] = (await home.hits()).toSorted((one, other) => one.id - other.id);
    await home.client.ok('PUT', `/customers/${home.customerId}/rule-hits/${first?.id}/acknowledgement`, {
      note: 'new',
    });
    await world.cloud.idle();
    expect(await home.notes()).toEqual(['new', null]);
    expect(await home.more()).toBeGreaterThan(3);
    expect(await home.call('PUT', 'acknowledgement', 0, { note: 'second' })).toMatchObject({
      acknowledgement: { note: 'second' },
    });
    expect(await home.notes()).toEqual(['new', 'second']);
    expect(await home.more()).toBe(0);
    await home.alarmAgain();
    expect(await home.notes()).toEqual(['new', 'second', null]);
  });

  test.each(['process.decided', 'process.hits_written'] as const)(
    'a repeated alarm stays unacknowledged even if the process dies at %s',
    async (point) => {
      const home = await furnish();
      await home.pose(5);
      await home.call('PUT', 'acknowledgement', 0, { note: 'first' });
      crash.at(point);
      await home.alarmAgain();
      await world.pass(2 * MINUTE);
      expect(await home.notes()).toEqual(['first', null]);
      await home.call('PUT', 'acknowledgement', 0, { note: 'second' });
      expect(await home.notes()).toEqual(['first', 'second']);
    },
  );
});
