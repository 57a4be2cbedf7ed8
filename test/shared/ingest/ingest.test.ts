import { beforeEach, describe, expect, test } from 'vitest';
import { newSensorState, type SensorState } from '#shared/domain/sensor/sensor-state.ts';
import { CHECK_EVERY, ingest, MAX_PENDING, queueCall } from '#shared/ingest/ingest.ts';
import type { Sender } from '#shared/ingest/messages.ts';
import type { IngestDeps } from '#shared/ingest/uses.ts';

const NOW = 1_800_000_000_000;
const AFTER_SECONDS = 360;
/** How old (ms) `lastSeen` must be before a message without news causes a write. */
const QUARTER = (AFTER_SECONDS / 4) * 1_000;

type Judged = SensorState & { ttl?: number; judged?: { run?: { last: string; since: number; seq?: number } } };
type Queued = { task: { messages: string[]; noted?: object; receiveDate: number }; until: number; id: string };
let state: Judged | null;
let queued: Queued[];
let noted: unknown[];
let heldBack: [string, boolean][];
let recorded: unknown[];
let measured: unknown[];
let logged: unknown[];
let reached: string[];
/** How often the sensor state was read. */
let reads: number;
/** The number of the next recorded request. */
let seq: number | undefined;
let canRecord: boolean;
let time: number;
beforeEach(() => {
  [queued, noted, heldBack, recorded, measured, logged, reached] = [[], [], [], [], [], [], []];
  [seq, canRecord, time, reads] = [1, true, NOW, 0];
  state = {
    ...newSensorState,
    version: 4,
    isActive: true,
    isSteady: true,
    presence: true,
    presenceAt: NOW - 2_000,
    lastSeen: NOW - 1_000,
    judged: { run: { last: 'call', since: NOW - 100_000 } },
  };
});

const deps = {
  settings: { SENSOR_INACTIVE_AFTER_SECONDS: AFTER_SECONDS },
  now: () => time,
  random: (bytes: number) => new Uint8Array(bytes).fill(255),
  failpoint: (name: string) => void reached.push(name),
  log: (level: string, _: string, fields: object) => void logged.push([level, fields]),
  measure: (...metric: unknown[]) => void measured.push(metric),
  enqueue: async ([task]: [Queued['task']], more: { deduplicationId: string; until: number }) =>
    void queued.push({ task, until: more.until, id: more.deduplicationId }),
  store: {
    states: {
      get: async (customerId: number, sensorId: string) => {
        reads += 1;
        return customerId === 7 && sensorId === 's' ? state : null;
      },
      recordTimes: async (...call: unknown[]) => {
        recorded.push(call);
        return canRecord;
      },
    },
    devices: {
      noteCall: async (hash: string, id: string, at: number) => {
        noted.push([hash, id, at]);
        return { id, at, ...(seq !== undefined && { seq }) };
      },
      holdBack: async (hash: string, isHeldBack: boolean) => void heldBack.push([hash, isHeldBack]),
    },
  },
} as unknown as IngestDeps;

const device: Sender = {
  customerId: 7,
  sensorId: 's',
  manufacturer: 'maker_a',
  hash: 'h',
  notedCall: 'call',
  notedAt: NOW - 50_000,
};
const presence = (presenceDetected: boolean) => ({ type: 4, payload: { presenceDetected, timestamp: NOW - 500 } });
const unchanged = presence(true);
const news = presence(false);
const fall = { type: 5, payload: { status: 'calling', timestamp: NOW - 500 } };
const firmware = { type: 'state', payload: { versionName: '0.42.1' } };
const call = (message: object, sender: Partial<Sender> = {}, receiveDate?: number) =>
  ingest(deps, { ...device, ...sender }, JSON.stringify(message), receiveDate);
const accepted = { warnings: [] };

test('a request with new data is recorded, then queued with its record, and counted', async () => {
  expect(await call([news, fall], {}, NOW - 300)).toEqual(accepted);
  expect(noted).toEqual([['h', '________', NOW]]);
  expect(queued).toMatchObject([
    {
      task: { messages: [JSON.stringify(news), JSON.stringify(fall)], receiveDate: NOW - 300 },
      until: NOW + 20_000,
    },
  ]);
  expect(queued[0]?.task.noted).toEqual({ id: '________', at: NOW, seq: 1 });
  expect(measured).toEqual([['MessagesAccepted', 2]]);
  expect(reached).toEqual(['ingest.read', 'ingest.noted', 'ingest.enqueued']);
});

test("only the last task carries the request's record, so an incomplete request does not count", async () => {
  const large = { type: 99, text: 'a'.repeat(200_000) };
  await call([large, large, large]);
  expect(queued.map(({ task }) => [task.messages.length, 'noted' in task])).toEqual([
    [2, false],
    [1, true],
  ]);
  expect(new Set(queued.map(({ id }) => id)).size).toBe(2);
});

test('a request with only falls is not recorded', async () => {
  expect(await call(fall)).toEqual(accepted);
  expect(noted).toEqual([]);
  expect(queued.map(({ task }) => 'noted' in task)).toEqual([false]);
});

test('a canary request is queued, but not counted for a home', async () => {
  await call([news], { isCanary: true });
  expect([queued.length, measured]).toEqual([1, []]);
});

test('a request returns warnings about messages that were not understood', async () => {
  expect(await call({ type: 99 })).toMatchObject({ warnings: [{ index: 0 }] });
  expect(queued).toHaveLength(1);
});

test('a request that cannot be parsed is rejected as a whole and leaves no trace', async () => {
  expect(await ingest(deps, device, '{')).toEqual({ refusal: 'json' });
  expect([queued, noted, measured, reached]).toEqual([[], [], [], []]);
});

describe('requests without changes', () => {
  const isQueued = async (message: object = unchanged, sender: Partial<Sender> = {}) => {
    expect(await call(message, sender)).toEqual(accepted);
    return queued.length > 0;
  };

  test('a request without changes skips the queue and counts as accepted', async () => {
    expect(await isQueued()).toBe(false);
    expect([noted, recorded, measured]).toEqual([[], [], [['MessagesAccepted', 1]]]);
    expect(await isQueued([unchanged, unchanged])).toBe(false);
    expect(await isQueued({ type: 'state', payload: { versionName: 'unnumbered' } })).toBe(false);
  });

  test('a request without changes is queued if it also contains another kind of message', async () => {
    expect(await isQueued([unchanged, fall])).toBe(true);
    expect(reads).toBe(0);
  });

  test.each([
    ['a firmware version, which is stored', firmware],
    ['a changed report', news],
    ['no message, which shows that the sensor is online', []],
  ])('a request is queued if it contains %s', async (_, message) => {
    expect(await isQueued(message)).toBe(true);
  });

  test('a request without changes is queued if no earlier request was recorded', async () => {
    const { notedCall: _, ...unrecorded } = device;
    await ingest(deps, unrecorded, JSON.stringify(unchanged));
    expect([queued.length, reads]).toEqual([1, 0]);
  });

  const stored = (more: Partial<Judged>) => {
    if (state) state = { ...state, ...more };
  };
  test.each<[string, () => void]>([
    [
      'there is no state',
      () => {
        state = null;
      },
    ],
    ['the state belongs to a removed sensor', () => stored({ ttl: 1 })],
    ['no request was processed', () => stored({ judged: {} })],
    [
      'the state was never decided by a request',
      () => {
        const { judged: _, ...undecided }: Judged = state ?? newSensorState;
        state = undecided;
      },
    ],
    ['the newest request is not processed yet', () => stored({ judged: { run: { last: 'earlier', since: 0 } } })],
    ['the clock was set back since the last message', () => stored({ lastSeen: NOW + 10_001 })],
    ['the last message could have a duplicate', () => stored({ last: { hash: 'a', at: NOW - 1_000 } })],
    ['the sensor is offline', () => stored({ isActive: false })],
  ])('a request without changes is queued if %s', async (_, change) => {
    change();
    expect(await isQueued()).toBe(true);
  });

  test('a request without changes stores only the report time if the sensor seems nearly offline', async () => {
    stored({ lastSeen: NOW - QUARTER + 1 });
    expect(await isQueued()).toBe(false);
    expect(recorded).toEqual([]);
    stored({ lastSeen: NOW - QUARTER });
    expect(await isQueued()).toBe(false);
    expect(recorded).toMatchObject([[7, 's', 4, { lastSeen: NOW, presence: true }]]);
  });

  test('a request without changes is queued if the state changes concurrently', async () => {
    stored({ lastSeen: NOW - QUARTER });
    canRecord = false;
    expect(await isQueued()).toBe(true);
  });
});

describe('busy devices', () => {
  const processed = (count: number) => {
    state = { ...newSensorState, judged: { run: { last: 'call', since: 0, seq: count } } };
  };

  test('a device with more than 1,000 pending requests is held back', async () => {
    expect([CHECK_EVERY, MAX_PENDING]).toEqual([100, { reports: 1_000, falls: 3_000 }]);
    for (const [number, pending] of [
      [1_200, 1_000],
      [1_201, 1_201],
      [1_299, 1_200],
    ] as const) {
      seq = number;
      processed(number - pending);
      await call(news);
    }
    expect(heldBack).toEqual([]);
    seq = 1_200;
    processed(199);
    expect(await call(news)).toEqual(accepted);
    expect([heldBack, queued.length]).toEqual([[['h', true]], 4]);
    expect(measured).toContainEqual(['DevicesHeldBack']);
    expect(logged).toEqual([['warn', { customerId: 7, sensorId: 's', pending: 1_001 }]]);
  });

  test.each<[string, Judged | null]>([
    ['the sensor has no state', null],
    ['the state was never decided by a request', newSensorState],
    ['no request was processed', { ...newSensorState, judged: {} }],
  ])('a busy device is held back even if %s', async (_, before) => {
    state = before;
    seq = 1_100;
    await call(news);
    expect(heldBack).toEqual([['h', true]]);
  });

  test('a busy device is not checked if its requests are not numbered', async () => {
    seq = undefined;
    processed(0);
    await call(news);
    expect(heldBack).toEqual([]);
  });

  const held = (message: object, pending: number) => {
    processed(5_000 - pending);
    return call(message, { isHeldBack: true, calls: 5_000 });
  };
  const rejected = { refusal: 'rate_limited' };

  test('a held-back device can send falls with up to 3,000 pending requests, and reports with up to 500', async () => {
    expect(await held(news, 501)).toEqual(rejected);
    expect(await held([fall, news], 501)).toEqual(rejected);
    expect(await held(fall, 3_001)).toEqual(rejected);
    expect([queued, noted, heldBack, measured]).toEqual([[], [], [], []]);

    expect(await held(fall, 3_000)).toEqual(accepted);
    expect([queued.length, noted.length, heldBack]).toEqual([1, 1, []]);

    expect(await held(news, 500)).toEqual(accepted);
    expect(heldBack).toEqual([['h', false]]);
  });

  test('a busy device is not checked again while held back', async () => {
    seq = 5_100;
    await held(fall, 2_000);
    expect(heldBack).toEqual([]);
  });

  test('a device without recorded requests has no pending requests', async () => {
    state = null;
    expect(await call(news, { isHeldBack: true })).toEqual(accepted);
    expect(heldBack).toEqual([['h', false]]);
  });
});

test('a request without messages is queued for 20 s, with the current time', async () => {
  await queueCall(deps, device);
  await queueCall(deps, device);
  expect(queued).toMatchObject([
    { task: { messages: [], receiveDate: NOW }, until: NOW + 20_000 },
    { task: { messages: [], receiveDate: NOW }, until: NOW + 20_000 },
  ]);
  time = NOW + 1;
  await queueCall(deps, device);
  expect(queued.at(-1)?.id).not.toBe(queued[0]?.id);
});
