import { afterAll, beforeAll, expect, test } from 'vitest';
import { SLOT_POLL_MS } from '#functions/workers/deliver/circuit.ts';
import { spanOf } from '#shared/domain/delivery/replay.ts';
import type { Runtime } from '#shared/runtime/deps.ts';
import { createCrash } from '#test/fixtures/crash.ts';
import { createDeliveryWorld, status } from '#test/fixtures/deliveries.ts';

const DAY = 86_400_000;
let world: Awaited<ReturnType<typeof createDeliveryWorld>>;
const death = createCrash();
/** Called when a delivery starts to wait for a slot or a probe result. */
let onWait = () => {};
beforeAll(async () => {
  const wrap = (runtime: Runtime): Runtime => {
    const pause = (ms: number) => {
      if (ms === SLOT_POLL_MS) onWait();
      return runtime.pause(ms);
    };
    return { ...death.options.wrap(runtime), pause };
  };
  world = await createDeliveryWorld({ ...death.options, wrap });
});
afterAll(() => world.stop());

test('releases the slot of a failed probe while another alarm waits for the result', async () => {
  const { fall, set, record, receiver } = await world.furnish({ retrySchedule: [0, 3_600] });
  const now = world.now();
  await set({ consecutiveFailures: 10, failingSince: now, openUntil: now + 60_000 });
  const other = Promise.withResolvers<void>();
  onWait = other.resolve;
  world.answerWith((response) => void other.promise.then(() => response.writeHead(500).end()));
  await Promise.all([fall(), fall()]);
  expect(receiver.received).toHaveLength(1);
  const leased = Object.entries((await record()) ?? {}).filter(
    ([name, until]) => /^slot/.test(name) && Number(until) > world.now(),
  );
  expect(leased).toEqual([]);
});

test('quarantines a task whose delivery is missing from the table', async () => {
  const { fall, kept, receiver } = await world.furnish({ retrySchedule: [0, 10] });
  world.answerWith(status(500, 'no'));
  await fall();
  const [written] = await kept();
  if (!written || !('queues' in world.waiting)) throw new Error('there is no delivery, or no queue');
  await world.table.write({ remove: { pk: written.pk, sk: written.sk } });
  const { quarantine } = world.waiting.queues;
  await world.pass(11_000);
  expect(receiver.received).toHaveLength(1);
  expect(quarantine.receive(10).map(({ body }) => JSON.parse(body).reason)).toEqual(['the table has no such delivery']);
});

test('disables a webhook after 410 responses even if the process dies', async () => {
  const { fall, list, health } = await world.furnish({ retrySchedule: [0, 3_600] });
  world.answerWith(status(410, ''));
  await fall();
  world.skip(121_000);
  death.at('deliver.recorded');
  await fall();
  expect([death.isOver(), await health()]).toMatchObject([true, { isEnabled: false, disabledReason: 'gone' }]);
  expect((await list('?sortBy=desc(createDate)')).data[0]).toMatchObject({ state: 'failed', reason: 'gone' });
});

test('does not replay expired deliveries, even if they are still stored', () => {
  const createDate = 100 * DAY;
  expect(spanOf({ since: 0, until: 200 * DAY, createDate })).toEqual([70 * DAY, createDate]);
  expect(spanOf({ since: 90 * DAY, until: 95 * DAY, createDate })).toEqual([90 * DAY, 95 * DAY]);
});
