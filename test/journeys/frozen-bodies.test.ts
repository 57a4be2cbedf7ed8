import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createDeliveryWorld, LATE, ok, status } from '../fixtures/deliveries.ts';

let world: Awaited<ReturnType<typeof createDeliveryWorld>>;
const errors: string[] = [];
beforeAll(async () => {
  world = await createDeliveryWorld({ log: (level, text) => void (level === 'error' && errors.push(text)) });
});
afterAll(() => world.stop());

/** Creates a home with a failed delivery, and renames everything named in the body before the retry. */
const renamedBeforeRetry = async (isCustomerHook: boolean, make: 'fall' | 'test') => {
  const home = await world.furnish({ retrySchedule: LATE });
  const { client, receiver, customerId, sensorId } = home;
  const hook = await client.ok<object>('GET', home.at);
  if (isCustomerHook) await client.ok('PUT', home.at, { ...hook, isCustomerHook, botId: null });
  const rename = async (name: string) => {
    await client.ok('PUT', home.at, { ...(await client.ok<object>('GET', home.at)), name });
    await client.ok('PUT', `/customers/${customerId}`, { name, location: name, email: '' });
    const basic = `/sensors/${sensorId}/maker_a/config/basic`;
    await client.ok('PUT', basic, { ...(await client.ok<object>('GET', basic)), name });
    Object.assign(world.settings, { SERVICE_NAME: name, SERVICE_VERSION: name, PUBLIC_URL: `https://${name}.example` });
  };
  await rename('before');
  world.answerWith(status(500, 'no'));
  await (make === 'fall' ? home.fall() : client.ok('POST', `${home.at}/test`));
  await receiver.until(1);
  await world.idle();
  const [retrying] = (await home.list('?state=retrying')).data;
  const id = retrying?.id ?? '';
  await rename('after');
  return { ...home, id };
};

describe('a delivery body', () => {
  const service = { name: 'before', version: 'before', url: 'https://before.example' };

  test.each([
    ['a fall from a rule', false, 'fall'],
    ['a fall to a customer webhook', true, 'fall'],
    ['a test of a bot webhook', false, 'test'],
    ['a test of a customer webhook', true, 'test'],
  ] as const)(
    'the body for %s stays the same across all attempts, redeliveries and replays',
    async (_, isCustomerHook, make) => {
      const { receiver, client, at, id } = await renamedBeforeRetry(isCustomerHook, make);
      await world.pass(1_500_000);
      world.answerWith(ok);
      await world.pass(1_500_000);
      await client.ok('POST', `${at}/deliveries/${id}/redeliver`);
      const span = { since: 0, until: world.now(), states: ['delivered'], ratePerSecond: 100 };
      if (make === 'fall') await client.ok('POST', `${at}/replays`, span);
      await world.idle();
      const bodies = receiver.received.flatMap(({ headers, body }) => (headers['webhook-id'] === id ? [body] : []));
      expect(JSON.parse(bodies[0] ?? '')).toMatchObject({ service, webhook: { name: 'before', isCustomerHook } });
      expect(bodies).toEqual(Array(make === 'fall' ? 5 : 4).fill(bodies[0]));
      const shown = await client.ok<{ body: string }>('GET', `${at}/deliveries/${id}/message`);
      expect(shown).toMatchObject({ headers: { 'webhook-id': id } });
      // The log omits the link that lets the receiver acknowledge the alarm.
      expect(JSON.parse(shown.body)).toEqual({ ...JSON.parse(bodies[0] ?? ''), acknowledgeUrl: null });
      expect(JSON.stringify(shown)).not.toMatch(/authorization|signature/i);
    },
  );

  test.each(['chat', 'teams'])(
    'the body in the %s format stays the same when the bot, time zone and names change',
    async (format) => {
      const { client, at, customerId, receiver, fall } = await world.furnish({ format, retrySchedule: LATE });
      const { botId } = await client.ok<{ botId: number }>('GET', at);
      world.answerWith(status(500, 'no'));
      await fall();
      await receiver.until(1);
      await world.idle();
      await client.ok('PUT', `/bots/${botId}`, { name: 'after', locale: 'de' });
      const moved = { name: 'after', location: 'after', email: '', timeZone: 'America/Lima' };
      await client.ok('PUT', `/customers/${customerId}`, moved);
      world.answerWith(ok);
      await world.pass(1_500_000);
      const [first, second] = await receiver.until(2);
      expect(second?.body).toBe(first?.body);
      expect(second?.headers['webhook-id']).toBe(first?.headers['webhook-id']);
    },
  );

  test('a body contains the names as they were when the delivery was created', async () => {
    const { receiver, fall } = await renamedBeforeRetry(false, 'fall');
    world.answerWith(ok);
    await fall();
    const later = JSON.parse((await receiver.until(2)).at(-1)?.body ?? '');
    expect(later).toMatchObject({ service: { name: 'after' }, webhook: { name: 'after' }, sensor: { name: 'after' } });
  });
});

describe('the device message in a delivery', () => {
  const long =
    '{"type": 5,\n "payload": {"status": "calling", "timestamp": TIME, "a": 9007199254740993, "b": 0.10000000000000000001,' +
    ' "c": 1e400, "__proto__": {"d": -0}, "d": 1, "d": 2}}';

  test.each(['full', 'raw'])('a device message keeps every digit in the %s format', async (format) => {
    const { say, receiver } = await world.furnish({ format });
    const sent = long.replace('TIME', String(world.now()));
    await say(`[${sent}]`);
    const [got] = await receiver.until(1);
    if (format === 'raw') expect(got?.body).toBe(sent);
    else expect(got?.body).toContain(`"raw":${sent}}`);
    expect(() => JSON.parse(got?.body ?? '')).not.toThrow();
  });

  test.each(['full', 'raw'])(
    'a %s delivery whose message is missing is neither sent nor counted as a receiver failure',
    async (format) => {
      const { fall, list, detail, receiver, loseMessages, record } = await world.furnish({
        format,
        retrySchedule: LATE,
      });
      world.answerWith(status(500, 'no'));
      await fall();
      world.answerWith(ok);
      const [retrying] = (await list()).data;
      const restoreMessages = await loseMessages();
      errors.length = 0;
      await world.pass(1_500_000);
      expect(await detail(retrying?.id ?? '')).toMatchObject({
        state: 'retrying',
        attemptLog: [{ status: 500 }, { status: null, error: 'message_missing' }],
      });
      expect([errors, receiver.received.length]).toEqual([['a delivery has lost its message'], 1]);
      expect(await record()).toMatchObject({ consecutiveFailures: 1 });
      await restoreMessages();
      await world.pass(1_500_000);
      const [first, second] = await receiver.until(2);
      expect(second?.body).toBe(first?.body);
    },
  );

  test('a delivery fails at the end of the retry schedule if its message is still missing', async () => {
    const { fall, list, receiver, loseMessages } = await world.furnish({ retrySchedule: [0, 1_000] });
    world.answerWith(status(500, 'no'));
    await fall();
    await loseMessages();
    const before = world.valuesOf('TasksFailed').length;
    await world.pass(1_500_000);
    expect((await list()).data).toMatchObject([{ state: 'failed', reason: 'exhausted', attempts: 2 }]);
    // The receiver gets nothing, so the alarm for failed tasks fires at once.
    expect(world.valuesOf('TasksFailed').length).toBe(before + 1);
    expect(receiver.received).toHaveLength(1);
  });

  test('custom1 deliveries do not need the device message', async () => {
    const { fall, receiver, loseMessages } = await world.furnish({ format: 'custom1', retrySchedule: LATE });
    world.answerWith(status(500, 'no'));
    await fall();
    await loseMessages();
    await world.pass(1_500_000);
    const [first, second] = await receiver.until(2);
    expect(second?.body).toBe(first?.body);
  });
});
