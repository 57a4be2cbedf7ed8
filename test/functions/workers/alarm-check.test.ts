import { afterAll, beforeAll, expect, test } from 'vitest';
import { handler } from '#functions/workers/alarm-check/handler.ts';
import { systemClock } from '#lib/local/clock.ts';
import type { Cloud } from '#lib/local/cloud.ts';
import { lambdaContext } from '#lib/local/lambda/invocation.ts';
import type { Subscription } from '#shared/domain/people/subscription.ts';
import type { Measured } from '#shared/observability/metrics.ts';
import { startTestCloud } from '#test/fixtures/cloud.ts';
import { adminOf } from '#test/fixtures/home.ts';

let cloud: Cloud;
const email = 'boss@example.com';
beforeAll(async () => {
  cloud = await startTestCloud();
  const admin = await adminOf(cloud.url);
  const me = await admin.ok<{ id: number }>('GET', '/users/me');
  const profile = { firstName: 'A', lastName: 'B', telegramId: null, mobileNumber: null, locale: 'de' };
  await admin.ok('PUT', `/users/${me.id}`, { ...profile, email });
  const { id: customerId } = await admin.ok<{ id: number }>('POST', '/customers', { name: 'n', location: '', email });
  // Who gets no mail: somebody of a customer, somebody of none who is no system admin, and one who may not log in.
  const person = { password: 'a-long-password', firstName: 'A', lastName: 'B', permissions: [] };
  const create = (username: string, of: number | null) =>
    admin.ok<{ id: number }>('POST', '/users', {
      ...person,
      username,
      customerId: of,
      email: `${username}@example.com`,
    });
  await create('nurse', customerId);
  await create('guest', null);
  const { id: lockedId } = await create('locked', null);
  await admin.ok('PUT', `/users/${lockedId}/access`, { canLogin: false, permissions: [], isAdmin: true });
});
afterAll(() => cloud.stop());

/** A run in AWS, where the topic has these subscriptions: what was logged and measured, and the mails. */
const run = async (all: readonly Subscription[] | Error, MAIL_SENDER = 'cloud@example.org') => {
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
      if (all instanceof Error) throw all;
      return all;
    },
    mail: async (...letter) => void mails.push(letter.join('\n')),
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

test('when nobody has confirmed, it says so, and mails the system admins, in their language', async () => {
  const { lines, mails, measured } = await run([subscription('email', false), subscription('https', false)]);
  expect(lines).toEqual(['warn: nobody has confirmed to be told of alarms']);
  expect(measured).toEqual(counted(0, 0));
  expect(mails).toEqual([
    expect.stringMatching(
      /^boss@example\.com\nNiemand erhält Alarme: Elm\n.*elm\.example.*wiki\.example\.org\/runbook#alarms-unheard/,
    ),
  ]);
});

test('a topic without any subscription is told of the same way', async () => {
  expect(await run([])).toMatchObject({ measured: counted(0, 0), mails: [expect.stringContaining(email)] });
});

test('a stage that sends no mails has none sent', async () => {
  expect(await run([], '')).toMatchObject({ measured: counted(0, 0), mails: [], failed: null });
});

test('an e-mail alone is told of in the log, and by no mail', async () => {
  const { lines, mails, measured } = await run([subscription('email', true), subscription('sms', false)]);
  expect([lines, mails]).toEqual([['warn: alarms are told by e-mail alone, which wakes nobody'], []]);
  expect(measured).toEqual(counted(1, 0));
});

test('a pager or a phone that has confirmed is all that is wanted', async () => {
  const { lines, mails, measured } = await run([subscription('email', true), subscription('https', true)]);
  expect([lines, mails]).toEqual([['info: alarms are told, and not by e-mail alone'], []]);
  expect(measured).toEqual(counted(2, 1));
});

test('what could not be looked at counts as nothing: the run fails, and measures no number', async () => {
  const { measured, failed } = await run(new Error('SNS is silent'));
  expect([measured, failed]).toEqual([[], expect.objectContaining({ message: 'SNS is silent' })]);
});

test('it does not run on the local host, which has no topic', async () => {
  await cloud.sweep();
  expect(cloud.valuesOf('AlarmSubscriptions')).toEqual([]);
});
