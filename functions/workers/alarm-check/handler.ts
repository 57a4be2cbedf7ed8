import { alarmMail } from '#shared/domain/people/alarm-mail.ts';
import { toldOf } from '#shared/domain/people/subscription.ts';
import type { Deps } from '#shared/runtime/deps.ts';
import { onSchedule } from '#shared/worker/on-host.ts';
import { alarmCheck } from './contract.ts';

type CheckDeps = Deps<(typeof alarmCheck)['uses'][number]>;

/** A run has time for so many mails. */
const MOST_MAILS = 20;

/** Mails to the system admins who have an address: the alarm that nobody is told of alarms reaches nobody either. */
const mailAdmins = async ({ store, mail, settings }: CheckDeps): Promise<void> => {
  if (settings.MAIL_SENDER === '') return;
  const users = await store.users.list(null);
  const admins = users.filter(({ isAdmin, canLogin, email }) => isAdmin && canLogin && email !== '');
  const about = { service: settings.SERVICE_NAME, url: settings.PUBLIC_URL, runbook: settings.RUNBOOK_URL };
  await Promise.all(
    admins.slice(0, MOST_MAILS).map(({ email, locale }) => {
      const { subject, text } = alarmMail(locale, about);
      return mail(email, subject, text);
    }),
  );
};

const checkAlarms = async (deps: CheckDeps): Promise<void> => {
  const { subscriptions, measure, log } = deps;
  const { confirmed, waking } = toldOf(await subscriptions());
  measure('AlarmSubscriptions', confirmed.length);
  measure('AlarmPagers', waking.length);
  const counts = { confirmed: confirmed.length, waking: waking.length };
  if (waking.length > 0) return log('info', 'alarms are told, and not by e-mail alone', counts);
  if (confirmed.length > 0) return log('warn', 'alarms are told by e-mail alone, which wakes nobody', counts);
  log('warn', 'nobody has confirmed to be told of alarms', counts);
  await mailAdmins(deps);
};

export const handler = onSchedule(alarmCheck, () => checkAlarms);
