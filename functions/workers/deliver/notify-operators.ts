import { operatorMessage } from '#shared/domain/people/operator-message.ts';
import type { UnnotifiedAlarm } from '#shared/store/rules/unnotified-alarm.ts';
import type { DeliverDeps } from './deps.ts';

const HOUR_SECONDS = 3_600;
/**
 * How long (s) other workers leave a report to the worker that began it. If that worker dies, the task is retried
 * later.
 */
const CLAIM_SECONDS = 20;

/**
 * Notifies the service operators of alarms that reached no one, at most once an hour per customer. A CloudWatch alarm
 * that is already on would hide further alarms. Alarms beyond the limit are reported with the reminders. A report
 * counts only once it has been sent, so if the worker dies, the report is sent twice rather than an hour late.
 */
export const notifyOperators = async (
  deps: DeliverDeps,
  customerId: number,
  open: readonly UnnotifiedAlarm[],
): Promise<void> => {
  const { store, settings, now, log } = deps;
  const { SERVICE_NAME: service, RUNBOOK_URL: runbook, ALARM_TOPIC_ARN: topic } = settings;
  const fresh = open.filter(({ isUnanswered, reportDate }) => !isUnanswered && reportDate === undefined);
  if (topic === '' || fresh.length === 0) return;
  const subject = `operators:${customerId}`;
  const claim = `operators-claim:${customerId}`;
  const time = now();
  if (!(await store.limits.take(claim, 1, CLAIM_SECONDS, time))) return;
  if (!(await store.limits.mayTake(subject, 1, HOUR_SECONDS, time))) return;
  const situations = fresh.map(({ situation }) => situation);
  const message = operatorMessage({ service, runbook, customerId, situations });
  try {
    await deps.notifyOperators(message.subject, message.text);
  } catch (error) {
    await store.limits.giveBack(claim, time);
    throw error;
  }
  deps.failpoint('operators.notified');
  await store.limits.take(subject, 1, HOUR_SECONDS, now());
  log('info', 'the operators were notified of alarms that reached nobody', { customerId, alarms: fresh.length });
  for (const alarm of fresh) await store.unnotified.recordReport(alarm, now());
};
