import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Receiver, startReceiver } from '#lib/home/receiver.ts';
import { createDeliveryWorld, ok, status } from '#test/fixtures/deliveries.ts';

let world: Awaited<ReturnType<typeof createDeliveryWorld>>;
const mails: string[] = [];
const others: Receiver[] = [];
beforeAll(async () => {
  const say = (line: string) => void (line.startsWith('mail to') && mails.push(line));
  world = await createDeliveryWorld({ say });
});
afterAll(async () => {
  await Promise.all(others.map((other) => other.stop()));
  await world.stop();
});

/** Creates a home with a failing webhook, another webhook that gets the notices, and two users with an address. */
const furnish = async (retrySchedule: number[]) => {
  const home = await world.furnish({ retrySchedule });
  const receiver = await startReceiver();
  others.push(receiver);
  const { client, session, customerId } = home;
  await client.ok('POST', '/webhooks', { name: 'all', url: receiver.url, format: 'full', isCustomerHook: true });
  const person = { customerId, password: 'a-long-password', firstName: 'A', lastName: 'B' };
  const boss = { username: `boss-${customerId}`, email: `boss-${customerId}@example.com`, locale: 'de' };
  await session.ok('POST', '/users', { ...person, ...boss, permissions: ['manage_bots'] });
  const guest = { username: `guest-${customerId}`, email: `guest-${customerId}@example.com` };
  await session.ok('POST', '/users', { ...person, ...guest });
  const actions = () =>
    receiver.received.map(({ body }) => JSON.parse(body).event).map(({ type, action }) => `${type}/${action}`);
  /** Returns the emails about deliveries, except those about falls that reached no one. */
  const mailsHere = () =>
    mails.filter((mail) => mail.includes(`-${customerId}@`) && !mail.includes(': Niemand wurde benachrichtigt: '));
  return { ...home, actions, mailsHere };
};

test('disables a webhook only after two minutes of consecutive 410 responses', async () => {
  const { fall, health, actions, mailsHere } = await furnish([0, 3_600]);
  world.answerWith(status(410, ''));
  await fall();
  expect(await health()).toMatchObject({ isEnabled: true });
  // Any other response restarts the two minutes.
  world.answerWith(status(500, ''));
  world.skip(60_000);
  await fall();
  world.answerWith(status(410, ''));
  world.skip(61_000);
  await fall();
  expect(await health()).toMatchObject({ isEnabled: true });
  world.skip(121_000);
  await fall();
  await world.idle();
  expect(await health()).toMatchObject({ isEnabled: false, disabledReason: 'gone' });
  expect(world.valuesOf('WebhooksDisabled')).toHaveLength(1);
  expect(actions().filter((action) => action === 'webhook/disabled')).toHaveLength(1);
  expect(actions().filter((action) => action === 'delivery/failed')).toHaveLength(1);
  const heads = mailsHere().map((mail) => mail.split('\n')[0]?.replace(/\d+@/, 'N@'));
  expect(heads.toSorted()).toEqual([
    expect.stringMatching(/^mail to boss-N@example\.com: Sturzmeldung nicht zugestellt: /),
    expect.stringMatching(/^mail to boss-N@example\.com: Webhook deaktiviert: /),
  ]);
});

test('disables a webhook after two minutes of 410 responses to tests', async () => {
  const { client, at, health, actions } = await furnish([0]);
  world.answerWith(status(410, ''));
  const ping = async () => {
    await client.ok('POST', `${at}/test`, {});
    await world.idle();
  };
  await ping();
  expect(await health()).toMatchObject({ isEnabled: true });
  world.skip(121_000);
  await ping();
  expect(await health()).toMatchObject({ isEnabled: false, disabledReason: 'gone' });
  expect(actions().filter((action) => action === 'webhook/disabled')).toHaveLength(1);
});

test('sends at most one email an hour about failed fall deliveries', async () => {
  const { fall, actions, mailsHere, list, client, at } = await furnish([0]);
  world.answerWith(status(500, ''));
  for (let at = 0; at < 3; at++) await fall();
  await world.idle();
  expect(actions().filter((action) => action === 'delivery/failed')).toHaveLength(3);
  expect(mailsHere()).toHaveLength(1);
  expect(world.valuesOf('AlarmsFailed').length).toBeGreaterThanOrEqual(3);
  // A failed redelivery is not reported.
  const [failed] = (await list()).data;
  await client.ok('POST', `${at}/deliveries/${failed?.id}/redeliver`);
  await world.idle();
  expect(actions().filter((action) => action === 'delivery/failed')).toHaveLength(3);
  world.answerWith(ok);
});
