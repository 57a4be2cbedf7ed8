import { afterAll, beforeAll, expect, test } from 'vitest';
import { createPeopleWorld } from '#test/fixtures/people.ts';

let world: Awaited<ReturnType<typeof createPeopleWorld>>;
beforeAll(async () => {
  world = await createPeopleWorld();
});
afterAll(() => world.stop());

type Refused = { errors: { path: string; message: string }[] };
const webhookId = '0b6c4a1e-5d1f-4c7a-9a53-2f1f6f0c9d11';

test('createRule accepts users with a verified channel and users on duty as recipients', async () => {
  const { hire, rule, client, ask } = await world.furnish();
  const anna = await hire('Anna', { email: 'anna@example.com', sms: '+491701234567' });
  const recipients = [
    { userId: anna.id, by: 'email' },
    { userId: anna.id, by: 'sms' },
    { onDuty: true, by: 'push' },
  ];
  const { id } = await rule(recipients.map((recipient) => ({ ...recipient, more: 'ignored' })));
  const kept = await client.ok<object>('GET', `/rules/${id}`);
  expect(kept).toMatchObject({ recipients });
  expect((await client.call('PUT', `/rules/${id}`, kept)).status).toBe(200);
  // Users on duty can be recipients even while no one is on duty.
  expect((await ask([{ onDuty: true, by: 'sms' }])).status).toBe(201);
});

test("createRule returns 400 for other customers' users and unverified channels", async () => {
  const { hire, ask, prove } = await world.furnish();
  const other = await world.furnish();
  const stranger = await other.hire('Stranger', { email: 's@example.com' });
  const anna = await hire('Anna', { email: 'anna@example.com' });
  const refused = async (recipient: object) => {
    const { status, body } = await ask([{ userId: anna.id, by: 'email' }, recipient]);
    return [status, ...(body as Refused).errors.map(({ path }) => path)];
  };
  expect(await refused({ userId: stranger.id, by: 'email' })).toEqual([400, 'recipients.1.userId']);
  expect(await refused({ userId: 999_999, by: 'email' })).toEqual([400, 'recipients.1.userId']);
  for (const by of ['sms', 'push', 'telegram'])
    expect(await refused({ userId: anna.id, by })).toEqual([400, 'recipients.1.by']);
  await prove(anna.id, 'sms', '+491701234567');
  expect((await ask([{ userId: anna.id, by: 'sms' }])).status).toBe(201);
});

test('a user whose login is disabled cannot be a recipient', async () => {
  const home = await world.furnish();
  const { hire, rule, ask, fall, hits, sent } = home;
  const anna = await hire('Anna', { sms: '+491709998877' });
  const recipients = [{ userId: anna.id, by: 'sms' }];
  await rule(recipients);
  await fall();
  const toAnna = () => world.sentMessages.filter(({ to }) => to === '+491709998877').length;
  expect(toAnna()).toBe(1);
  await home.session.ok('PUT', `/users/${anna.id}/access`, { canLogin: false, permissions: [] });
  await fall();
  expect(toAnna()).toBe(1);
  expect((await sent())[0]).toMatchObject({ userId: anna.id, state: 'failed', reason: 'not_reachable' });
  expect((await hits())[0]).toMatchObject({ notifiedDate: null });
  const refused = await ask(recipients);
  expect([refused.status, ...(refused.body as Refused).errors.map(({ path }) => path)]).toEqual([
    400,
    'recipients.0.by',
  ]);
});

const hostile: [string, unknown, string][] = [
  ['a user id as a string', { userId: '5', by: 'sms' }, 'recipients.0.userId'],
  ['a user id that rounds', '{"userId":9007199254740993,"by":"sms"}', 'recipients.0.userId'],
  ['a fraction', { userId: 1.5, by: 'sms' }, 'recipients.0.userId'],
  ['a negative id', { userId: -1, by: 'sms' }, 'recipients.0.userId'],
  ['an array as user id', { userId: [1], by: 'sms' }, 'recipients.0.userId'],
  ['no channel', { userId: 5 }, 'recipients.0.by'],
  ['an unknown channel', { userId: 5, by: 'fax' }, 'recipients.0.by'],
  ['the name of a prototype as channel', { userId: 5, by: '__proto__' }, 'recipients.0.by'],
  ['a list of channels', { userId: 5, by: ['sms'] }, 'recipients.0.by'],
  ['a webhook as channel', { userId: 5, by: 'webhook' }, 'recipients.0.by'],
  ['a user off duty', { onDuty: false, by: 'sms' }, 'recipients.0.onDuty'],
  ['onDuty as a string', { onDuty: 'true', by: 'sms' }, 'recipients.0.onDuty'],
  ['a user who is also on duty', { userId: 5, onDuty: true, by: 'sms' }, 'recipients.0.onDuty'],
  ['a webhook that is a user', { botId: 1, webhookId, userId: 5 }, 'recipients.0.userId'],
  ['a webhook with a channel', { botId: 1, webhookId, by: 'sms' }, 'recipients.0.by'],
  ['a bot alone', { botId: 1 }, 'recipients.0.webhookId'],
  ['null', null, 'recipients.0'],
  ['a string', 'everybody', 'recipients.0'],
  ['a list', [5, 'sms'], 'recipients.0'],
];
test.each(hostile)('createRule returns 400 and the path for %s as a recipient', async (_, recipient, path) => {
  const { client } = await world.furnish();
  const text = typeof recipient === 'string' && recipient.startsWith('{') ? recipient : JSON.stringify(recipient);
  const rule = { name: 'n', title: 't', message: 'm', situation: 'fall_detected', recipients: ['HERE'] };
  const { status, body } = await client.call('POST', '/rules', JSON.stringify(rule).replace('"HERE"', text));
  expect([status, (body as Refused).errors?.map((error) => error.path)]).toEqual([400, expect.arrayContaining([path])]);
});

test('createRule returns 400 for no recipients and for more than 20', async () => {
  const { ask } = await world.furnish();
  for (const recipients of [[], Array(21).fill({ onDuty: true, by: 'sms' })])
    expect((await ask(recipients)).status).toBe(400);
});
