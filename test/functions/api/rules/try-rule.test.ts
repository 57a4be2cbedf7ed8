import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Receiver, startReceiver } from '#lib/home/receiver.ts';
import { createPeopleWorld } from '#test/fixtures/people.ts';

let world: Awaited<ReturnType<typeof createPeopleWorld>>;
let receivers: Receiver[] = [];
const formats = ['full', 'custom1', 'raw', 'chat', 'teams'] as const;
beforeAll(async () => {
  [world, ...receivers] = await Promise.all([createPeopleWorld(), ...formats.map(() => startReceiver())]);
});
afterAll(() => Promise.all([world, ...receivers].map((server) => server.stop())));

const got = (format: (typeof formats)[number]) => receivers[formats.indexOf(format)]?.received ?? [];

type Tests = {
  deliveries: { id: string; webhookId: string | null; userId: number | null; by: string; step: number }[];
};
type Home = Awaited<ReturnType<typeof world.furnish>>;

/** Creates a bot with one webhook per format. */
const createRecipients = async ({ client }: Home) => {
  const bot = await client.ok<{ id: number }>('POST', '/bots', { name: 'Nurse call' });
  const recipients: { botId: number; webhookId: string }[] = [];
  for (const [at, format] of formats.entries()) {
    const hook = { name: format, url: receivers[at]?.url, format, isCustomerHook: false, botId: bot.id };
    const { id } = await client.ok<{ id: string }>('POST', '/webhooks', hook);
    recipients.push({ botId: bot.id, webhookId: id });
  }
  return recipients;
};

test('tryRule sends marked tests to every recipient at once', async () => {
  const home = await world.furnish();
  const hooks = await createRecipients(home);
  const { id: userId } = await home.hire('Anna', { email: 'anna@example.com' });
  await home.onDuty(userId);
  const [full] = hooks;
  const escalation = [
    { afterSeconds: 600, recipients: [{ userId, by: 'email' }, full] },
    { afterSeconds: 1_200, recipients: [{ onDuty: true, by: 'email' }] },
  ];
  const { id: ruleId } = await home.rule(hooks, {
    escalation,
    title: '{situation}: {sensor}',
    message: 'Go and look.',
  });
  const { deliveries } = await home.client.ok<Tests>('POST', `/rules/${ruleId}/test`);
  await world.idle();
  expect(deliveries.map(({ by, step, userId }) => [by, step, userId])).toEqual([
    ...hooks.map(() => ['webhook', 0, null]),
    ['webhook', 1, null],
    ['email', 1, userId],
    ['email', 2, userId],
  ]);
  expect(new Set(deliveries.map(({ id }) => id)).size).toBe(8);
  const marks = receivers.flatMap(({ received }) => received.map(({ headers }) => headers['x-service-cloud-test']));
  expect(marks).toEqual(Array(6).fill('true'));
  expect(got('full').map(({ body }) => JSON.parse(body).rule.title)).toEqual(
    Array(2).fill('Test: Fall detected: Test'),
  );
  expect(JSON.parse(got('full')[0]?.body ?? '')).toMatchObject({
    event: { type: 'test', action: 'ping' },
    acknowledgeUrl: null,
  });
  expect(JSON.parse(got('custom1')[0]?.body ?? '')).toMatchObject({ eventType: 8 });
  expect(got('raw')[0]?.body).toBe('{"test":true}');
  for (const format of ['chat', 'teams'] as const) expect(got(format)[0]?.body).toContain('Test: Fall detected: Test');
  const messages = world.sentMessages.filter(({ to }) => to === 'anna@example.com');
  expect(messages.map(({ text }) => text.startsWith('Test: Fall detected: Test\n\n'))).toEqual([true, true]);
  expect(messages[0]?.text).toContain('Test: Go and look.');
  expect([await home.hits(), (await home.sent()).map(({ state }) => state)]).toEqual([[], Array(8).fill('delivered')]);
  const [{ webhookId = '', id = '' } = {}] = deliveries;
  expect(await home.client.ok('GET', `/webhooks/${webhookId}/deliveries/${id}`)).toMatchObject({ state: 'delivered' });
  await world.pass(3_600_000);
  expect(receivers.flatMap(({ received }) => received)).toHaveLength(6);
});

test('tryRule returns 404 to other customers, and 403 without manage_rules', async () => {
  const home = await world.furnish();
  const other = await world.furnish();
  const { id: userId, client } = await home.hire('Ben', { email: 'ben@example.com' });
  const { id: ruleId } = await home.rule([{ userId, by: 'email' }]);
  expect((await other.client.call('POST', `/rules/${ruleId}/test`)).status).toBe(404);
  expect((await client.call('POST', `/rules/${ruleId}/test`)).status).toBe(403);
  expect((await home.client.call('POST', '/rules/999999999/test')).status).toBe(404);
  expect(world.sentMessages.filter(({ to }) => to === 'ben@example.com')).toEqual([]);
});

test('a rule can be tested five times a minute by all callers combined', async () => {
  const home = await world.furnish();
  const { id: userId } = await home.hire('Berta', { email: 'berta@example.com' });
  const { id } = await home.rule([{ userId, by: 'email' }]);
  const other = await home.rule([{ userId, by: 'email' }]);
  const tryRule = (ruleId: number, by = home.client) => by.call('POST', `/rules/${ruleId}/test`);
  for (let n = 0; n < 5; n++) expect((await tryRule(id)).status).toBe(202);
  const refused = await tryRule(id, home.admin);
  expect(refused.status).toBe(429);
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(50);
  expect((await tryRule(other.id)).status).toBe(202);
  await world.pass(60_000);
  expect((await tryRule(id)).status).toBe(202);
});
