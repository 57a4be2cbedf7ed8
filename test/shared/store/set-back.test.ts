import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Store, store } from '#shared/store/store.ts';
import { createLedger, startEngine } from '#test/bench/meter.ts';

const customerId = 7;
const now = 1_800_000_000_000;
const DAY = 86_400_000;
const ahead = now + DAY;

let engine: Awaited<ReturnType<typeof startEngine>>;
let its: Store;
beforeAll(async () => {
  engine = await startEngine(createLedger());
  its = store(engine.plain);
});
afterAll(() => engine.stop());

describe('entries recorded while the clock was a day ahead', () => {
  test('an entry from the future does not use up attempts allowed now', async () => {
    const { take } = its.limits;
    expect([await take('a', 1, 60, ahead), await take('a', 1, 60, ahead)]).toEqual([true, false]);
    expect([await take('a', 1, 60, now), await take('a', 1, 60, now)]).toEqual([true, false]);
    // Host clocks differ by a few seconds.
    expect(await take('a', 1, 60, now - 9_000)).toBe(false);
  });

  test('an entry from the future does not use up a quota', async () => {
    const count = (at: number) => its.limits.countWithin('b', 2, 86_400, at);
    expect([await count(ahead), await count(ahead), await count(ahead)]).toEqual([1, 2, null]);
    expect([await count(now), await count(now), await count(now)]).toEqual([1, 2, null]);
  });

  test('an entry from the future does not delay the next attempt', async () => {
    const fail = (at: number) => its.limits.countFailure('c', 60, at);
    await fail(ahead);
    expect(await its.limits.secondsToWait('c', 1, 60, ahead)).toBe(60);
    expect(await its.limits.secondsToWait('c', 1, 60, now)).toBe(0);
    expect(await fail(now)).toEqual({ count: 1, seconds: 60 });
    for (let failure = 0; failure < 7; failure++) await its.backoffs.fail('d', 1, ahead + failure * 60_000);
    expect(await its.backoffs.wait('d', now)).toBe(0);
  });

  test('an entry from the future does not prevent alarm emails', async () => {
    const about = { customerId, sensorId: 's', situation: 'fall_detected', eventUuid: 'u' } as const;
    const dates = { createDate: ahead, date: ahead };
    const alarm = { ...about, ...dates, alarmId: '1', hitId: null, ruleId: null, webhookIds: [] };
    await its.alarmRecords.record(alarm);
    const claim = (at: number) => its.unnotified.claim(alarm, 'token', at, at + 30_000);
    expect([await claim(ahead), await claim(ahead)]).toEqual([true, false]);
    expect([await claim(now), await claim(now)]).toEqual([true, false]);
  });

  test('an entry from the future does not block a waiting fetch', async () => {
    const most = { ofFeed: 1, ofCustomer: 1 };
    const begin = (at: number) =>
      its.feedWaits.begin({ customerId, id: 'w' }, { id: `${at}`, until: at + 20_000 }, most, at);
    expect([await begin(ahead), await begin(ahead + 1)]).toEqual([true, false]);
    expect([await begin(now), await begin(now + 1)]).toEqual([true, false]);
  });
});
