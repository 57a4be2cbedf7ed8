import { expect, inject, test } from 'vitest';
import { BREAKER_FAILURES } from '#shared/domain/delivery/breaker.ts';
import { CHECK_EVERY, MAX_PENDING } from '#shared/ingest/ingest.ts';
import { changes } from '#shared/store/engine/request.ts';
import { store } from '#shared/store/store.ts';
import { items } from '#shared/store/table.ts';
import { clientOf, logIn } from '../fixtures/client.ts';
import { createDeliveryWorld, LATE, ok, status } from '../fixtures/deliveries.ts';
import { eventually } from '../fixtures/eventually.ts';
import type { Statement } from '../fixtures/iam.ts';
import { createPeopleWorld } from '../fixtures/people.ts';
import { mailEvent, snsNotification } from '../fixtures/service-events.ts';
import { createAccount } from './account.ts';
import { readAssembly } from './assembly.ts';
import { filteredBy, metricsRead } from './metrics-read.ts';
import { latest } from './running.ts';

const { template } = readAssembly(inject('assembly'));

/** Returns the metrics that alarms or the dashboard read, but that neither functions nor metric filters write. */
const missingMetrics = (text: string, measured: ReadonlySet<string>): string[] => {
  const account = createAccount(JSON.parse(text), 'http://127.0.0.1');
  const written = new Set([...measured, ...filteredBy(account)]);
  return metricsRead(account).filter((metric) => !written.has(metric));
};

/**
 * Returns the metrics written when no one is on duty, the SMS quota is used up, SES rejects one email and returns
 * another, and no one acknowledges an alarm.
 */
const metricsOfPeople = async (): Promise<ReadonlySet<string>> => {
  const people = await createPeopleWorld({ log: () => {}, environment: { QUOTAS: '{"smsPerDay":0}' } });
  const { judge, measured } = latest();
  const { hire, rule, fall, sent, customerId } = await people.furnish();
  const { id: userId } = await hire('Anna', { email: 'anna@example.com', sms: '+491701234567' });
  const escalation = [{ afterSeconds: 30, recipients: [{ userId, by: 'email' }] }];
  await rule([{ onDuty: true, by: 'email' }, ...['sms', 'email'].map((by) => ({ userId, by }))], { escalation });
  await fall();
  const [accepted] = (await sent()).filter(({ state }) => state === 'delivered');
  const bounce = mailEvent('permanentBounce', { customerId, deliveryId: accepted?.id ?? '', attempt: 1 });
  const body = JSON.stringify(snsNotification(bounce));
  await people.queues.send('undeliverable', [{ body, groupId: 'any', delaySeconds: 0 }]);
  await people.idle();
  const restore = judge.withhold('deliver', ({ actions }) => !actions.includes('ses:SendEmail'));
  await fall();
  restore();
  judge.denied.length = 0;
  // Half a minute until the step, then a minute until its response is overdue.
  for (let halves = 0; halves < 4; halves++) await people.pass(31_000);
  await people.stop();
  return measured;
};

test('functions write every metric that an alarm or the dashboard reads', async () => {
  const { furnish, pass, answerWith, stop } = await createDeliveryWorld({
    log: () => {},
    // Functions may not call loopback, so feedback fails on its only attempt.
    environment: { MAKER_A_FEEDBACK_URL: 'https://127.0.0.1/feedback', RETRY_SCHEDULE: '0' },
  });
  const { url, measured, idle, runtime } = latest();
  const { fall } = await furnish({ retrySchedule: LATE });
  answerWith(status(500, 'no'));
  await fall();
  for (let retry = 0; retry < LATE.length; retry++) await pass(3_600_000);
  for (let failure = 0; failure < BREAKER_FAILURES; failure++) await fall();
  answerWith(ok);
  await (await furnish()).fall();
  const wrong = { username: 'nobody', password: 'a-wrong-password' };
  for (let guess = 0; guess < 12; guess++) await clientOf(url).call('POST', '/users/login', wrong);
  answerWith(status(410, 'no'));
  const { fall: leaves } = await furnish({ retrySchedule: [0, 3_600] });
  answerWith(status(410, 'no'));
  await leaves();
  await pass(121_000);
  await leaves();
  answerWith(ok);
  // Without permissions, `deliver` makes no attempt. The task keeps failing until after the check that someone was
  // notified.
  const { fall: late } = await furnish();
  const allowDeliver = latest().judge.withhold('deliver', () => false);
  await late();
  await pass(130_000);
  allowDeliver();
  await furnish({ url: null });
  await pass(660_000);
  const { client, session, say, sensorId } = await furnish();
  // The device's next request counts its pending calls.
  const { devices } = store(runtime.table);
  const link = await devices.linkOf(sensorId);
  const calls = MAX_PENDING.reports + CHECK_EVERY * 2 - 1;
  await runtime.table.update(items.device({ hash: link?.hash ?? '' }), changes({ set: { calls } }));
  const report = { type: 4, payload: { presenceDetected: true, timestamp: Date.now() } };
  await say(report);
  const { say: mumble } = await furnish();
  for (let message = 0; message < 12; message++) await mumble({ type: 99, payload: { message } });
  const opinion = { referenceDate: Date.now(), reason: 'dog', classification: 'FALSE_POSITIVE' };
  await client.ok('POST', `/sensors/${sensorId}/feedback`, opinion);
  const person = { username: 'a-nurse', password: 'a-long-password', firstName: 'A', lastName: 'B' };
  await session.ok('POST', '/users', { ...person, email: 'a@example.com' });
  const isNoMail = ({ actions }: Statement) => !actions.includes('ses:SendEmail');
  const { judge } = latest();
  const nurse = await logIn(clientOf(url), person.username, person.password);
  const isNoSms = ({ actions }: Statement) => !actions.includes('sms-voice:SendTextMessage');
  const allowSms = judge.withhold('channels', isNoSms);
  const refused = await nurse.call('PUT', '/users/me/channels/sms', { address: '+491701234567' });
  expect(refused.status).toBe(503);
  allowSms();
  // The permission is missing until both attempts to send the email have failed.
  const restore = judge.withhold('auth', isNoMail);
  await clientOf(url).ok('POST', '/users/password-reset', { username: person.username });
  // If the email fails only after the response was sent, the next request writes the metric.
  await eventually(async () => {
    await clientOf(url).call('POST', '/users/login', wrong);
    expect([...measured].join()).toContain('MailsFailed');
  });
  restore();
  await idle();
  judge.denied.length = 0;
  const all = new Set([...measured, ...(await metricsOfPeople())]);
  const text = JSON.stringify(template);
  expect(metricsRead(latest().account).length).toBeGreaterThan(10);
  expect(missingMetrics(text, all)).toEqual([]);

  // Planted errors: a missing filter, a wrong metric name in an alarm, a graph and a filter, a wrong namespace and a
  // wrong dimension.
  const filters = Object.entries(template.Resources).filter(([, { Type }]) => Type === 'AWS::Logs::MetricFilter');
  for (const [id] of filters) {
    const { [id]: _, ...Resources } = template.Resources;
    expect([id, missingMetrics(JSON.stringify({ ...template, Resources }), all)]).not.toEqual([id, []]);
  }
  expect(filters.length).toBeGreaterThan(0);
  for (const [name, other] of [
    ['"AttemptsLate"', '"TimeToFirstTry"'],
    ['\\"RuleHits\\"', '\\"Hits\\"'],
    ['"MetricName":"ThrottledConsoleCalls","Namespace"', '"MetricName":"Throttled","Namespace"'],
    ['"Namespace":"SensorCloud-dev"', '"Namespace":"SensorCloud"'],
    ['"Value":"sensor-cloud"', '"Value":"other"'],
  ] as const)
    expect([name, missingMetrics(text.replaceAll(name, other), all)]).not.toEqual([name, []]);
  await stop();
});
