import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { RuleHit } from '#shared/domain/rule/rule-hit.ts';
import { createEscalationWorld, type EscalationWorld } from '../fixtures/escalation.ts';
import { fallMessage } from '../fixtures/home.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

let ahead = 0;
let world: EscalationWorld;
beforeAll(async () => {
  world = await createEscalationWorld({ wrap: (runtime) => ({ ...runtime, now: () => runtime.now() + ahead }) });
});
afterAll(() => world.stop());

/** Runs something while the service's clock is ahead. */
const whileAhead = async (ms: number, run: () => Promise<unknown>): Promise<void> => {
  ahead = ms;
  await run();
  await world.cloud.idle();
  ahead = 0;
};

/** Advances time minute by minute, with a sweep after each. */
const passMinutes = async (minutes: number): Promise<void> => {
  for (let minute = 0; minute < minutes; minute++) await world.pass(60);
};

type Home = Awaited<ReturnType<EscalationWorld['furnish']>>;
const presence = (home: Home, presenceDetected: boolean) =>
  home.say({ type: 4, payload: { presenceDetected, timestamp: world.clock.now() + ahead } });
const isActive = async ({ client, sensorId }: Home): Promise<boolean> =>
  (await client.ok<{ isActive: boolean }>('GET', `/sensors/${sensorId}/status`)).isActive;

describe('after a fall while the clock was 24 h ahead', () => {
  test('a fall reported after the clock is set back escalates on time with correct dates', async () => {
    const home = await world.furnish();
    await home.addRule('a', { 30: 'b', 901: 'c' });
    await whileAhead(DAY, home.fall);
    await home.acknowledgement('PUT');
    home.notifications.length = 0;
    await home.fall();
    await world.pass(1_000);
    expect(home.heard()).toBe('a0 b30 c900');
    const [newest, first] = (await home.hits()).toSorted((a, b) => b.id - a.id);
    expect(first?.createDate).toBeGreaterThan(world.clock.now());
    for (const date of ['createDate', 'updateDate', 'notifiedDate'] as const)
      expect(newest?.[date]).toBeLessThanOrEqual(world.clock.now());
  });

  test('an earlier fall still escalates on time after the clock is set back', async () => {
    const home = await world.furnish();
    await home.addRule('a', { 30: 'b', 901: 'c' });
    await whileAhead(DAY, home.fall);
    await world.pass(1_000);
    expect(home.heard()).toBe('a0 b30 c900');
  });

  test('later escalation steps start within a minute of the scheduled time after the clock is set back', async () => {
    const home = await world.furnish();
    await home.addRule('a', { 3600: 'b', 5400: 'c' }, { repeatSeconds: 3_600 });
    await whileAhead(DAY, home.fall);
    await world.pass(13_000);
    const times = home.notifications.map(({ who, at }) => [who, Math.floor((at - home.began()) / MINUTE)] as const);
    // The second round notifies all three at once, in any order.
    times.splice(3, 3, ...times.slice(3, 6).toSorted(([one], [other]) => one.localeCompare(other)));
    const expected = [
      ['a', 0],
      ['b', 60],
      ['c', 90],
      ['a', 150],
      ['b', 150],
      ['c', 150],
      ['a', 210],
    ] as const;
    for (const [at, [who, minute]] of expected.entries()) {
      expect(times[at]?.[0]).toBe(who);
      expect([minute, minute + 1]).toContain(times[at]?.[1]);
    }
  });

  test('an escalation step stays on schedule even if sweeps ran before the clock was set back', async () => {
    const home = await world.furnish();
    await home.addRule('a', { 3600: 'b' }, { situation: 'occupied_room' });
    await whileAhead(DAY, async () => {
      home.begin();
      await presence(home, true);
      await world.pass(120);
    });
    await world.pass(3_700);
    const times = home.notifications.map(({ who, at }) => `${who}${Math.floor((at - home.began()) / MINUTE)}`);
    expect(['a0 b60', 'a0 b61']).toContain(times.join(' '));
  });

  test('an alarm is repeated at the scheduled times even after the clock is set back', async () => {
    const home = await world.furnish(1);
    await home.addRule('a', {}, { repeatSeconds: 3_600 });
    await home.fall();
    await world.pass(1_800);
    await whileAhead(DAY, () => world.pass(60));
    home.notifications.length = 0;
    await world.pass(3_700);
    expect(home.notifications.map(({ who }) => who)).toEqual(['a']);
  });

  test('managers learn within minutes that an alarm from before the clock change reached no one', async () => {
    const home = await world.furnish(1);
    home.answerWith((_, response) => void response.writeHead(500).end());
    await home.addRule('a', {});
    await whileAhead(DAY, home.fall);
    await world.pass(150);
    const { gaps } = await home.client.ok<{ gaps: { kind: string }[] }>('GET', `/customers/${home.customerId}/watch`);
    expect(gaps.map(({ kind }) => kind)).toContain('unnotified');
  });

  test('hit lists contain every hit exactly once in both sort orders', async () => {
    const home = await world.furnish(1);
    await home.addRule('a', {});
    await home.fall();
    await whileAhead(DAY, home.fall);
    for (let n = 0; n < 3; n++) await home.fall();
    const listed = async (query: string) => {
      const path = `/customers/${home.customerId}/rule-hits?perPage=3&${query}`;
      const pages = [0, 1].map((page) =>
        home.client.ok<{ total: number; data: RuleHit[] }[]>('GET', `${path}&page=${page}`),
      );
      const [first, second] = (await Promise.all(pages)).flat();
      expect([first?.total, second?.total]).toEqual([5, 5]);
      return [...(first?.data ?? []), ...(second?.data ?? [])];
    };
    const byId = await listed('sortBy=asc(id)');
    expect(byId.map(({ id }) => id)).toEqual(byId.map((_, at) => (byId[0]?.id ?? 0) + at));
    const expected = byId.toSorted((a, b) => b.updateDate - a.updateDate || a.id - b.id).map(({ id }) => id);
    for (const filter of ['', `&sensorId=${home.sensorId}`])
      expect((await listed(`sortBy=desc(updateDate)${filter}`)).map(({ id }) => id)).toEqual(expected);
  });

  test('the rate limit does not block a rule whose last hit is dated in the future', async () => {
    const home = await world.furnish(1);
    await home.addRule('a', {}, { situation: 'occupied_room', rateLimitSeconds: 86_400 });
    await whileAhead(DAY - 60_000, () => presence(home, true));
    await presence(home, false);
    await presence(home, true);
    expect(home.notifications).toHaveLength(2);
  });
});

describe('after a report while the clock was two hours ahead', () => {
  test('a sensor that stops reporting some time after the clock is set back goes offline within minutes', async () => {
    const home = await world.furnish(1);
    await presence(home, true);
    await whileAhead(2 * HOUR, () => presence(home, false));
    await presence(home, true);
    const { lastSeen } = await home.client.ok<{ lastSeen: number }>('GET', `/sensors/${home.sensorId}/status`);
    expect(lastSeen).toBeLessThanOrEqual(world.clock.now());
    expect(await isActive(home)).toBe(true);
    await passMinutes(9);
    expect(await isActive(home)).toBe(false);
  });

  test('a sensor that never reports after the clock is set back goes offline within minutes', async () => {
    const home = await world.furnish(1);
    await presence(home, true);
    await whileAhead(2 * HOUR, () => presence(home, false));
    await passMinutes(14);
    expect(await isActive(home)).toBe(false);
  });

  test('a new sensor that stops reporting after the clock is set back goes offline within minutes', async () => {
    const home = await world.furnish(1);
    await whileAhead(2 * HOUR, () => presence(home, true));
    await presence(home, false);
    await passMinutes(9);
    expect(await isActive(home)).toBe(false);
  });

  test('reports received after the clock is set back do not count as late', async () => {
    const home = await world.furnish(1);
    await whileAhead(2 * HOUR, () => presence(home, true));
    await presence(home, false);
    const { presence: now } = await home.client.ok<{ presence: boolean }>('GET', `/sensors/${home.sensorId}/status`);
    expect(now).toBe(false);
  });

  test('a fall suspected while the clock was ahead still raises an alarm', async () => {
    const home = await world.furnish(1);
    await home.addRule('a', {});
    await whileAhead(2 * HOUR, () => home.say(fallMessage('fall_detected', world.clock.now() + ahead)));
    await passMinutes(6);
    expect(home.notifications).toHaveLength(1);
  });
});
