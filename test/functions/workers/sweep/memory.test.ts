import { describe, expect, test } from 'vitest';
import { createOverdueItems } from '#functions/workers/sweep/overdue-items.ts';
import { createResendHistory } from '#functions/workers/sweep/resend-history.ts';
import { createSensorFilter } from '#functions/workers/sweep/sensor-filter.ts';
import { checkPlans } from '#functions/workers/sweep/set-back.ts';
import { newSensorState, type SensorState } from '#shared/domain/sensor/sensor-state.ts';
import type { Due } from '#shared/store/engine/due.ts';
import { TableUnavailable } from '#shared/store/engine/unavailable.ts';
import { some } from '#test/fixtures/alarm-stubs.ts';
import { NOW, stubDeps } from '#test/fixtures/stub-deps.ts';

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;

describe('pauses between tasks', () => {
  test('the pause between tasks for an item doubles from 50 seconds up to 15 minutes', () => {
    const { isTime } = createResendHistory();
    let now = NOW;
    expect(isTime('a', now)).toBe(true);
    for (const pause of [50, 100, 200, 400, 800, 900, 900].map((seconds) => seconds * 1_000)) {
      expect(isTime('a', now + pause - 1)).toBe(false);
      now += pause;
      expect(isTime('a', now)).toBe(true);
    }
  });

  test('items are paused independently of each other', () => {
    const { isTime } = createResendHistory();
    expect([isTime('a', NOW), isTime('b', NOW), isTime('a', NOW)]).toEqual([true, true, false]);
  });

  test('an item is enqueued again without a pause if no queue accepted the task', () => {
    const { isTime, forget } = createResendHistory();
    isTime('a', NOW);
    forget('a');
    expect(isTime('a', NOW)).toBe(true);
    expect(isTime('a', NOW + 50_000)).toBe(true);
  });

  test('setting the clock back does not extend a pause', () => {
    const { isTime } = createResendHistory();
    isTime('a', NOW);
    expect(isTime('a', NOW - 1)).toBe(true);
  });

  test('an item is forgotten after twice the last pause', () => {
    const { isTime, tidy } = createResendHistory();
    isTime('a', NOW);
    tidy(NOW + 100_000);
    // The first pause is still remembered, so the next one is longer.
    isTime('a', NOW + 100_000);
    expect(isTime('a', NOW + 150_000)).toBe(false);
    tidy(NOW + 300_001);
    isTime('a', NOW + 300_001);
    expect(isTime('a', NOW + 350_001)).toBe(true);
  });
});

describe('overdue items', () => {
  const item = (id: string, overdue: number): Due => ({
    task: { type: 'escalate', customerId: 1, hitId: Number(id) },
    time: NOW - overdue,
  });

  test('an item more than 15 minutes overdue is counted only once', () => {
    const { countNew } = createOverdueItems();
    expect(countNew([item('1', 15 * MINUTE)], NOW)).toBe(0);
    expect(countNew([item('1', 15 * MINUTE + 1), item('2', DAY)], NOW)).toBe(2);
    expect(countNew([item('1', 16 * MINUTE), item('3', 16 * MINUTE)], NOW)).toBe(1);
  });

  test('an overdue item that disappears for more than 30 minutes is counted again', () => {
    const overdue = createOverdueItems();
    const countAt = (now: number) => overdue.countNew([{ ...item('1', 0), time: now - DAY }], now);
    countAt(NOW);
    overdue.tidy(NOW + 30 * MINUTE);
    expect(countAt(NOW + 30 * MINUTE)).toBe(0);
    overdue.tidy(NOW + 60 * MINUTE);
    expect(countAt(NOW + 60 * MINUTE)).toBe(0);
    overdue.tidy(NOW + 90 * MINUTE + 1);
    expect(countAt(NOW)).toBe(1);
    overdue.tidy(NOW - 30 * MINUTE - 1);
    expect(countAt(NOW)).toBe(1);
  });
});

describe('sensors with a due check', () => {
  const AFTER = 3_600;
  const online: SensorState = { ...newSensorState, isActive: true, lastSeen: NOW, version: 1 };
  const checkOf = (sensorId: string, time = NOW - DAY): Due => ({
    task: { type: 'check_sensor', customerId: 1, sensorId },
    time,
  });
  /** A sweeping process, with these states in the table. */
  const world = (states: Record<string, object | null>, fails?: Error) => {
    const reads: string[][] = [];
    const glance = async (tasks: { sensorId: string }[]) => {
      reads.push(tasks.map(({ sensorId }) => sensorId));
      if (fails) throw fails;
      return tasks.map(({ sensorId }) => states[sensorId] ?? null);
    };
    const stubs = stubDeps<never>({ states: { glance } });
    Object.assign((stubs.deps as { settings: object }).settings, { SENSOR_INACTIVE_AFTER_SECONDS: AFTER });
    const filter = createSensorFilter();
    const check = (page: Due[], upSince = 0) => filter.withoutOnline(stubs.deps, page, upSince);
    return { ...stubs, ...filter, check, reads };
  };

  test('an online sensor is read only every ten minutes', async () => {
    const { check, reads, pass } = world({ a: online });
    expect(await check([checkOf('a')])).toEqual([]);
    pass(10 * MINUTE - 1);
    expect(await check([checkOf('a')])).toEqual([]);
    expect(reads).toEqual([['a']]);
    pass(1);
    await check([checkOf('a')]);
    expect(reads).toHaveLength(2);
  });

  test('a sensor is read again as soon as it could be offline', async () => {
    const state = { ...online, lastSeen: NOW - (AFTER - 60) * 1_000 };
    const { check, reads, pass } = world({ a: state });
    expect(await check([checkOf('a')])).toEqual([]);
    pass(59_999);
    expect(await check([checkOf('a')])).toEqual([]);
    expect(reads).toHaveLength(1);
    pass(1);
    expect(await check([checkOf('a')])).toEqual([checkOf('a', NOW + 60_000)]);
  });

  test('an online sensor is checked once it could be offline', async () => {
    const state = { ...online, lastSeen: NOW - 2 * AFTER * 1_000 };
    const { check } = world({ a: state });
    expect(await check([checkOf('a')])).toEqual([checkOf('a', NOW - AFTER * 1_000)]);
    expect(await check([checkOf('a')], NOW - 1_000)).toEqual([]);
    expect(await check([checkOf('a', NOW - 5)])).toEqual([]);
  });

  test('inactive sensors and sensors with an open fall are checked', async () => {
    const open = { start: NOW, phases: ['detected'], at: NOW };
    const { check } = world({ a: { ...online, isActive: false }, b: { ...online, falls: [open] } });
    const due = NOW + AFTER * 1_000;
    expect(await check([checkOf('a'), checkOf('b')])).toEqual([checkOf('a', due), checkOf('b', due)]);
  });

  test('a sensor whose state is dated in the future is checked', async () => {
    const { check } = world({ a: { ...online, lastSeen: NOW + DAY } });
    expect(await check([checkOf('a', NOW - 7)])).toEqual([checkOf('a', NOW - 7)]);
  });

  test('a sensor without a state is checked at once', async () => {
    expect(await world({}).check([checkOf('a')])).toEqual([checkOf('a', NOW)]);
  });

  test('all sensors are checked if their states cannot be read', async () => {
    const { check, measured, logged } = world({ a: online }, new TableUnavailable('throttled'));
    expect(await check([checkOf('a'), checkOf('b')])).toEqual([checkOf('a', NOW), checkOf('b', NOW)]);
    expect(measured).toEqual([['TasksFailed', 1, { worker: 'sweep', kind: 'table' }]]);
    expect(logged).toMatchObject([['error', expect.any(String), { sensors: 2 }, expect.anything()]]);
  });

  test('reads sensor states in batches of 100', async () => {
    const ids = Array.from({ length: 201 }, (_, at) => `s${at}`);
    const { check, reads } = world(Object.fromEntries(ids.map((id) => [id, online])));
    const other: Due = { task: { type: 'alert_managers', customerId: 1 }, time: 1 };
    expect(await check([...ids.map((id) => checkOf(id)), other])).toEqual([other]);
    expect(reads.map(({ length }) => length)).toEqual([100, 100, 1]);
    expect(new Set(reads.flat()).size).toBe(201);
    expect(await world({}).check([other])).toEqual([other]);
  });

  test('a sensor is read again after the clock is set back', async () => {
    const { check, reads, pass } = world({ a: online });
    await check([checkOf('a')]);
    pass(-1);
    await check([checkOf('a')]);
    expect(reads).toHaveLength(2);
  });

  test('a sensor is forgotten ten minutes after it would have been read again', async () => {
    const { check, reads, pass, tidy } = world({ a: online });
    await check([checkOf('a')]);
    tidy(NOW + 20 * MINUTE);
    await check([checkOf('a')]);
    expect(reads).toHaveLength(1);
    tidy(NOW + 20 * MINUTE + 1);
    await check([checkOf('a')]);
    expect(reads).toHaveLength(2);
    pass(0);
  });
});

test('an alarm task includes how far the clock was set back', async () => {
  const by = 3 * 60 * MINUTE;
  const asked: number[] = [];
  let ended = 0;
  const task = (fields: object): Due => some({ task: fields, time: NOW + 1 });
  const deliver = { type: 'deliver', deliveryId: 'd', isRetry: false };
  const pages = [
    [
      task({ type: 'run_job' }),
      task({ type: 'escalate', hitId: 1 }),
      task(deliver),
      some({ task: { type: 'escalate', hitId: 2 }, time: NOW }),
    ],
    [task({ type: 'release_held', webhookId: 'w' }), task({ type: 'check_sensor', sensorId: 's' })],
  ];
  const store = {
    due: {
      pages: async function* (until: number) {
        asked.push(until);
        yield* pages;
      },
      endSetBack: async () => {
        ended += 1;
      },
    },
  };
  const { deps, enqueued } = stubDeps<never>(store);
  await checkPlans(deps, by);
  // Nothing about an alarm is planned more than two days ahead.
  expect(asked).toEqual([NOW + by + 2 * DAY]);
  expect(enqueued.map(([tasks]) => tasks)).toEqual([
    [
      { type: 'escalate', hitId: 1, setBack: by },
      { ...deliver, isRetry: true, setBack: by },
    ],
    [
      { type: 'release_held', webhookId: 'w', setBack: by },
      { type: 'check_sensor', sensorId: 's' },
    ],
  ]);
  expect(ended).toBe(1);
});
