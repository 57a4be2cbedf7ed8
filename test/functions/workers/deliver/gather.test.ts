import { afterAll, beforeAll, expect, test } from 'vitest';
import { handler } from '#functions/workers/deliver/handler.ts';
import { lambdaContext } from '#lib/local/lambda/invocation.ts';
import type { QueueMessage } from '#shared/queue/encode.ts';
import type { Runtime } from '#shared/runtime/deps.ts';
import { items } from '#shared/store/table.ts';
import { linkSensor } from '#test/fixtures/home.ts';
import { b } from '#test/fixtures/messages.ts';
import { createPeopleWorld } from '#test/fixtures/people.ts';

let world: Awaited<ReturnType<typeof createPeopleWorld>>;
let host: Runtime | undefined;
/** Delivery tasks, which this test's processes handle instead of the host. */
const tasks: QueueMessage[] = [];
/** The messages accepted by Telegram. */
const texts: string[] = [];

/** Keeps the delivery tasks, and sends all others to the host's queues. */
const withoutDeliveries = (runtime: Runtime): Runtime => {
  host = runtime;
  const send: Runtime['queues']['send'] = async (queue, messages) => {
    if (queue === 'deliveries' || queue === 'retries') tasks.push(...messages);
    else await runtime.queues.send(queue, messages);
  };
  return { ...runtime, queues: { ...runtime.queues, send } };
};
beforeAll(async () => {
  world = await createPeopleWorld({ wrap: withoutDeliveries });
});
afterAll(() => world.stop());

/** Starts a process with separate memory. It processes tasks concurrently. */
const startProcess = () => {
  const runtime = host ?? expect.unreachable();
  const telegram = async (_: string, text: string) => {
    texts.push(text);
    return 'accepted' as const;
  };
  const run = handler.with({ ...withoutDeliveries(runtime), messengers: async () => ({ telegram }) });
  return async (messages: readonly QueueMessage[]) => {
    const Records = messages.map(
      ({ body }, at) => ({ body, messageId: String(at), attributes: { ApproximateReceiveCount: '1' } }) as never,
    );
    const context = lambdaContext({
      clock: { now: runtime.now },
      functionName: 'deliver',
      timeoutSeconds: 30,
    } as never);
    return run({ Records }, context as never);
  };
};

test('two processes handling the same deliveries send a single combined message', async () => {
  const home = await world.furnish();
  const anna = await home.hire('Anna', { telegram: '-100300' });
  await home.rule([{ userId: anna.id, by: 'telegram' }], { situation: 'sensor_inactive' });
  const sensors = await Promise.all(Array.from({ length: 12 }, () => linkSensor(home.client, 'maker_b')));
  const report = (isOnline: boolean) =>
    Promise.all(
      sensors.map(({ device, sensorId }) => device.ok('POST', `/devices/${sensorId}/messages`, b.online(isOnline))),
    );
  await report(true);
  await world.idle();
  await report(false);
  await world.idle();
  expect(tasks).toHaveLength(12);
  await world.pass(21_000);

  const batch = tasks.splice(0);
  const processes = [startProcess(), startProcess()];
  // SQS may deliver a task to both processes.
  await Promise.all(processes.map((process) => process(batch)));
  expect(texts).toEqual([expect.stringMatching(/^12 sensors offline\n/)]);

  await world.pass(31_000);
  await processes[0]?.(tasks.splice(0));
  expect([texts.length, tasks.length]).toEqual([1, 0]);
  const deliveries = await world.table.queryAll<{ state: string; attempts: number }>({
    pk: items.personDelivery.pk({ customerId: home.customerId }),
    beginsWith: 'DELIVERY#',
  });
  expect(deliveries.map(({ state, attempts }) => [state, attempts])).toEqual(Array(12).fill(['delivered', 1]));
});
