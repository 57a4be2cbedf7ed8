import { expect, inject, test } from 'vitest';
import { BREAKER_FAILURES } from '../../shared/domain/breaker.ts';
import { clientOf } from '../fixtures/client.ts';
import { createDeliveryWorld, LATE, ok, status } from '../fixtures/deliveries.ts';
import { createAccount } from './account.ts';
import { readAssembly } from './assembly.ts';
import { askedFor, filteredBy } from './measured.ts';
import { latest } from './running.ts';

const { template } = readAssembly(inject('assembly'));
/** What alarms and the dashboard read, and neither the functions nor a filter on a log make. */
const absent = (text: string, measured: ReadonlySet<string>): string[] => {
  const account = createAccount(JSON.parse(text), 'http://127.0.0.1');
  const made = new Set([...measured, ...filteredBy(account)]);
  return askedFor(account).filter((metric) => !made.has(metric));
};

test('every metric of ours that an alarm or the dashboard reads is one that the bundles write, by namespace and dimensions', async () => {
  const { furnish, pass, answerWith, stop } = await createDeliveryWorld({ log: () => {} });
  const { url, measured, idle } = latest();
  const { fall } = await furnish({ retrySchedule: LATE });
  answerWith(status(500, 'no'));
  await fall();
  for (let retry = 0; retry < LATE.length; retry++) await pass(3_600_000);
  for (let failure = 0; failure < BREAKER_FAILURES; failure++) await fall();
  answerWith(ok);
  await (await furnish()).fall();
  const wrong = { username: 'nobody', password: 'a-wrong-password' };
  for (let guess = 0; guess < 12; guess++) await clientOf(url).call('POST', '/users/login', wrong);
  await idle();
  const text = JSON.stringify(template);
  expect(askedFor(latest().account).length).toBeGreaterThan(10);
  expect(absent(text, measured)).toEqual([]);

  // Planted: the metric of an alarm, of a graph and of a filter under another name; another namespace; no dimension.
  for (const [name, other] of [
    ['"TimeToFirstAttempt"', '"TimeToFirstTry"'],
    ['\\"RuleHits\\"', '\\"Hits\\"'],
    ['"MetricName":"ThrottledDeviceCalls"', '"MetricName":"Throttled"'],
    ['"Namespace":"SensorCloud-dev"', '"Namespace":"SensorCloud"'],
    ['"Value":"sensor-cloud"', '"Value":"other"'],
  ] as const)
    expect([name, absent(text.replaceAll(name, other), measured)]).not.toEqual([name, []]);
  await stop();
});
