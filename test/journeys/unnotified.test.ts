import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { type Receiver, startReceiver } from '#lib/home/receiver.ts';
import { store } from '#shared/store/store.ts';
import { createCrash } from '../fixtures/crash.ts';
import { createAlarm, fallMessage, linkSensor } from '../fixtures/home.ts';
import { b } from '../fixtures/messages.ts';
import { busy, createPeopleWorld } from '../fixtures/people.ts';

const SECOND = 1_000;
const HOUR = 3_600 * SECOND;

let world: Awaited<ReturnType<typeof createPeopleWorld>>;
let receiver: Receiver;
const crash = createCrash();
let status = 503;
let isKeyAway = false;
let events: { event: { type: string; action: string } }[] = [];
beforeAll(async () => {
  world = await createPeopleWorld({
    ...crash.options,
    wrap: (runtime) => ({
      ...crash.options.wrap(runtime),
      vault: async () => {
        if (isKeyAway) throw new Error('the key is away');
        return runtime.vault();
      },
    }),
  });
  receiver = await startReceiver((request, response) => {
    events.push(JSON.parse(request.body.toString()));
    response.writeHead(status).end();
  });
});
afterAll(async () => {
  await world.stop();
  await receiver.stop();
});
beforeEach(() => {
  world.answerWith(() => {});
  world.sentMessages.length = 0;
  events = [];
  status = 503;
  isKeyAway = false;
});

type Home = Awaited<ReturnType<typeof world.furnish>>;
const openAlarms = ({ customerId }: Home) => store(world.table).unnotified.list(customerId);
const mailsTo = (address: string) =>
  world.sentMessages.filter(({ by, to }) => by === 'email' && to === address).map(({ text }) => text);
const manager = (home: Home) =>
  home.hire('Nora', { email: `nora-${home.customerId}@example.com` }, { permissions: ['manage_rules'] });
const addressOf = ({ customerId }: Home): string => `nora-${customerId}@example.com`;
const measured = (): number => world.valuesOf('AlarmsUnnotified').length;

test('emails managers about a fall until the only receiver accepts it', async () => {
  const home = await world.furnish();
  await manager(home);
  await createAlarm(home.client, receiver.url);
  const before = measured();
  await home.fall();
  await world.pass(119 * SECOND);
  expect([await openAlarms(home), mailsTo(addressOf(home))]).toEqual([[], []]);
  expect((await home.hits())[0]).toMatchObject({ allSend: false, notifiedDate: null });

  await world.pass(3 * SECOND);
  const [hit] = await home.hits();
  expect(await openAlarms(home)).toMatchObject([
    { hitId: hit?.id, situation: 'fall_detected', sensorId: home.sensorId },
  ]);
  expect(measured()).toBe(before + 1);
  const [mail = '', ...more] = mailsTo(addressOf(home));
  expect(more).toEqual([]);
  expect(mail).toMatch(/^Nobody was notified: Fall detected, Sensor/);
  expect(mail).toContain('None of the recipients could be reached:');

  status = 200;
  await world.pass(HOUR);
  const [notified] = await home.hits();
  expect(notified?.notifiedDate).toBeGreaterThan(notified?.createDate ?? 0);
  expect(await openAlarms(home)).toEqual([]);
});

test('counts a fall as unsent only if no delivery was attempted', async () => {
  const untold = () => world.valuesOf('AlarmsUntold').length;
  const home = await world.furnish();
  await createAlarm(home.client, receiver.url);
  const before = untold();
  await home.fall();
  await world.pass(125 * SECOND);
  expect([untold() - before, (await openAlarms(home)).length]).toEqual([0, 1]);

  const other = await world.furnish();
  await createAlarm(other.client, receiver.url);
  const disabled = await world.furnish();
  await createAlarm(disabled.client, receiver.url, 'fall_detected', { isEnabled: false });
  isKeyAway = true;
  for (const { fall } of [other, disabled]) await fall();
  await world.pass(125 * SECOND);
  expect([untold() - before, (await openAlarms(other)).length, (await openAlarms(disabled)).length]).toEqual([1, 1, 1]);
});

test('a fall is not reported if someone was notified of it or has acknowledged it', async () => {
  const home = await world.furnish();
  await manager(home);
  const anna = await home.hire('Anna', { sms: '+491701234567' });
  await home.rule([{ userId: anna.id, by: 'sms' }]);
  await home.fall();
  const [hit] = await home.hits();
  expect(hit?.notifiedDate).toBeGreaterThanOrEqual(hit?.createDate ?? Number.POSITIVE_INFINITY);
  world.answerWith(({ by }) => {
    if (by === 'sms') throw busy();
  });
  await home.fall();
  const [second] = await home.hits();
  await home.client.ok('PUT', `/customers/${home.customerId}/rule-hits/${second?.id}/acknowledgement`, {});
  await world.pass(150 * SECOND);
  expect([await openAlarms(home), mailsTo(addressOf(home))]).toEqual([[], []]);
});

/** Reports a fall whose alarm reaches no one, and returns the email about it. */
const mailAbout = async (home: Home): Promise<string> => {
  await manager(home);
  await home.fall();
  await world.pass(122 * SECOND);
  expect(await openAlarms(home)).toHaveLength(1);
  const [mail = ''] = mailsTo(addressOf(home));
  return mail;
};

test.each([
  [
    'no one is on duty',
    async (home: Home) => void (await home.rule([{ onDuty: true, by: 'sms' }])),
    'The rule notifies the users on duty, but nobody on duty can be notified.',
  ],
  [
    'the webhook was deleted',
    async (home: Home) => {
      const { webhook } = await createAlarm(home.client, receiver.url);
      await home.client.ok('DELETE', `/webhooks/${webhook.id}?force=true`);
    },
    'could be reached: Nurse call.',
  ],
  [
    'the webhook is disabled',
    async (home: Home) => void (await createAlarm(home.client, receiver.url, 'fall_detected', { isEnabled: false })),
    'could be reached: Nurse call.',
  ],
  [
    'the user has lost the channel',
    async (home: Home) => {
      const { id: userId } = await home.hire('Anna', { telegram: '4711' });
      await home.rule([{ userId, by: 'telegram' }]);
      await store(world.table).channels.remove({ customerId: home.customerId, userId }, 'telegram');
    },
    'could be reached: Anna.',
  ],
])('states in the email why no one was notified: %s', async (_, prepare, cause) => {
  const home = await world.furnish();
  await prepare(home);
  expect(await mailAbout(home)).toContain(cause);
});

test('a Raw recipient gets the newest message when a timer raises the alarm', async () => {
  status = 200;
  const home = await world.furnish();
  await manager(home);
  await createAlarm(home.client, receiver.url, 'fall_detected', { format: 'raw' });
  const start = world.now();
  const [detected, confirmed] = ['fall_detected', 'fall_confirmed'].map((state) => ({
    ...fallMessage(state, start),
    uuid: crypto.randomUUID(),
  }));
  await home.report(detected);
  await home.report(confirmed);
  for (let step = 0; step < 24; step++) await world.pass(10 * SECOND);
  const bodies = receiver.received.map(({ body }) => JSON.parse(body.toString()));
  // The receiver is shared with other homes, whose webhooks have the Full format.
  expect(bodies.filter(({ service }) => !service)).toEqual([confirmed]);
  expect((await home.hits())[0]).toMatchObject({ notifiedDate: expect.any(Number), allSend: true });
  expect(mailsTo(addressOf(home))).toEqual([]);
});

test('a failed customer webhook delivery raises an alarm about the event', async () => {
  const home = await world.furnish();
  await manager(home);
  const other = await startReceiver();
  const hook = { botId: null, isCustomerHook: true, customerId: home.customerId, format: 'full', authMethod: 'none' };
  await home.client.ok('POST', '/webhooks', { ...hook, name: 'down', url: receiver.url });
  await home.fall();
  const { id } = await home.client.ok<{ id: string }>('POST', '/webhooks', { ...hook, name: 'log', url: other.url });
  await world.pass(122 * SECOND);
  await world.idle();
  expect(await openAlarms(home)).toMatchObject([{ hitId: null, situation: 'fall_detected' }]);
  expect(mailsTo(addressOf(home))[0]).toContain('could be reached: down.');
  const received = other.received.map(({ body }) => JSON.parse(body.toString()).event);
  expect(received).toMatchObject([{ type: 'alarm', action: 'unnotified' }]);
  await home.client.ok('DELETE', `/webhooks/${id}`);
  status = 200;
  await world.pass(HOUR);
  expect(await openAlarms(home)).toEqual([]);
  await other.stop();
});

test('an alarm that reached no one starts the next escalation step at once', async () => {
  const home = await world.furnish();
  const anna = await home.hire('Anna', { sms: '+491701234567' });
  const { rule } = await createAlarm(home.client, receiver.url);
  const escalation = [{ afterSeconds: 1_800, recipients: [{ userId: anna.id, by: 'sms' }] }];
  const { id, createDate: _, ...update } = await home.client.ok<Record<string, unknown>>('GET', `/rules/${rule.id}`);
  await home.client.ok('PUT', `/rules/${id}`, { ...update, escalation });
  await home.fall();
  const texts = () => world.sentMessages.filter(({ by }) => by === 'sms');
  await world.pass(100 * SECOND);
  expect(texts()).toEqual([]);
  await world.pass(25 * SECOND);
  expect(texts()).toHaveLength(1);
  expect(await openAlarms(home)).toEqual([]);
});

test('withdrawing an acknowledgement restarts the alarm', async () => {
  const home = await world.furnish();
  await createAlarm(home.client, receiver.url);
  await mailAbout(home);
  const [hit] = await home.hits();
  const path = `/customers/${home.customerId}/rule-hits/${hit?.id}/acknowledgement`;
  await home.client.ok('PUT', path, {});
  expect(await openAlarms(home)).toEqual([]);
  await home.client.ok('DELETE', path);
  await world.idle();
  expect(await openAlarms(home)).toHaveLength(1);
});

test('reminds managers of all open alarms every hour, 24 times', async () => {
  const home = await world.furnish();
  await createAlarm(home.client, receiver.url, 'fall_detected', { isEnabled: false });
  await mailAbout(home);
  for (let hour = 0; hour < 26; hour++) await world.pass(HOUR + SECOND);
  const mails = mailsTo(addressOf(home));
  expect(mails).toHaveLength(25);
  expect(mails.at(-1)).toMatch(/^Still open: 1 alarm without a response/);
  expect(await openAlarms(home)).toHaveLength(1);
});

test('sends managers separate emails about at most ten falls an hour', async () => {
  const home = await world.furnish();
  await manager(home);
  await createAlarm(home.client, receiver.url, 'fall_detected', { isEnabled: false });
  for (let fall = 0; fall < 13; fall++) {
    await home.fall();
    await world.pass(SECOND);
  }
  await world.pass(122 * SECOND);
  const mails = mailsTo(addressOf(home));
  expect(mails.filter((mail) => mail.startsWith('Nobody was notified:'))).toHaveLength(10);
  const lists = mails.filter((mail) => !mail.startsWith('Nobody was notified:'));
  expect(lists.length).toBeGreaterThan(0);
  await world.pass(601 * SECOND);
  const last = mailsTo(addressOf(home)).at(-1) ?? '';
  expect(last).toMatch(/^13 alarms without a response/);
  expect((await openAlarms(home)).flatMap(({ deferredTo = [] }) => deferredTo)).toEqual([]);
});

test('a refused email about a fall is resent a minute later', async () => {
  const home = await world.furnish();
  world.answerWith(({ by }) => by === 'email' && Promise.reject(new Error('the mail was not taken')));
  await manager(home);
  await createAlarm(home.client, receiver.url, 'fall_detected', { isEnabled: false });
  await home.fall();
  await world.pass(121 * SECOND);
  world.answerWith(() => {});
  await world.pass(50 * SECOND);
  expect(mailsTo(addressOf(home))).toEqual([]);
  await world.pass(20 * SECOND);
  expect(mailsTo(addressOf(home))).toEqual([expect.stringMatching(/^1 alarm without a response/)]);
  expect((await openAlarms(home)).flatMap(({ refusedTo = [] }) => refusedTo)).toEqual([]);
  await world.pass(600 * SECOND);
  expect(mailsTo(addressOf(home))).toHaveLength(1);
});

test('an address that refused emails for an hour receives only reminders', async () => {
  const home = await world.furnish();
  const attempts: string[] = [];
  world.answerWith(({ by, to }) => {
    if (by !== 'email' || to !== addressOf(home)) return;
    attempts.push(to);
    throw new Error('the mail was not taken');
  });
  await manager(home);
  await createAlarm(home.client, receiver.url, 'fall_detected', { isEnabled: false });
  await home.fall();
  await world.pass(121 * SECOND);
  for (let minutes = 0; minutes < 120; minutes += 10) await world.pass(601 * SECOND);
  // The email, a list sent at once and every ten minutes during the first hour, and two reminders.
  expect(attempts.length).toBeGreaterThan(6);
  expect(attempts.length).toBeLessThan(12);
  expect((await openAlarms(home)).flatMap(({ deferredTo = [] }) => deferredTo)).toEqual([]);
});

test('sends one email about sensors that go offline together', async () => {
  const home = await world.furnish();
  await manager(home);
  await createAlarm(home.client, receiver.url, 'sensor_inactive', { isEnabled: false });
  const sensors = await Promise.all(Array.from({ length: 40 }, () => linkSensor(home.client, 'maker_b')));
  const report = (isOnline: boolean) =>
    Promise.all(
      sensors.map(({ device, sensorId }) => device.ok('POST', `/devices/${sensorId}/messages`, b.online(isOnline))),
    );
  await report(true);
  await world.idle();
  await report(false);
  await world.idle();
  await world.pass(121 * SECOND);
  expect(await openAlarms(home)).toHaveLength(40);
  expect(mailsTo(addressOf(home))).toEqual([]);
  await world.pass(9 * SECOND);
  await world.pass(120 * SECOND);
  const [mail = '', ...more] = mailsTo(addressOf(home));
  expect(more).toEqual([]);
  expect(mail).toMatch(/^40 alarms without a response/);
});

test('managers get only one email even if the process dies after recording an alarm', async () => {
  const home = await world.furnish();
  await manager(home);
  await createAlarm(home.client, receiver.url, 'fall_detected', { isEnabled: false });
  await home.fall();
  crash.at('alarm.recorded');
  await world.pass(122 * SECOND);
  await world.pass(60 * SECOND);
  expect(crash.isOver()).toBe(true);
  expect(await openAlarms(home)).toMatchObject([{ isHandled: true, mailDate: expect.any(Number) }]);
  expect(mailsTo(addressOf(home))).toHaveLength(1);
});
