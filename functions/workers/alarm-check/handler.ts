import { noAlarmRecipientsMail } from '#shared/domain/people/no-alarm-recipients-mail.ts';
import { alarmRecipients } from '#shared/domain/people/subscription.ts';
import type { Deps } from '#shared/runtime/deps.ts';
import { onSchedule } from '#shared/worker/on-host.ts';
import { alarmCheck } from './contract.ts';

type CheckDeps = Deps<(typeof alarmCheck)['uses'][number]>;
type Recipients = ReturnType<typeof alarmRecipients>;

/** The number of emails a single run has time to send. */
const MAX_MAILS = 20;

/** Emails the system admins who have an address, because an alarm about missing subscriptions would reach no one. */
const mailAdmins = async ({ store, mail, settings }: CheckDeps): Promise<void> => {
  if (settings.MAIL_SENDER === '') return;
  const users = await store.users.list(null);
  const admins = users.filter(({ isAdmin, canLogin, email }) => isAdmin && canLogin && email !== '');
  const details = { service: settings.SERVICE_NAME, url: settings.PUBLIC_URL, runbook: settings.RUNBOOK_URL };
  await Promise.all(
    admins.slice(0, MAX_MAILS).map(({ email, locale }) => {
      const { subject, text } = noAlarmRecipientsMail(locale, details);
      return mail(email, subject, text);
    }),
  );
};

/** Once a day, measures whether anyone receives alarms, and warns if no one does. */
const reportRecipients = async (deps: CheckDeps, { confirmed, waking }: Recipients): Promise<void> => {
  const { measure, log } = deps;
  measure('AlarmSubscriptions', confirmed.length);
  measure('AlarmPagers', waking.length);
  const counts = { confirmed: confirmed.length, waking: waking.length };
  if (waking.length > 0) return log('info', 'alarms have subscribers, not only by email', counts);
  if (confirmed.length > 0) return log('warn', 'alarms are sent by email only, which wakes nobody', counts);
  log('warn', 'nobody has confirmed a subscription to alarms', counts);
  await mailAdmins(deps);
};

/** Sends the active alarms, except the one about missing subscriptions, which a new subscription ends. */
const sendActiveAlarms = async ({ activeAlarms, sendAlarm, log }: CheckDeps): Promise<void> => {
  const alarms = (await activeAlarms()).filter(({ metric }) => metric !== 'AlarmSubscriptions');
  for (const alarm of alarms) await sendAlarm(alarm);
  log('info', 'the alarms that are on were sent to new subscribers', { alarms: alarms.map(({ name }) => name) });
};

/** The maximum number of subscriptions to compare. Beyond that, some new subscriptions may go unnoticed. */
const MAX_KNOWN = 100;
const DAY_MS = 86_400_000;
const dayOf = (time: number): number => Math.floor(time / DAY_MS);

const checkAlarms = async (deps: CheckDeps): Promise<void> => {
  const { subscriptions, store, now } = deps;
  const [recipients, last] = [alarmRecipients(await subscriptions()), await store.alarmSubscribers.get()];
  const before = last?.known ?? [];
  const reported = last?.reported ?? 0;
  const ids = recipients.confirmed.map(({ id }) => id);
  const known = ids.sort().slice(0, MAX_KNOWN);
  const isNew = known.some((id) => !before.includes(id));
  const isDue = dayOf(now()) > dayOf(reported);
  if (isNew) await sendActiveAlarms(deps);
  if (isDue) await reportRecipients(deps, recipients);
  // Written last, so failed runs are repeated. Sending an alarm twice is better than not sending it at all.
  if (isNew || isDue || known.length < before.length)
    await store.alarmSubscribers.put({ known, reported: isDue ? now() : reported });
};

export const handler = onSchedule(alarmCheck, () => checkAlarms);
