import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { type Consumption, consumption } from '#lib/tools/aws/cost/consumption.ts';
import { encodeTask } from '#shared/queue/encode.ts';
import { bytesKept } from './bench/sizes.ts';
import { a, room } from './fixtures/messages.ts';
import { createMetered, type Metered, names } from './fixtures/metered.ts';

let metered: Metered;
beforeAll(async () => {
  metered = await createMetered();
});
afterAll(() => metered.stop());

type Home = Awaited<ReturnType<Metered['furnish']>>;
const call = () => a.fall('calling', metered.now());
const text = () => metered.ledger.text();
/** The units behind the price calculation. */
const unitsOf = ({ read, write }: Consumption) => ({ read, write });
const sumOf = (costs: readonly { read: number; write: number }[]) => ({
  read: costs.reduce((sum, { read }) => sum + read, 0),
  write: costs.reduce((sum, { write }) => sum + write, 0),
});

/**
 * Creates a home with `rules` fall rules, each with `webhooks` webhooks. The first fall stays open until `endFirst` is
 * called.
 */
const alarmed = async (name: string, rules = 1, webhooks = 1) => {
  const home = await metered.furnish(name);
  const ids: string[] = [];
  for (let at = 0; at < webhooks; at++) ids.push(await home.addWebhook());
  await home.addRules(rules, ids);
  const first = metered.now();
  await home.say(a.fall('calling', first));
  return { ...home, webhookId: ids[0] ?? '', endFirst: () => home.say(a.fall('finished', first)) };
};

test('the measured home has realistic names (34 to 38 characters) and texts (120 characters)', () => {
  const { title: _, message, ...others } = names;
  for (const name of Object.values(others)) expect(name).toMatch(/^.{34,38}$/);
  expect(message).toHaveLength(120);
});

describe('a fall delivered at the first attempt', () => {
  let home: Awaited<ReturnType<typeof alarmed>>;
  beforeAll(async () => {
    home = await alarmed('maple');
  });

  test('a delivered fall costs 10.5 read and 10 write units if no other fall is open', async () => {
    const alone = await alarmed('oak');
    await alone.endFirst();
    expect(await alone.say(call()), text()).toEqual({ read: 10.5, write: 10 });
    expect(unitsOf(consumption.fall)).toEqual({ read: 10.5, write: 10 });
  });

  test('a delivered fall in a region costs 10.5 read and 10 write units', async () => {
    const inRoom = await alarmed('pine');
    await inRoom.client.ok('PUT', `/sensors/${inRoom.sensorId}/room`, room);
    await inRoom.endFirst();
    const inBed = { fallLocX_cm: -75, fallLocY_cm: 150 };
    expect(await inRoom.say(a.fall('calling', metered.now(), inBed)), text()).toEqual({ read: 10.5, write: 10 });
    expect(JSON.parse(inRoom.receiver.received.at(-1)?.body ?? '').rule).toMatchObject({ regionName: 'Bed' });
  });

  test('a delivered fall costs 10.5 read and 9 write units if another fall is open', async () => {
    const costs = [];
    for (let second = 0; second < 60; second++) costs.push({ ...(await home.say(call())), text: text() });
    for (const { text, ...cost } of costs)
      expect(
        [9, 10].map((write) => ({ read: 10.5, write })),
        text,
      ).toContainEqual(cost);
    expect(sumOf(costs).write / costs.length).toBeLessThanOrEqual(9 + 1 / 30);
  });

  test('a fall delivered after an hour without messages costs 10.5 read and 10 write units if another is open', async () => {
    expect(await home.say(call(), 3_600_000), text()).toEqual({ read: 10.5, write: 10 });
  });

  test('a delivered fall stores no more bytes than the price calculation assumes', async () => {
    const { customerId, sensorId, webhookId } = home;
    const { table } = metered.cloud.runtime;
    const keptOf = async () => {
      const ofSensor = `C#${customerId}#S#${sensorId}`;
      const kept = [
        bytesKept(table, ofSensor, 'EVENT#'),
        bytesKept(table, ofSensor, 'MESSAGE#'),
        bytesKept(table, `C#${customerId}#HITS`, 'HIT#'),
      ];
      const [events = 0, messages = 0, hits = 0] = await Promise.all(kept);
      return {
        events,
        messages,
        hits,
        deliveries: await bytesKept(table, `C#${customerId}#W#${webhookId}`, 'DELIVERY#'),
      };
    };
    const before = await keptOf();
    await home.say(call());
    const after = await keptOf();
    const event = after.events - before.events + after.messages - before.messages;
    const hit = after.hits - before.hits;
    const delivery = after.deliveries - before.deliveries;
    expect(event + hit).toBeLessThanOrEqual(consumption.fall.kept120);
    expect(4 * event + hit).toBeLessThanOrEqual(consumption.wholeFall.kept120);
    expect(delivery).toBeLessThanOrEqual(consumption.fall.kept30);
  });

  test('a fall costs 6 queue requests until it is delivered, and 3 for the notification check', async () => {
    const spied = Object.values(metered.queues).map((queue) => ({
      sends: vi.spyOn(queue, 'send'),
      receives: vi.spyOn(queue, 'receive'),
      deletes: vi.spyOn(queue, 'remove'),
    }));
    await home.say(call());
    const sum = (counts: number[]) => counts.reduce((all, count) => all + count, 0);
    expect({
      sends: sum(spied.map(({ sends }) => sends.mock.calls.length)),
      // Empty receives are part of the cost for an idle queue, not for an event.
      receives: sum(spied.map(({ receives }) => receives.mock.results.filter(({ value }) => value.length > 0).length)),
      deletes: sum(spied.map(({ deletes }) => deletes.mock.calls.length)),
      // The check is received and deleted two minutes later.
    }).toEqual({ sends: 3, receives: 2, deletes: 2 });
    vi.restoreAllMocks();
  });
});

test('a fall with one delivery costs 34 read and 20 write units in total', async () => {
  const home = await alarmed('birch');
  await home.endFirst();
  const start = metered.now();
  const costs = [];
  for (const status of ['fall_detected', 'fall_confirmed', 'calling', 'finished'])
    costs.push(await home.say(a.fall(status, start), 5_000));
  expect(costs).toEqual([
    { read: 7.5, write: 4 },
    { read: 7.5, write: 3 },
    { read: 11.5, write: 9 },
    { read: 7.5, write: 4 },
  ]);
  expect(sumOf(costs)).toEqual(unitsOf(consumption.wholeFall));
});

describe('each additional fall recipient', () => {
  /** Returns the units for each recipient after the first. */
  const further = async (home: Home, count: number) => {
    const { read, write } = await home.say(call());
    return { read: (read - 10.5) / (count - 1), write: (write - 9) / (count - 1) };
  };

  test('each additional recipient in one rule with 20 webhooks costs 2.6 read and 5.2 write units', async () => {
    const { read, write } = await further(await alarmed('elm', 1, 20), 20);
    expect(read, text()).toBeLessThanOrEqual(2.6);
    expect(write, text()).toBeLessThanOrEqual(5.2);
  });

  test('each additional recipient in 50 rules with one webhook costs 1.7 read and 6.1 write units', async () => {
    const { read, write } = await further(await alarmed('fir', 50, 1), 50);
    expect(read, text()).toBeLessThanOrEqual(1.7);
    // Excludes the webhook updates that release concurrent slots.
    const { write: places = 0 } = metered.ledger.lines()['update webhook'] ?? {};
    expect(write - places / 49, text()).toBeLessThanOrEqual(6.1);
  });
});

describe('a message or check without a notification', () => {
  let home: Home;
  beforeAll(async () => {
    home = await metered.furnish('rowan');
  });

  test('an event without a matching rule or webhook costs 8 read and 4 write units', async () => {
    expect(await home.say(a.presence(true)), text()).toEqual({ read: 8, write: 4 });
    expect(unitsOf(consumption.changedReport)).toEqual({ read: 8, write: 4 });
  });

  test('an unchanged report every minute costs 2 read and 0.5 write units', async () => {
    // The first report after a change is queued as well, because only then is it known that no message is pending.
    expect(await home.say(a.presence(true), 60_000), text()).toEqual(unitsOf(consumption.followingReport));
    await home.say(a.presence(true), 60_000);
    const costs = [];
    for (let minute = 0; minute < 60; minute++) costs.push(await home.say(a.presence(true), 60_000));
    const { read, write } = consumption.report;
    expect(sumOf(costs), text()).toEqual({ read: 60 * read, write: 60 * write });
  });

  test('three reports in one request every three minutes cost 2 read units and 1 write unit', async () => {
    const costs = [];
    for (let call = 0; call < 4; call++) {
      const reports = Array.from({ length: 3 }, () => a.presence(true));
      costs.push(await home.say(reports, 180_000));
    }
    expect(costs, text()).toEqual(costs.map(() => unitsOf(consumption.threeReports)));
  });

  test('a check of an active sensor costs 4 read units and no write units', async () => {
    const { customerId, sensorId } = home;
    await home.say(a.presence(true));
    const check = async () => metered.queues.timers.send(encodeTask({ type: 'check_sensor', customerId, sensorId }));
    expect(await metered.costOf(400_000, check), text()).toEqual(unitsOf(consumption.check));
  });
});
