import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { createTrace } from '#lib/tools/trace/trace.ts';
import type { DeliveryView } from '#shared/domain/delivery/delivery-view.ts';
import { busy, createPeopleWorld, optedOut, type SentMessage } from '../fixtures/people.ts';

let world: Awaited<ReturnType<typeof createPeopleWorld>>;
beforeAll(async () => {
  world = await createPeopleWorld({ environment: { QUOTAS: '{"smsPerDay":3}' } });
});
afterAll(() => world.stop());
beforeEach(() => {
  world.answerWith(() => {});
  world.sentMessages.length = 0;
});

/** The minimum wait (s) before each of the five attempts. */
const MIN_WAITS = [0, 8, 32, 120, 240];

const acknowledgeUrlIn = ({ text }: SentMessage): string => /http\S+\/acknowledge\/\S+/.exec(text)?.[0] ?? 'none';
const times = (delivery: { attemptLog: { startDate: number }[] }): number[] =>
  delivery.attemptLog.map(({ startDate }, at, all) => (startDate - (all[at - 1]?.startDate ?? startDate)) / 1_000);

test('a user acknowledges a fall in their own name through the link in the notification', async () => {
  const { hire, rule, fall, hits, sent, client, at, customerId } = await world.furnish();
  const anna = await hire(
    'Anna',
    { email: 'anna@example.com', sms: '+491701234567', telegram: '4711' },
    { locale: 'de' },
  );
  await rule([
    { userId: anna.id, by: 'email' },
    { userId: anna.id, by: 'sms' },
    { userId: anna.id, by: 'telegram' },
  ]);
  await fall();
  const [mail, sms, chat] = ['email', 'sms', 'telegram'].map((by) =>
    world.sentMessages.filter((message) => message.by === by),
  );
  expect([mail, sms, chat].map((all) => all?.length)).toEqual([1, 1, 1]);
  expect(mail?.[0]).toMatchObject({
    to: 'anna@example.com',
    text: expect.stringContaining('Please check room 7.'),
  });
  expect(mail?.[0]?.text).toContain('Ort: linden-');
  // Anyone holding the phone can read it, so it contains only the rule's texts and the link.
  expect(sms?.[0]?.text).toMatch(/^Sturz erkannt: Sensor \w+\nPlease check room 7\.\n\nIch gehe hin:\nhttp\S+$/);
  const [hit] = await hits();
  expect(hit).toMatchObject({ allSend: true, nobodyOnDuty: false, acknowledgement: null });
  expect(hit?.ruleMessages).toMatchObject(
    ['email', 'sms', 'telegram'].map((publisher) => ({
      publisher,
      accountId: anna.id,
      wasSend: true,
      extra: { display_name: 'Anna', is_bot: false },
    })),
  );
  for (const delivery of await sent())
    expect(delivery).toMatchObject({
      webhookId: null,
      userId: anna.id,
      userName: 'Anna',
      state: 'delivered',
      attempts: 1,
    });
  const [newest] = (await sent()).filter(({ by }) => by === 'sms');
  const detail = await client.ok<{ attemptLog: object[] }>('GET', `${at}/${newest?.id}`);
  expect(detail.attemptLog).toMatchObject([{ status: null, error: null, responseBody: '' }]);
  expect(await client.ok('GET', `${at}/${newest?.id}/message`)).toEqual({
    headers: {},
    body: expect.stringMatching(/^Sturz erkannt: Sensor \w+\n\nPlease check room 7\.$/),
  });
  const page = await fetch(acknowledgeUrlIn(mail?.[0] as SentMessage));
  expect(page.status).toBe(200);
  expect(await page.text()).not.toContain('<input');
  const acknowledged = await fetch(acknowledgeUrlIn(sms?.[0] as SentMessage), {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ name: 'Somebody else' }),
  });
  expect(await acknowledged.json()).toMatchObject({ userId: anna.id, name: 'Anna' });
  expect((await hits())[0]?.acknowledgement).toMatchObject({ userId: anna.id, name: 'Anna' });
  expect(customerId).toBeGreaterThan(0);
});

test('a delivery to a person fails after five attempts within ten minutes', async () => {
  const { hire, rule, fall, hits, sent, client, at } = await world.furnish();
  const ben = await hire('Ben', { sms: '+491701234568' });
  await hire('Boss', {}, { email: 'boss@example.com', permissions: ['manage_rules'] });
  await rule([{ userId: ben.id, by: 'sms' }]);
  world.answerWith(({ by }) => {
    if (by === 'sms') throw busy();
  });
  await fall();
  const newest = async () => (await sent()).at(-1);
  expect(await newest()).toMatchObject({ state: 'retrying', attempts: 1 });
  for (let step = 0; step < 60; step++) await world.pass(10_000);
  const detail = await client.ok<DeliveryView & { attemptLog: { startDate: number; error: string }[] }>(
    'GET',
    `${at}/${(await newest())?.id}`,
  );
  expect(detail).toMatchObject({ state: 'failed', reason: 'exhausted', attempts: 5, nextAttempt: null });
  expect(detail.attemptLog.map(({ error }) => error)).toEqual(Array(5).fill('ThrottlingException'));
  const waits = times(detail);
  expect(waits.map((seconds, at) => seconds >= (MIN_WAITS[at] ?? 0))).toEqual(Array(5).fill(true));
  expect(waits.reduce((sum, wait) => sum + wait, 0)).toBeLessThan(650);
  expect((await hits())[0]).toMatchObject({ allSend: false, ruleMessages: [{ wasSend: false }] });
  expect((await hits())[0]?.ruleMessages[0]?.sendTryTimes).toHaveLength(5);
  expect(world.sentMessages).toMatchObject([
    { by: 'email', to: 'boss@example.com', text: expect.stringMatching(/^Nobody was notified: Fall detected, Sensor/) },
    { by: 'email', to: 'boss@example.com', text: expect.stringMatching(/could not be delivered to Ben by SMS/) },
  ]);
  expect(world.valuesOf('AlarmsFailed')).toEqual([1]);
});

test('a delivery fails at once if the address no longer exists', async () => {
  const { hire, rule, fall, sent } = await world.furnish();
  const ben = await hire('Ben', { sms: '+491701234568' });
  await rule([{ userId: ben.id, by: 'sms' }]);
  world.answerWith(() => {
    throw optedOut();
  });
  await fall();
  expect((await sent())[0]).toMatchObject({ state: 'failed', reason: 'gone', attempts: 1 });
});

test('a customer over the daily SMS quota cannot send more until the first SMS is a day old', async () => {
  const { hire, rule, fall, sent } = await world.furnish();
  const ben = await hire('Ben', { sms: '+491701234568' });
  await rule([{ userId: ben.id, by: 'sms' }]);
  // All attempts for a delivery count as one.
  world.answerWith(() => {
    throw busy();
  });
  await fall();
  world.answerWith(() => {});
  await world.pass(13_000);
  for (let more = 0; more < 3; more++) await fall();
  const states = (await sent()).map(({ state, reason, attempts }) => [state, reason, attempts]);
  expect(states).toEqual([
    ['failed', 'limit_reached', 1],
    ['delivered', null, 1],
    ['delivered', null, 1],
    ['delivered', null, 2],
  ]);
  expect(world.sentMessages).toHaveLength(3);
  // The metric counts a customer once a day, so one customer does not mask others.
  await fall();
  expect(world.valuesOf('SmsLimitReached')).toEqual([1]);
  await world.pass(86_400_000);
  await fall();
  expect((await sent())[0]).toMatchObject({ state: 'delivered' });
});

test('only users who manage rules can resend a delivery to a person', async () => {
  const { hire, rule, fall, hits, sent, client, at } = await world.furnish();
  const ben = await hire('Ben', { email: 'ben@example.com' });
  await rule([{ userId: ben.id, by: 'email' }]);
  world.answerWith(() => {
    throw busy();
  });
  await fall();
  const [first] = await sent();
  world.answerWith(() => {});
  const { deliveryId } = await client.ok<{ deliveryId: string }>('POST', `${at}/${first?.id}/redeliver`);
  await world.idle();
  expect(await client.ok('GET', `${at}/${deliveryId}`)).toMatchObject({ state: 'delivered', replayOf: first?.id });
  expect(await client.ok('GET', `${at}/${first?.id}`)).toMatchObject({ state: 'delivered', reason: 'redelivered' });
  expect((await hits())[0]).toMatchObject({ allSend: true });
  await world.pass(60_000);
  expect(world.sentMessages).toHaveLength(1);
  const guest = await hire('Guest', {}, { permissions: ['manage_bots'] });
  for (const [method, path] of [
    ['GET', ''],
    ['GET', '/message'],
    ['POST', '/redeliver'],
  ] as const)
    expect((await guest.client.call(method, `${at}/${first?.id}${path}`)).status).toBe(403);
  expect(await guest.client.ok('GET', at)).toMatchObject([{ total: 0 }]);
  const other = await world.furnish();
  expect((await other.client.call('GET', `${at}/${first?.id}`)).status).toBe(404);
  expect((await other.client.call('GET', `${other.at}/${first?.id}`)).status).toBe(404);
});

test("a fall's trace names the notified user and the channel", async () => {
  const { hire, rule, fall, hits, sent, customerId } = await world.furnish();
  const ben = await hire('Ben', { email: 'ben@example.com' });
  await rule([{ userId: ben.id, by: 'email' }]);
  await fall();
  const [hit] = await hits();
  const [delivery] = await sent();
  const known = { customerId };
  for (const wanted of [
    { kind: 'event', id: hit?.sensorEventId ?? '', known },
    { kind: 'delivery', id: delivery?.id ?? '', known },
  ] as const) {
    const { steps } = await createTrace(world.table, wanted, world.now());
    const lines = steps.map(({ step, says }) => `${step} ${says}`);
    expect(lines).toContainEqual(
      expect.stringMatching(`^delivery ${delivery?.id} to user ${ben.id} by email, for hit`),
    );
    expect(lines).toContainEqual(expect.stringMatching(/^attempt 1: accepted in /));
  }
});
