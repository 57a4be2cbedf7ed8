import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Delivery } from '#shared/domain/delivery/delivery.ts';
import { derivedUlid } from '#shared/domain/ids.ts';
import type { Table } from '#shared/store/engine/client.ts';
import { type Store, store } from '#shared/store/store.ts';
import { items } from '#shared/store/table.ts';
import { createLedger, startEngine } from '#test/bench/meter.ts';
import { bareSnapshot } from '#test/fixtures/snapshot.ts';

const customerId = 7;
const now = 1_800_000_000_000;
const LEASE = 31_000;
/** As much of a thing as the store looks at. */
const some = (fields: object) => fields as never;

let engine: Awaited<ReturnType<typeof startEngine>>;
let its: Store;
beforeAll(async () => {
  engine = await startEngine(createLedger());
  its = store(engine.plain);
  await its.customers.create(some({ id: customerId }));
  await its.bots.create(some({ id: 1, customerId }), 100);
});
afterAll(() => engine.stop());

let made = 0;
/** A delivery that waits, of a webhook of its own, in a replay. */
const waiting = async () => {
  const webhookId = `00000000-0000-4000-8000-${String(++made).padStart(12, '0')}`;
  await its.webhooks.create(some({ id: webhookId, customerId, botId: 1, format: 'full', isEnabled: true }), 50);
  const replay = { id: webhookId, webhookId, customerId, createDate: now, state: 'running', sent: 0, failed: 0 };
  await its.replays.create(some(replay), 1);
  const key = { customerId, webhookId, id: derivedUlid(now, made) };
  const wait = {
    createDate: now,
    nextAttempt: now,
    state: 'pending',
    attempts: 0,
    sendTryTimes: [],
    snapshot: bareSnapshot,
  };
  await its.deliveries.create(some({ ...key, ...wait, replay: replay.id }), true);
  const tell = async () => ({
    delivery: await its.deliveries.get(customerId, webhookId, key.id),
    held: (await its.webhooks.get(customerId, webhookId))?.held ?? 0,
    counted: await its.replays.get(customerId, webhookId, replay.id),
  });
  return { key, tell, claim: (at = now) => claimed(its.attempts.claim(key, at, 'claim-5')) };
};
const claimed = async (claim: Promise<Delivery | null>): Promise<Delivery> => {
  const delivery = await claim;
  if (!delivery) throw new Error('nothing was claimed');
  return delivery;
};
const said = (status: number) => ({
  status,
  error: null,
  durationMs: 1,
  responseBody: 'no',
  timings: { dns: null, connect: null, tls: null, firstByte: null },
});
type Waiting = Awaited<ReturnType<typeof waiting>>;

const ended = {
  delivery: { state: 'delivered', reason: 'redelivered', nextAttempt: null },
  held: 0,
  counted: { sent: 1, failed: 0 },
};
const expectEnded = async ({ tell, key }: Waiting) => {
  const told = await tell();
  expect(told).toMatchObject(ended);
  for (const name of ['duePk', 'leaseUntil', 'claim', 'heldUntil', 'listPk'])
    expect(told.delivery).not.toHaveProperty(name);
  expect(await its.held.ids({ customerId, id: key.webhookId }, 10)).toEqual([]);
  expect(await its.attempts.claim(key, now + LEASE, 'claim-1')).toBeNull();
};

/** Ways to wait. */
const ways: Record<string, (repeated: Waiting) => Promise<unknown>> = {
  'is pending': async () => {},
  'is retrying': async ({ claim }) =>
    its.attempts.record(
      await claim(),
      { result: said(500), next: { state: 'retrying', nextAttempt: now + 9 } },
      now,
      true,
    ),
  'is held': ({ key }) => its.held.hold(key, now),
  'is being sent': ({ claim }) => claim(),
};

describe('a delivery of which a repetition was taken', () => {
  test.each(Object.entries(ways))('and that %s ends delivered, in all counts, once', async (_, wait) => {
    const repeated = await waiting();
    await wait(repeated);
    expect(await its.repetitions.endOriginal(repeated.key, now)).toMatchObject({ id: repeated.key.id });
    await expectEnded(repeated);
    expect(await its.repetitions.endOriginal(repeated.key, now)).toBeNull();
    await expectEnded(repeated);
  });

  test('while it was being sent stays ended, and its log tells of that attempt all the same', async () => {
    const repeated = await waiting();
    const attempt = await repeated.claim();
    await its.repetitions.endOriginal(repeated.key, now);
    await its.attempts.record(attempt, { result: said(500), next: { state: 'retrying', nextAttempt: now } }, now, true);
    await expectEnded(repeated);
    expect((await repeated.tell()).delivery?.log).toMatchObject([[1, 1, 500, null, [null, null, null, null], 'no']]);
  });

  test('while its claim lapsed and another attempt is under way has the log of that one alone', async () => {
    const repeated = await waiting();
    const first = await repeated.claim();
    const second = await repeated.claim(now + LEASE);
    await its.repetitions.endOriginal(repeated.key, now);
    await its.attempts.record(first, { result: said(500), next: { state: 'retrying', nextAttempt: now } }, now, true);
    await its.attempts.record(second, { result: said(200), next: { state: 'delivered' } }, now, true);
    await expectEnded(repeated);
    expect((await repeated.tell()).delivery?.log?.map(([number]) => number)).toEqual([2]);
  });

  test.each(Object.entries(ways))('and that %s right when it was looked at ends all the same', async (_, wait) => {
    const repeated = await waiting();
    let isFirst = true;
    const get: Table['get'] = async (...given) => {
      const answer = await engine.plain.get<never>(...given);
      if (isFirst) await wait(repeated);
      isFirst = false;
      return answer;
    };
    expect(await store({ ...engine.plain, get }).repetitions.endOriginal(repeated.key, now)).not.toBeNull();
    await expectEnded(repeated);
  });

  test.each(['delivered', 'failed'] as const)('stays as it is when it was %s before', async (state) => {
    const repeated = await waiting();
    const next = state === 'failed' ? { state, reason: 'exhausted' as const } : { state };
    await its.attempts.record(await repeated.claim(), { result: said(500), next }, now, true);
    const before = await repeated.tell();
    expect(await its.repetitions.endOriginal(repeated.key, now + 1)).toBeNull();
    expect(await repeated.tell()).toEqual(before);
  });

  test('and that a webhook held which is deleted is left to end as deleted', async () => {
    const repeated = await waiting();
    await its.held.hold(repeated.key, now);
    await engine.plain.write({ remove: items.webhook({ customerId, webhookId: repeated.key.webhookId }) });
    expect(await its.repetitions.endOriginal(repeated.key, now)).toBeNull();
    expect(await repeated.tell()).toMatchObject({ delivery: { state: 'held' }, counted: { sent: 0 } });
    expect(await its.deliveries.end({ ...repeated.key, replay: repeated.key.webhookId }, 'deleted', now)).toBe(true);
  });
});
