import { afterAll, beforeAll, expect, test } from 'vitest';
import { handler } from '#functions/workers/alarm-check/handler.ts';
import { systemClock } from '#lib/local/clock.ts';
import type { Cloud } from '#lib/local/cloud.ts';
import { lambdaContext } from '#lib/local/lambda/invocation.ts';
import type { Subscription } from '#shared/domain/people/subscription.ts';
import type { Measured } from '#shared/observability/metrics.ts';
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
  // These users get no mail: one of a customer, one who is not a system admin, and one who may not log in.
  const person = { password: 'a-long-password', firstName: 'A', lastName: 'B', permissions: [] };
  const create = (username: string, userCustomerId: number | null) =>
    admin.ok<{ id: number }>('POST', '/users', {
      ...person,
      username,
      customerId: userCustomerId,
      email: `${username}@example.com`,
    });
  await create('nurse', customerId);
  await create('guest', null);
  const { id: lockedId } = await create('locked', null);
  await admin.ok('PUT', `/users/${lockedId}/access`, { canLogin: false, permissions: [], isAdmin: true });
});
afterAll(() => cloud.stop());

/** Runs the check as in AWS, with these subscriptions of the topic. Returns its log lines, mails and metrics. */
const run = async (subscriptions: readonly Subscription[] | Error, MAIL_SENDER = 'cloud@example.org') => {
  const [lines, mails]: [string[], string[]] = [[], []];
  const measured: Measured[] = [];
  const { runtime } = cloud;
  const check = handler.with({
    ...runtime,
    settings: {
      ...runtime.settings,
      MAIL_SENDER,
      SERVICE_NAME: 'Elm',
      PUBLIC_URL: 'https://elm.example.org',
      RUNBOOK_URL: 'https://wiki.example.org/runbook',
    },
    subscriptions: async () => {
      if (subscriptions instanceof Error) throw subscriptions;
      return subscriptions;
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
  return { lines, mails, measured, failed };
};
const subscription = (protocol: string, isConfirmed: boolean) => ({ protocol, endpoint: 'x', isConfirmed });
const counted = (confirmed: number, waking: number) => [
  ['AlarmSubscriptions', confirmed],
  ['AlarmPagers', waking],
];

test('warns, and mails the system admins in their language, while nobody has confirmed a subscription to alarms', async () => {
  const { lines, mails, measured } = await run([subscription('email', false), subscription('https', false)]);
  expect(lines).toEqual(['warn: nobody has confirmed a subscription to alarms']);
  expect(measured).toEqual(counted(0, 0));
  expect(mails).toEqual([
    expect.stringMatching(
      /^boss@example\.com\nNiemand erhält Alarme: Elm\n.*elm\.example.*wiki\.example\.org\/runbook#alarms-unheard/,
    ),
  ]);
});

test('mails the system admins when the topic of alarms has no subscription', async () => {
  expect(await run([])).toMatchObject({ measured: counted(0, 0), mails: [expect.stringContaining(email)] });
});

test('sends no mail about missing alarm subscriptions in a stage without email', async () => {
  expect(await run([], '')).toMatchObject({ measured: counted(0, 0), mails: [], failed: null });
});

test('warns only in the log when alarms are sent by email only', async () => {
  const { lines, mails, measured } = await run([subscription('email', true), subscription('sms', false)]);
  expect([lines, mails]).toEqual([['warn: alarms are sent by email only, which wakes nobody'], []]);
  expect(measured).toEqual(counted(1, 0));
});

test('does not warn when a pager or phone has confirmed its subscription to alarms', async () => {
  const { lines, mails, measured } = await run([subscription('email', true), subscription('https', true)]);
  expect([lines, mails]).toEqual([['info: alarms have subscribers, not only by email'], []]);
  expect(measured).toEqual(counted(2, 1));
});

test('fails and measures nothing when alarm subscriptions cannot be read', async () => {
  const { measured, failed } = await run(new Error('SNS does not respond'));
  expect([measured, failed]).toEqual([[], expect.objectContaining({ message: 'SNS does not respond' })]);
});

test('does not check alarm subscriptions on the local host, which has no topic', async () => {
  await cloud.sweep();
  expect(cloud.valuesOf('AlarmSubscriptions')).toEqual([]);
});
