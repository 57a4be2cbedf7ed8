import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { handler } from '#functions/workers/alarm-check/handler.ts';
import { systemClock } from '#lib/local/clock.ts';
import type { Cloud } from '#lib/local/cloud.ts';
import { lambdaContext } from '#lib/local/lambda/invocation.ts';
import type { ActiveAlarm } from '#shared/domain/people/active-alarm.ts';
import type { Subscription } from '#shared/domain/people/subscription.ts';
import type { Measured } from '#shared/observability/metrics.ts';
import { noAlarms } from '#shared/runtime/deps.ts';
import { ADMIN_PASSWORD, startTestCloud } from '#test/fixtures/cloud.ts';
import { adminOf } from '#test/fixtures/home.ts';

let cloud: Cloud;
const email = 'boss@example.com';
beforeAll(async () => {
  cloud = await startTestCloud();
  const admin = await adminOf(cloud.url);
  const me = await admin.ok<{ id: number }>('GET', '/users/me');
  const profile = { firstName: 'A', lastName: 'B', telegramId: null, mobileNumber: null, locale: 'de' };
  await admin.ok('PUT', `/users/${me.id}`, { ...profile, email, currentPassword: ADMIN_PASSWORD });
  const { id: customerId } = await admin.ok<{ id: number }>('POST', '/customers', { name: 'n', location: '', email });
  // These users get no email: they belong to a customer, are no system admin, may not log in, or have no address.
  const person = { password: 'a-long-password', firstName: 'A', lastName: 'B', permissions: [] };
  const create = (username: string, userCustomerId: number | null, address = `${username}@example.com`) =>
    admin.ok<{ id: number }>('POST', '/users', { ...person, username, customerId: userCustomerId, email: address });
  await create('nurse', customerId);
  await create('guest', null);
  const { id: lockedId } = await create('locked', null);
  await admin.ok('PUT', `/users/${lockedId}/access`, { canLogin: false, permissions: [], isAdmin: true });
  const { id: silentId } = await create('silent', null, '');
  await admin.ok('PUT', `/users/${silentId}/access`, { canLogin: true, permissions: [], isAdmin: true });
});
afterAll(() => cloud.stop());

type World = {
  subscriptions: readonly Subscription[] | Error;
  active?: readonly ActiveAlarm[];
  sender?: string;
  at?: number;
  /** The alarm that SNS rejects. */
  rejected?: string;
};
/** Runs the check as AWS does. Returns the log lines, emails, metrics and alarms sent. */
const run = async ({ subscriptions, active = [], sender = 'cloud@example.org', at = now, rejected }: World) => {
  const [lines, mails, sent]: [string[], string[], string[]] = [[], [], []];
  const measured: Measured[] = [];
  const { runtime } = cloud;
  const check = handler.with({
    ...runtime,
    now: () => at,
    settings: {
      ...runtime.settings,
      MAIL_SENDER: sender,
      SERVICE_NAME: 'Elm',
      PUBLIC_URL: 'https://elm.example.org',
      RUNBOOK_URL: 'https://wiki.example.org/runbook',
    },
    alarms: {
      ...noAlarms,
      subscriptions: async () => {
        if (subscriptions instanceof Error) throw subscriptions;
        return subscriptions;
      },
      active: async () => active,
      send: async ({ name }) => {
        if (name === rejected) throw new Error('SNS rejects it');
        sent.push(name);
      },
    },
    mail: async (...mail) => void mails.push(mail.join('\n')),
    log: (level, message) => void lines.push(`${level}: ${message}`),
    metrics: { measure: (...call: readonly unknown[]) => void measured.push(call as never), flush: async () => {} },
  });
  const context = lambdaContext({ functionName: 'alarm-check', timeoutSeconds: 30, clock: systemClock });
  const failed = await check({} as never, context).then(
    () => null,
    (error: unknown) => error,
  );
  return { lines, mails, measured, sent, failed };
};
let now = Date.UTC(2026, 10, 29, 14);
/** A day later, the check reports again. */
beforeEach(() => {
  now += 86_400_000;
});
let count = 0;
const subscription = (protocol: string, isConfirmed: boolean): Subscription => {
  count += 1;
  return { id: isConfirmed ? `id-${count}` : '', protocol, endpoint: 'x', isConfirmed };
};
const alarm = (name: string, metric: string | null = null): ActiveAlarm => ({
  arn: `arn:aws:cloudwatch:eu-central-1:123456789012:alarm:${name}`,
  name,
  description: 'd',
  reason: 'r',
  since: now,
  metric,
});
const counted = (confirmed: number, waking: number) => [
  ['AlarmSubscriptions', confirmed],
  ['AlarmPagers', waking],
];

test('emails system admins until someone confirms an alarm subscription', async () => {
  const { lines, mails, measured } = await run({
    subscriptions: [subscription('email', false), subscription('https', false)],
  });
  expect(lines).toEqual(['warn: nobody has confirmed a subscription to alarms']);
  expect(measured).toEqual(counted(0, 0));
  expect(mails).toEqual([
    expect.stringMatching(
      /^boss@example\.com\nNiemand erhält Alarme: Elm\n.*elm\.example.*wiki\.example\.org\/runbook#alarms-unheard/,
    ),
  ]);
});

test('emails the system admins when the alarm topic has no subscription', async () => {
  expect(await run({ subscriptions: [] })).toMatchObject({
    measured: counted(0, 0),
    mails: [expect.stringContaining(email)],
  });
});

test('sends no email about missing alarm subscriptions in a stage without email', async () => {
  expect(await run({ subscriptions: [], sender: '' })).toMatchObject({
    measured: counted(0, 0),
    mails: [],
    failed: null,
  });
});

test('warns only in the log when alarms are sent by email only', async () => {
  const { lines, mails, measured } = await run({
    subscriptions: [subscription('email', true), subscription('sms', false)],
  });
  expect(lines).toContain('warn: alarms are sent by email only, which wakes nobody');
  expect(mails).toEqual([]);
  expect(measured).toEqual(counted(1, 0));
});

test('does not warn once a pager or phone has confirmed an alarm subscription', async () => {
  const { lines, mails, measured } = await run({
    subscriptions: [subscription('email', true), subscription('https', true)],
  });
  expect(lines).toContain('info: alarms have subscribers, not only by email');
  expect(mails).toEqual([]);
  expect(measured).toEqual(counted(2, 1));
});

test('records no metrics if alarm subscriptions cannot be read', async () => {
  const { measured, failed } = await run({ subscriptions: new Error('SNS does not respond') });
  expect([measured, failed]).toEqual([[], expect.objectContaining({ message: 'SNS does not respond' })]);
});

test('sends each active alarm only once when a subscription is confirmed', async () => {
  const active = [alarm('canary-silent'), alarm('alarms-unheard', 'AlarmSubscriptions'), alarm('messages-absent')];
  const confirmed = subscription('email', true);
  const pending = await run({ subscriptions: [subscription('email', false)], active });
  expect([pending.sent, pending.measured]).toEqual([[], counted(0, 0)]);
  const minutes = (passed: number) => ({ subscriptions: [confirmed], active, at: now + passed * 60_000 });
  const [first, second] = [await run(minutes(10)), await run(minutes(20))];
  // The new subscription ends the alarm about missing subscriptions.
  expect([first.sent, second.sent]).toEqual([['canary-silent', 'messages-absent'], []]);
  expect([first.measured, second.measured, second.lines]).toEqual([[], [], []]);
  expect(first.lines).toEqual(['info: the alarms that are on were sent to new subscribers']);
});

test('sends the active alarms again when another subscription is confirmed', async () => {
  const [email, pager, phone] = [subscription('email', true), subscription('https', true), subscription('sms', true)];
  const sentTo = async (...subscriptions: Subscription[]) =>
    (await run({ subscriptions, active: [alarm('canary-silent')] })).sent.length;
  expect(await sentTo(email)).toBe(1);
  expect(await sentTo(email, pager)).toBe(1);
  expect(await sentTo(pager, email)).toBe(0);
  expect(await sentTo(email)).toBe(0);
  expect(await sentTo(email, pager)).toBe(1);
  expect(await sentTo(email, phone)).toBe(1);
});

test('resends alarms in the next run if SNS rejected them', async () => {
  const world = { subscriptions: [subscription('email', true)], active: [alarm('falls-late'), alarm('canary-silent')] };
  const failed = await run({ ...world, rejected: 'canary-silent' });
  expect([failed.sent, failed.failed]).toEqual([
    ['falls-late'],
    expect.objectContaining({ message: 'SNS rejects it' }),
  ]);
  expect((await run(world)).sent).toEqual(['falls-late', 'canary-silent']);
  expect((await run(world)).sent).toEqual([]);
});

test('does not check alarm subscriptions on the local host', async () => {
  await cloud.sweep();
  expect(cloud.valuesOf('AlarmSubscriptions')).toEqual([]);
});
