import { afterAll, beforeAll, expect, test } from 'vitest';
import { GRACE_MS } from '#shared/store/engine/due.ts';
import { type Store, store } from '#shared/store/store.ts';
import { createLedger, startEngine } from '#test/bench/meter.ts';

const now = 1_800_000_000_000;
let engine: Awaited<ReturnType<typeof startEngine>>;
let its: Store;
beforeAll(async () => {
  engine = await startEngine(createLedger());
  its = store(engine.plain);
});
afterAll(() => engine.stop());

test('puts the time of a notice into its task, so that one that keeps failing is not retried forever', async () => {
  const uuid = '00000000-0000-4000-8000-000000000001';
  await its.events.storeNotice({ customerId: 7, sensorId: 'id_a' }, uuid, { notice: 'registered', receiveDate: now });
  const found = [];
  for await (const page of its.due.pages(now + GRACE_MS + 1)) found.push(...page);
  const task = { type: 'process_notice', customerId: 7, sensorId: 'id_a', uuid, receiveDate: now };
  expect(found).toEqual([{ task, time: now + GRACE_MS }]);
});
