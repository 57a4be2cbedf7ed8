import { describe, expect, test } from 'vitest';
import { firstDeliveryId } from '#shared/domain/delivery/snapshot.ts';
import { eventKeyOf } from '#shared/domain/event/fall-key.ts';
import { firstIdAt } from '#shared/domain/ids.ts';
import { kinds, type Situation } from '#shared/domain/kinds.ts';
import { UNCLEAR_MS } from '#shared/domain/sensor/sensor-state.ts';
import type { AlarmCursor } from '#shared/store/alarms/alarm-cursor.ts';
import { alarmOf } from '#shared/store/alarms/alarm-details.ts';
import type { AlarmFilter } from '#shared/store/alarms/alarm-lists.ts';
import type { Table } from '#shared/store/engine/client.ts';
import { idBeforeFirst } from '#shared/store/hits/hit-item.ts';
import { items } from '#shared/store/table.ts';
import { anna, ben, HOME, SENSOR } from '#test/fixtures/answered-hits.ts';
import { memoryStore } from '#test/fixtures/memory-store.ts';
import { now, some, uuid } from '#test/fixtures/store-items.ts';

const fallKey = now.toString(36);
const later = now + 60_000;
const fall = { customerId: HOME, sensorId: SENSOR, fall: fallKey };

const start = () => {
  const { its, table } = memoryStore();
  let last = { id: idBeforeFirst(HOME), createDate: 0 };
  /** Writes an event, either with a hit for each of `rules` rules or as an alarm without a rule. */
  const happen = async (number: number, at: number, situation: Situation, rules = 0, more: object = {}) => {
    const ofFall = kinds[situation].type === 'fall' ? { fall: fallKey } : {};
    for (let rule = 1; rule <= rules; rule++) {
      const own = { ruleId: rule, sensorId: SENSOR, sensorEventId: uuid(number), situation, messages: [] };
      const hitNumber = { series: now, number: last.id + 1 - idBeforeFirst(HOME) };
      last = await its.ruleHits.append(HOME, last, some({ ...own, hitNumber, ...ofFall, ...more }), at);
    }
    await tell(number, at, kinds[situation], { ...ofFall, isUnruled: rules === 0, ...more });
  };
  const tell = async (number: number, at: number, kind: { type: string; action: string }, more: object = {}) => {
    const message = {
      customerId: HOME,
      sensorId: SENSOR,
      id: firstIdAt(at) + number,
      uuid: uuid(number),
      receiveDate: at,
    };
    await its.events.storeMessage({ ...message, raw: '{}', at: 0 });
    const event = { id: firstIdAt(at) + number, uuid: uuid(number), createDate: at, receiveDate: at, ...kind };
    return its.events.add(HOME, SENSOR, [
      some({ source: uuid(number), code: null, coordinates: null, ...event, ...more }),
    ]);
  };
  const end = (number: number, at: number, more: object = {}) =>
    tell(number, at, { type: 'fall', action: 'finished' }, { fall: fallKey, ...more });
  const change = (number: number, fields: object) => {
    const key = items.ruleHit({ customerId: HOME, hitId: idBeforeFirst(HOME) + number });
    return table.get(key).then((hit) => table.write({ put: { ...hit, ...key, ...fields } }));
  };
  const list = async (at = later, hooks: Record<string, 'full' | 'raw'> = {}, more: Partial<AlarmFilter> = {}) => {
    const span = { customerId: HOME, from: 0, to: Number.MAX_SAFE_INTEGER, sensorId: '', isWanted: () => true };
    const filter = { ...span, situations: [], states: [], ...more };
    return (await its.alarmLists.page(filter, { limit: 10, after: null, hooks, now: at })).alarms;
  };
  return { its, table, happen, tell, end, change, list };
};
const idOf = (number: number) => idBeforeFirst(HOME) + number;

describe('listed alarms', () => {
  test('a listed alarm represents all events and hits from one fall', async () => {
    const { happen, list } = start();
    await happen(1, now, 'fall_detected', 2);
    await happen(2, now + 5_000, 'fall_detected', 1, { isSimulated: true });
    expect(await list()).toMatchObject([
      {
        uuid: uuid(1),
        sensorId: SENSOR,
        situation: 'fall_detected',
        hitIds: [idOf(1), idOf(2), idOf(3)],
        isSimulated: true,
      },
    ]);
  });

  test('a listed alarm counts as open, unanswered, acknowledged or over, in this order', async () => {
    const { happen, change, end, list } = start();
    await happen(1, now, 'fall_detected', 1);
    const shown = { acknowledgement: null, overDate: null, overBy: null, note: null, outcome: null, feedback: null };
    expect(await list()).toMatchObject([{ state: 'open', createDate: now, isSimulated: false, ...shown }]);
    await change(1, { unansweredDate: later });
    expect(await list()).toMatchObject([{ state: 'unanswered' }]);
    await change(1, { acknowledgement: anna(later, { note: 'On my way' }) });
    expect(await list()).toMatchObject([{ state: 'acknowledged', acknowledgement: anna(later), note: 'On my way' }]);
    await end(2, later);
    expect(await list()).toMatchObject([{ state: 'over', overDate: later, overBy: 'device' }]);
  });

  test('a listed alarm does not contain anything from another fall on the same sensor', async () => {
    const { happen, change, list } = start();
    await happen(1, now, 'fall_detected', 1);
    await happen(2, now + 30_000, 'fall_detected', 2, { fall: (now + 30_000).toString(36) });
    await change(1, { acknowledgement: anna(later) });
    await change(3, { unansweredDate: later });
    expect(await list()).toMatchObject([
      { uuid: uuid(2), hitIds: [idOf(2), idOf(3)], acknowledgement: null, state: 'unanswered' },
      { uuid: uuid(1), hitIds: [idOf(1)], acknowledgement: anna(later), state: 'acknowledged' },
    ]);
  });

  test('a listed alarm names the first person who acknowledged any hit, and the newest feedback', async () => {
    const { happen, change, list } = start();
    await happen(1, now, 'fall_detected', 3);
    await change(1, { acknowledgement: ben(later + 1), feedback: { id: 2 } });
    await change(2, { acknowledgement: anna(later), feedback: { id: 3 } });
    const closure = anna(later + 2, { outcome: 'helped', note: 'Unhurt' });
    await change(3, { closure, feedback: { id: 1 } });
    expect(await list()).toMatchObject([
      { acknowledgement: anna(later), feedback: { id: 3 }, note: 'Unhurt', outcome: 'helped' },
    ]);
  });

  test('a listed alarm without a rule contains the response and the event feedback', async () => {
    const { its, table, happen, list } = start();
    await happen(1, now, 'fall_detected');
    await happen(2, now + 1, 'apnea');
    expect(await list()).toMatchObject([{ uuid: uuid(2) }, { uuid: uuid(1) }]);
    await its.falls.acknowledge(fall, anna(later));
    await its.falls.acknowledge({ ...fall, fall: eventKeyOf(firstIdAt(now + 1) + 2) }, ben(later));
    const judge = (number: number, at: number, about: number) =>
      table.write({
        put: {
          ...items.feedback({ customerId: HOME, sensorId: SENSOR, feedbackId: firstIdAt(at) }),
          id: number,
          eventId: uuid(about),
        },
      });
    await judge(1, now - 1, 1);
    await judge(2, now + 2, 1);
    await judge(3, now + 3, 1);
    await judge(4, now + 4, 9);
    expect(await list()).toMatchObject([
      { acknowledgement: ben(later), feedback: null, hitIds: [], state: 'acknowledged' },
      { acknowledgement: anna(later), feedback: { id: 3 }, hitIds: [], state: 'acknowledged' },
    ]);
    expect((await list())[1]?.feedback).not.toHaveProperty('sk');
  });

  test('listed alarms can be filtered by situation, state and sensor', async () => {
    const { happen, end, list } = start();
    await happen(1, now, 'fall_detected', 1);
    await happen(2, now + 1, 'apnea', 1);
    await end(3, later);
    const found = async (more: Partial<AlarmFilter>) => (await list(later, {}, more)).map(({ situation }) => situation);
    expect(await found({})).toEqual(['apnea', 'fall_detected']);
    expect(await found({ situations: ['fall_detected'] })).toEqual(['fall_detected']);
    expect(await found({ states: ['open', 'unanswered'] })).toEqual(['apnea']);
    expect(await found({ states: ['over'], situations: ['apnea'] })).toEqual([]);
    expect([await found({ isWanted: () => false }), await found({ sensorId: 'id_b' })]).toEqual([[], []]);
    expect([await found({ from: now + 1 }), await found({ to: now })]).toEqual([['apnea'], ['fall_detected']]);
  });
});

test('list pages contain each alarm once, with or without a rule, in every requested state', async () => {
  const { its, happen, end } = start();
  for (let number = 1; number <= 7; number++)
    await happen(number, now + number, 'fall_detected', number % 2, { fall: `${(now + number).toString(36)}` });
  await end(9, later, { fall: (now + 4).toString(36) });
  const span = { customerId: HOME, from: 0, to: Number.MAX_SAFE_INTEGER, sensorId: '', isWanted: () => true };
  const walk = async (states: AlarmFilter['states'], limit: number) => {
    const pages: string[][] = [];
    let after: AlarmCursor | null = null;
    do {
      const filter = { ...span, situations: [], states };
      const part: Awaited<ReturnType<typeof its.alarmLists.page>> = await its.alarmLists.page(filter, {
        limit,
        after,
        hooks: {},
        now: later,
      });
      pages.push(part.alarms.map((alarm) => alarm.uuid));
      after = part.next;
    } while (after);
    return pages;
  };
  const uuids = (...numbers: number[]) => numbers.map(uuid);
  expect((await walk([], 3)).slice(0, 3)).toEqual([uuids(7, 6, 5), uuids(4, 3, 2), uuids(1)]);
  expect((await walk([], 10)).flat()).toEqual(uuids(7, 6, 5, 4, 3, 2, 1));
  expect((await walk(['open'], 2)).flat()).toEqual(uuids(7, 6, 5, 3, 2, 1));
  expect((await walk(['over'], 1)).flat()).toEqual(uuids(4));
});

describe('alarm ends', () => {
  test('an alarm ends two hours after the fall timed out', async () => {
    const { happen, end, list } = start();
    await happen(1, now, 'fall_detected', 1);
    await end(2, later, { source: null });
    expect(await list(later + UNCLEAR_MS - 1)).toMatchObject([{ state: 'open', overDate: null }]);
    expect(await list(later + UNCLEAR_MS)).toMatchObject([{ overDate: later + UNCLEAR_MS, overBy: 'time' }]);
  });

  test.each([
    ['the device reported the end before people closed the alarm', later - 1, 'device'],
    ['people closed the alarm before the device reported the end', later + 1, 'closure'],
  ])('an alarm ends at the earliest known end: %s', async (_, reported, by) => {
    const { its, happen, end, list } = start();
    await happen(1, now, 'fall_detected');
    await its.falls.close(fall, { outcome: 'helped' }, anna(later));
    await end(2, reported);
    expect(await list()).toMatchObject([{ overDate: Math.min(reported, later), overBy: by, outcome: 'helped' }]);
  });

  test('an alarm closed by people ends with the closure, not with the event that the closure causes', async () => {
    const { its, happen, end, list } = start();
    await happen(1, now, 'fall_detected');
    await its.falls.close(fall, { outcome: 'got_up' }, anna(later));
    await end(2, later - 1, { source: null });
    expect(await list(later + UNCLEAR_MS)).toMatchObject([{ overDate: later, overBy: 'closure', state: 'over' }]);
  });

  test("an alarm's end is independent of other falls, and of other events for the same fall", async () => {
    const { happen, end, tell, list } = start();
    await happen(1, now, 'fall_detected', 1);
    await end(2, later, { fall: `${fallKey}-s` });
    await tell(3, later, { type: 'fall', action: 'calling' }, { fall: fallKey });
    await tell(4, later, { type: 'presence', action: 'finished' }, { fall: fallKey });
    expect(await list()).toMatchObject([{ state: 'open', overDate: null }]);
    await tell(5, later, { type: 'fall', action: 'canceled' }, { fall: fallKey });
    expect(await list()).toMatchObject([{ state: 'over' }]);
  });

  test("a track alarm's end is shared by all later alarms on that track", async () => {
    const ofTrack = (at: number, track: number) => ({ fall: `${at.toString(36)}-${track}` });
    const { happen, end, list } = start();
    await happen(1, now, 'fall_detected', 1, ofTrack(now, 7));
    await end(2, later, ofTrack(now + 1, 8));
    await end(3, later, ofTrack(now - 1, 7));
    expect(await list()).toMatchObject([{ state: 'open' }]);
    await end(4, later + 1, ofTrack(now + 1, 7));
    expect(await list(later + 1)).toMatchObject([{ overDate: later + 1, overBy: 'device' }]);
  });

  test('an offline alarm ends when the sensor is online again', async () => {
    const { happen, tell, list } = start();
    await tell(1, now - 1, { type: 'sensor', action: 'active' });
    await happen(2, now, 'sensor_inactive', 1);
    expect(await list()).toMatchObject([{ situation: 'sensor_inactive', state: 'open' }]);
    await tell(3, later, { type: 'sensor', action: 'active' });
    expect(await list()).toMatchObject([{ overDate: later, overBy: 'device', state: 'over' }]);
  });
});

describe('first notifications', () => {
  test("an alarm's first notification is the earliest across all hits", async () => {
    const { happen, change, list } = start();
    await happen(1, now, 'fall_detected', 3);
    expect(await list()).toMatchObject([{ notifiedDate: null }]);
    await change(1, { notifiedDate: later + 1 });
    await change(3, { notifiedDate: later });
    expect(await list(later, { hook: 'full' })).toMatchObject([{ notifiedDate: later }]);
  });

  test("an alarm's first notification comes from the event delivery if no hit notified anyone", async () => {
    const { table, happen, list } = start();
    await happen(1, now, 'fall_detected');
    await happen(2, now + 1, 'apnea', 1);
    const deliver = (webhookId: string, number: number, format: 'full' | 'raw', at: number, fields: object) => {
      const event = { uuid: uuid(number), source: uuid(number), receiveDate: now + number - 1, sensorId: SENSOR };
      const deliveryId = firstDeliveryId(event, 0, webhookId, format);
      const key = items.delivery({ customerId: HOME, webhookId, deliveryId });
      return table.write({ put: { ...key, updateDate: at, ...fields } });
    };
    const hooks = { one: 'full', two: 'raw' } as const;
    const dates = async () => (await list(later, hooks)).map(({ notifiedDate }) => notifiedDate);
    await deliver('one', 1, 'full', later + 9, { state: 'failed' });
    expect(await dates()).toEqual([null, null]);
    await deliver('two', 1, 'raw', later + 5, { state: 'delivered' });
    await deliver('one', 2, 'full', later + 6, { state: 'delivered' });
    expect(await dates()).toEqual([later + 6, later + 5]);
    await deliver('one', 1, 'full', later + 4, { state: 'delivered' });
    expect(await dates()).toEqual([later + 6, later + 4]);
    expect((await list(later)).map(({ notifiedDate }) => notifiedDate)).toEqual([null, null]);
  });

  /** Writes an event's successful delivery at the given time (ms). */
  const deliver = (table: Table, webhookId: string, number: number, receiveDate: number, at: number) => {
    const event = { uuid: uuid(number), source: uuid(number), receiveDate, sensorId: SENSOR };
    const deliveryId = firstDeliveryId(event, 0, webhookId, 'full');
    const key = items.delivery({ customerId: HOME, webhookId, deliveryId });
    return table.write({ put: { ...key, updateDate: at, state: 'delivered' } });
  };
  const hook = { hook: 'full' } as const;

  test("a single hit's notification counts, regardless of what webhooks received", async () => {
    const { table, happen, change, list } = start();
    await happen(1, now, 'fall_detected', 1);
    await deliver(table, 'hook', 1, now, now + 1);
    expect(await list(later, hook)).toMatchObject([{ notifiedDate: now + 1 }]);
    await change(1, { notifiedDate: later });
    expect(await list(later, hook)).toMatchObject([{ notifiedDate: later }]);
  });

  test('a webhook that received only a later event from the fall counts', async () => {
    const { table, happen, list } = start();
    await happen(1, now, 'fall_detected', 1);
    await happen(2, now + 5_000, 'fall_detected', 1);
    await deliver(table, 'hook', 2, now + 5_000, later);
    expect(await list(later, hook)).toMatchObject([{ notifiedDate: later }]);
  });

  test('an event delivery counts for only the first ten webhooks', async () => {
    const { table, happen, list } = start();
    await happen(1, now, 'apnea');
    const hooks = Object.fromEntries(Array.from({ length: 11 }, (_, at) => [`hook-${at + 1}`, 'full' as const]));
    await deliver(table, 'hook-11', 1, now, now + 1);
    expect(await list(later, hooks)).toMatchObject([{ notifiedDate: null }]);
    await deliver(table, 'hook-10', 1, now, later);
    expect(await list(later, hooks)).toMatchObject([{ notifiedDate: later }]);
  });

  test('an alarm whose event is not stored yet has no notification', async () => {
    const { its, list } = start();
    const own = { ruleId: 1, sensorId: SENSOR, sensorEventId: uuid(1), situation: 'apnea', messages: [] };
    const hit = some({ ...own, hitNumber: { series: now, number: 1 } });
    await its.ruleHits.append(HOME, { id: idBeforeFirst(HOME), createDate: 0 }, hit, now);
    expect(await list(later, hook)).toMatchObject([{ uuid: uuid(1), notifiedDate: null, state: 'open' }]);
  });
});

describe('responses and feedback for a whole fall', () => {
  const judge = (table: Table, id: number, at: number, about: number | null) => {
    const key = items.feedback({ customerId: HOME, sensorId: SENSOR, feedbackId: firstIdAt(at) });
    return table.write({ put: { ...key, id, eventId: about && uuid(about) } });
  };

  test('the newest feedback on any event from a fall without a rule counts', async () => {
    const { table, happen, list } = start();
    await happen(1, now, 'fall_detected');
    await happen(2, now + 5_000, 'fall_detected');
    await judge(table, 1, now + 1, 1);
    expect(await list()).toMatchObject([{ uuid: uuid(1), feedback: { id: 1 } }]);
    await judge(table, 2, now + 6_000, 2);
    await judge(table, 3, now + 7_000, 1);
    await judge(table, 4, now + 8_000, 2);
    await judge(table, 5, now + 9_000, null);
    expect(await list()).toMatchObject([{ uuid: uuid(1), feedback: { id: 4 } }]);
  });

  test('an alarm with a hit takes feedback only from its hits', async () => {
    const { table, happen, change, list } = start();
    await happen(1, now, 'fall_detected', 1);
    await judge(table, 1, now + 1, 1);
    expect(await list()).toMatchObject([{ feedback: null }]);
    await change(1, { feedback: { id: 9 } });
    expect(await list()).toMatchObject([{ feedback: { id: 9 } }]);
  });

  test('a person who acknowledged only the second hit counts as having acknowledged the alarm', async () => {
    const { happen, change, list } = start();
    await happen(1, now, 'fall_detected', 2);
    await change(2, { acknowledgement: anna(later) });
    expect(await list()).toMatchObject([{ acknowledgement: anna(later), state: 'acknowledged' }]);
  });

  test('an acknowledgement for a rule that fired only for a later event counts for the alarm', async () => {
    const { happen, change, list } = start();
    await happen(1, now, 'fall_detected');
    await happen(2, now + 5_000, 'fall_detected', 1);
    await change(1, { acknowledgement: anna(later) });
    expect(await list()).toMatchObject([{ uuid: uuid(1), hitIds: [idOf(1)], acknowledgement: anna(later) }]);
  });
});

describe('hits newer than those read', () => {
  /**
   * Returns the hit ids for an alarm with two hits when only the first was read. The hits are for two events or (null)
   * one.
   */
  const hitIds = async (newestDate: number, secondDate: number | null, hasNewer = true) => {
    const { its, table, happen } = start();
    await happen(1, now, 'fall_detected', secondDate === null ? 2 : 1);
    if (secondDate !== null) await happen(2, secondDate, 'fall_detected', 1);
    const hit = (await its.ruleHits.get(HOME, idOf(1))) ?? expect.unreachable();
    const stored = await table.get<{ listSk: string }>(items.ruleHit({ customerId: HOME, hitId: idOf(1) }));
    const read = { ...hit, listSk: stored?.listSk ?? '' };
    const newest = { ...read, id: idOf(3), sensorId: 'id_b', createDate: newestDate };
    const cursor = { hitId: 0, date: now, uuid: '' };
    const event = { date: now, uuid: uuid(1), sensorId: SENSOR, situation: 'fall_detected', fall: fallKey } as const;
    const context = { table, customerId: HOME, hooks: {}, now: later, hits: [newest, read], hasNewer };
    const alarm = await alarmOf(context, { ...event, hit: read, eventId: null, cursor });
    return alarm?.hitIds;
  };
  const HOUR = 3_600_000;

  test.each([
    ['read hits reach 4 hours later', 4 * HOUR, true, [idOf(1), idOf(2)]],
    ['read hits reach beyond that', 4 * HOUR + 1, true, [idOf(1)]],
    ['no hits are newer than those read', 0, false, [idOf(1)]],
  ])('unread hits are looked up if any could exist: %s', async (_, after, hasNewer, expected) => {
    expect(await hitIds(now + after, now, hasNewer)).toEqual(expected);
    expect(await hitIds(now + after, null, hasNewer)).toEqual(expected);
  });

  test('unread hits are looked up relative to the last event in a fall', async () => {
    expect(await hitIds(now + 5 * HOUR, now + HOUR)).toEqual([idOf(1), idOf(2)]);
    expect(await hitIds(now + 5 * HOUR + 1, now + HOUR)).toEqual([idOf(1)]);
  });
});
