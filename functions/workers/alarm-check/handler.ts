import { noAlarmRecipientsMail } from '#shared/domain/people/no-alarm-recipients-mail.ts';
import { alarmRecipients } from '#shared/domain/people/subscription.ts';
import type { Deps } from '#shared/runtime/deps.ts';
import { onSchedule } from '#shared/worker/on-host.ts';
import { alarmCheck } from './contract.ts';

type CheckDeps = Deps<(typeof alarmCheck)['uses'][number]>;

/** The most mails that one run has time for. */
const MAX_MAILS = 20;

/** Mails the system admins who have an address, because an alarm about missing subscriptions would reach nobody. */
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

const checkAlarms = async (deps: CheckDeps): Promise<void> => {
  const { subscriptions, measure, log } = deps;
  const { confirmed, waking } = alarmRecipients(await subscriptions());
  measure('AlarmSubscriptions', confirmed.length);
  measure('AlarmPagers', waking.length);
  const counts = { confirmed: confirmed.length, waking: waking.length };
  if (waking.length > 0) return log('info', 'alarms have subscribers, not only by email', counts);
  if (confirmed.length > 0) return log('warn', 'alarms are sent by email only, which wakes nobody', counts);
  log('warn', 'nobody has confirmed a subscription to alarms', counts);
  await mailAdmins(deps);
};

export const handler = onSchedule(alarmCheck, () => checkAlarms);
