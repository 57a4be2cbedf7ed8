import { describe, expect, test } from 'vitest';
import type { DeliverDeps } from '#functions/workers/deliver/deps.ts';
import { stepReplay } from '#functions/workers/deliver/replay.ts';
import type { Delivery } from '#shared/domain/delivery/delivery.ts';
import { derivedUlid } from '#shared/domain/ids.ts';
import { customerId, deliveryTo } from '#test/fixtures/delivery-stubs.ts';
import { recordedCalls } from '#test/fixtures/recorded-calls.ts';
import { NOW, stubDeps } from '#test/fixtures/stub-deps.ts';

const DAY = 86_400_000;
const webhookId = 'w1';
const replay = {
  id: 'r1',
  webhookId,
  customerId,
  state: 'running',
  states: ['failed', 'held'],
  ratePerSecond: 10,
  since: NOW - DAY,
  until: NOW + DAY,
  createDate: NOW - 60_000,
  updateDate: NOW - 60_000,
  cursor: null as string | null,
  pacedUntil: 0,
  isListed: false,
  found: 3,
  made: 0,
  sent: 0,
  failed: 0,
  step: 1,
};
const task = { customerId, webhookId, replayId: 'r1' };
const original = (at: number, more: object = {}): Delivery =>
  deliveryTo('email', { id: `d${at}`, person: undefined, webhookId, state: 'failed', ...more });

type Page = { page: readonly Delivery[]; next?: string };
type ReplayWorld = {
  of?: object | null;
  webhook?: object | null;
  /** What successive reads of the deliveries return. */
  pages?: readonly Page[];
  originals?: Record<string, object>;
  isAdded?: (id: string) => boolean;
  isAdvanced?: boolean;
  isEnded?: (id: string) => boolean;
  left?: () => number;
};
/** Runs one step. Returns the calls of the store, by name. */
const step = async ({
  of = {},
  webhook = { id: webhookId },
  pages = [{ page: [] }],
  originals = {},
  isAdded = () => true,
  isAdvanced = true,
  isEnded = () => true,
  left = () => 30_000,
}: ReplayWorld = {}) => {
  const { recorded, named, names } = recordedCalls();
  const reads = [...pages];
  const store = {
    webhooks: { get: recorded('webhook', () => webhook) },
    replays: {
      get: recorded('replay', () => of && { ...replay, ...of }),
      add: recorded('add', (_: object, { replayOf }: Delivery) => isAdded(replayOf ?? '')),
      advance: recorded('advance', () => isAdvanced),
      finish: recorded('finish', () => undefined),
      close: recorded('close', () => undefined),
    },
    deliveries: {
      get: recorded('original', (...[, , id]: [number, string, string]) => originals[id] ?? null),
      range: recorded('range', () => reads.shift() ?? { page: [] }),
      end: recorded('end', ({ id }: Delivery) => isEnded(id)),
    },
    held: { end: recorded('endHeld', ({ id }: Delivery) => isEnded(id)) },
  };
  const stubs = stubDeps<DeliverDeps>(store);
  await stepReplay(stubs.deps, task, left);
  return { ...stubs, named, names: names() };
};

describe('a replay step', () => {
  test('the replay of a deleted webhook is closed', async () => {
    const { named, names } = await step({ webhook: null });
    expect(named('webhook')).toEqual([[customerId, webhookId]]);
    expect(named('close')).toEqual([[{ customerId, webhookId, id: 'r1' }]]);
    expect(names).toEqual(['webhook', 'close']);
  });

  test('a step for a deleted replay does nothing', async () => {
    const { named, names } = await step({ of: null });
    expect(named('replay')).toEqual([[customerId, webhookId, 'r1']]);
    expect(names).toEqual(['webhook', 'replay']);
  });

  test('a paused or finished replay waits for nothing more', async () => {
    for (const ended of [{ isPaused: true }, { state: 'completed' }, { state: 'failed' }]) {
      const { named, names } = await step({ of: ended });
      expect(named('close')).toEqual([[{ ...replay, ...ended }]]);
      expect(names).toEqual(['webhook', 'replay', 'close']);
    }
  });

  test('a replay is completed once every redelivery has ended', async () => {
    const { named, names } = await step({ of: { isListed: true, made: 3, sent: 2, failed: 1 } });
    expect(named('finish')).toEqual([[expect.objectContaining({ id: 'r1' }), 'completed', NOW]]);
    expect(names).toEqual(['webhook', 'replay', 'finish']);
  });

  test('a replay is checked again after ten minutes while redeliveries are pending', async () => {
    const listed = { ...replay, isListed: true, made: 3, sent: 2 };
    const { named, names, enqueued } = await step({ of: listed });
    expect(named('advance')).toEqual([[listed, listed, NOW + 600_000]]);
    expect([names, enqueued]).toEqual([['webhook', 'replay', 'advance'], []]);
  });
});

describe('redeliveries', () => {
  test('each step writes redeliveries at the rate of the replay', async () => {
    const page = [original(1), original(2, { state: 'delivered' }), original(3, { state: 'held' })];
    const { named, enqueued } = await step({ pages: [{ page }] });
    expect(named('range')).toEqual([
      [customerId, webhookId, [NOW - DAY, replay.createDate], { startAfter: null, limit: 100 }],
    ]);
    expect(named('add')).toMatchObject([
      [{ id: 'r1' }, { replayOf: 'd1', replay: 'r1', nextAttempt: NOW, createDate: NOW }, page[0], NOW],
      [{ id: 'r1' }, { replayOf: 'd3', nextAttempt: NOW + 100 }, page[2], NOW],
    ]);
    const deliveryId = derivedUlid(replay.createDate, 'r1', 'd3');
    expect(enqueued[1]).toMatchObject([[{ type: 'deliver', deliveryId, notBefore: NOW + 100 }], 0]);
    const [[, progress, nextStep] = []] = named('advance');
    expect([progress, nextStep]).toEqual([{ cursor: 'd3', isListed: true, pacedUntil: NOW + 200 }, NOW + 200]);
    expect(enqueued.slice(2)).toEqual([[[{ type: 'step_replay', ...task }], 0]]);
  });

  test('a step writes redeliveries at most five seconds ahead, and continues there in time', async () => {
    const page = Array.from({ length: 10 }, (_, at) => original(at));
    const { named, enqueued } = await step({ of: { ratePerSecond: 1 }, pages: [{ page }] });
    const times = named('add').map(([, redelivery]) => (redelivery as Delivery).nextAttempt);
    expect(times).toEqual([0, 1, 2, 3, 4, 5].map((seconds) => NOW + seconds * 1_000));
    expect(named('advance')[0]?.[1]).toEqual({ cursor: 'd5', isListed: false, pacedUntil: NOW + 6_000 });
    expect(enqueued.at(-1)).toEqual([[{ type: 'step_replay', ...task }], 3.5]);
  });

  test('a step continues after the last delivery examined, at the time the next redelivery is due', async () => {
    const of = { cursor: 'd4', pacedUntil: NOW + 1_500 };
    const { named } = await step({ of, pages: [{ page: [original(5)], next: 'd5' }] });
    expect(named('range')[0]?.[3]).toEqual({ startAfter: 'd4', limit: 100 });
    expect(named('add')[0]?.[1]).toMatchObject({ replayOf: 'd5', nextAttempt: NOW + 1_500 });
    expect(named('advance')[0]?.[1]).toEqual({ cursor: 'd5', isListed: false, pacedUntil: NOW + 1_600 });
  });

  test('a step keeps its place if there is nothing left to examine, or no redelivery is due yet', async () => {
    const empty = await step({ of: { cursor: 'd4', pacedUntil: NOW - 5_000 } });
    expect(empty.named('advance')[0]?.[1]).toEqual({ cursor: 'd4', isListed: true, pacedUntil: NOW });
    const ahead = { cursor: 'd4', pacedUntil: NOW + 5_001 };
    const early = await step({ of: ahead, pages: [{ page: [original(5)] }] });
    expect(early.named('add')).toEqual([]);
    expect(early.named('advance')[0]?.[1]).toEqual({ ...ahead, isListed: false });
  });

  test('a step writes redeliveries at once if their next time was planned before the clock was set back', async () => {
    const { named } = await step({ of: { pacedUntil: NOW + 20_000 }, pages: [{ page: [original(1)] }] });
    expect(named('add')[0]?.[1]).toMatchObject({ nextAttempt: NOW });
  });

  test('a repeated step does not enqueue a redelivery again', async () => {
    const page = [original(1), original(2)];
    const { enqueued, named } = await step({ pages: [{ page }], isAdded: (id) => id === 'd2' });
    expect(named('add')).toHaveLength(2);
    expect(enqueued.map(([[first]]) => first?.type)).toEqual(['deliver', 'step_replay']);
  });

  test('only one of two concurrent steps enqueues the next one', async () => {
    expect((await step({ isAdvanced: false })).enqueued).toEqual([]);
  });
});

describe('a canceled replay', () => {
  const redelivery = (at: number, more: object = {}): Delivery =>
    original(at, { state: 'pending', replay: 'r1', replayOf: `o${at}`, ...more });
  const of = { state: 'canceled' };

  test('unsent redeliveries are canceled, and all others stay unchanged', async () => {
    const page = [
      redelivery(1),
      redelivery(2, { state: 'held' }),
      redelivery(3, { state: 'delivered' }),
      redelivery(4, { state: 'failed' }),
      redelivery(5, { replay: 'another' }),
      redelivery(6, { replay: undefined }),
    ];
    const { named } = await step({ of, pages: [{ page }] });
    expect(named('range')).toEqual([
      [customerId, webhookId, [replay.createDate, replay.createDate], { startAfter: null }],
    ]);
    expect(named('end')).toEqual([[page[0], 'canceled', NOW]]);
    expect(named('endHeld')).toEqual([[page[1], 'canceled', NOW]]);
    expect(named('original')).toEqual([
      [customerId, webhookId, 'o1'],
      [customerId, webhookId, 'o2'],
    ]);
    expect(named('close')).toEqual([[{ ...replay, ...of }]]);
  });

  test('redeliveries that replace held deliveries are still sent', async () => {
    const page = [redelivery(1), redelivery(2)];
    const originals = { o1: { reason: 'replayed' }, o2: { reason: 'exhausted' } };
    const { named } = await step({ of, pages: [{ page }], originals });
    expect(named('end')).toEqual([[page[1], 'canceled', NOW]]);
    expect(named('close')).toHaveLength(1);
  });

  test('a canceled replay is checked again while a redelivery is being sent', async () => {
    const pages = [{ page: [redelivery(1), redelivery(2)] }];
    const { named } = await step({ of, pages, isEnded: (id) => id !== 'd1' });
    expect(named('end')).toHaveLength(2);
    expect(named('close')).toEqual([]);
  });

  test('a canceled replay reads all its redeliveries, as long as time is left', async () => {
    const pages = [{ page: [redelivery(1)], next: 'd1' }, { page: [redelivery(2)] }];
    const all = await step({ of, pages, left: () => 5_000 });
    expect(all.named('range').map(([, , , bounds]) => bounds)).toEqual([{ startAfter: null }, { startAfter: 'd1' }]);
    expect([all.named('end').length, all.named('close').length]).toEqual([2, 1]);
    const interrupted = await step({ of, pages, left: () => 4_999 });
    expect([interrupted.named('end').length, interrupted.named('close').length]).toEqual([1, 0]);
  });
});
