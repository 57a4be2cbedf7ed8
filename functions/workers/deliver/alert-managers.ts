import { situationText } from '#shared/api/messages/situation-text.ts';
import { asText } from '#shared/domain/formats/plain-text.ts';
import { hasPermission } from '#shared/domain/identity/permission.ts';
import {
  type MailedAlarm,
  type UnnotifiedCause,
  unnotifiedListMail,
  unnotifiedMail,
} from '#shared/domain/people/unnotified-mail.ts';
import { isAboutSensor } from '#shared/domain/rule/alarm.ts';
import { isFuture } from '#shared/domain/state/clock.ts';
import { dateTimeAndZone } from '#shared/domain/time/wall-time.ts';
import type { UnnotifiedAlarm } from '#shared/store/rules/unnotified-alarm.ts';
import { type DeliverDeps, leaseToken } from './deps.ts';
import { notifyOperators } from './notify-operators.ts';

const HOUR_SECONDS = 3_600;
const HOUR_MS = HOUR_SECONDS * 1_000;
/** How many mails about alarms a person gets within an hour, not counting lists. */
const MAX_PER_HOUR = 10;
/** The shortest time (s) between two lists of alarms for a person who had too many mails. */
const LIST_SECONDS = 600;
/** The shortest time (s) between two mails about offline sensors. */
const SENSORS_SECONDS = 60;
/** How many hourly reminders follow the first mail about an alarm. */
const MAX_REMINDERS = 24;
/** How long (ms) an alarm is claimed while its mails are sent. If this process dies, another one sends them afterwards. */
const CLAIM_MS = 30_000;
/** The maximum number of people that an invocation has time to mail. */
const MAX_MANAGERS = 20;

/** Somebody who can help, with an address for mails. */
type Manager = { userId: number; locale: string; address: string; mayManageRules: boolean };

/** What the mails of a customer have in common. */
type MailContext = {
  deps: DeliverDeps;
  customerId: number;
  customer: string;
  managers: readonly Manager[];
  open: readonly UnnotifiedAlarm[];
  describe: (alarm: UnnotifiedAlarm, locale: string) => Promise<MailedAlarm>;
};

/** Returns the users who may manage rules and can be mailed, each with the verified address, or else that of the account. */
const managersOf = async ({ store, settings }: DeliverDeps, customerId: number): Promise<Manager[]> => {
  if (settings.MAIL_SENDER === '') return [];
  const users = (await store.users.list(customerId)).filter((user) => user.canLogin);
  const found = users.map(async (user) => {
    const channels = await store.channels.verifiedOf({ customerId, userId: user.id });
    const verified = channels.flatMap((channel) => (channel.by === 'email' ? channel.address : []))[0];
    const mayManageRules = hasPermission(user, 'manage_rules');
    return { userId: user.id, locale: user.locale, address: verified ?? user.email, mayManageRules };
  });
  return (await Promise.all(found))
    .filter(({ address, mayManageRules }) => address !== '' && mayManageRules)
    .slice(0, MAX_MANAGERS);
};

const contextOf = async (
  deps: DeliverDeps,
  customerId: number,
  open: readonly UnnotifiedAlarm[],
): Promise<MailContext> => {
  const { store } = deps;
  const [customer, managers, sensors] = await Promise.all([
    store.customers.get(customerId),
    managersOf(deps, customerId),
    store.sensors.getAll(customerId, [...new Set(open.map(({ sensorId }) => sensorId))]),
  ]);
  const names = new Map(sensors.map(({ id, name }) => [id, name]));
  const describe = async ({ sensorId, situation, createDate, isUnanswered }: UnnotifiedAlarm, locale: string) => ({
    isUnanswered: isUnanswered === true,
    sensor: asText(names.get(sensorId) ?? sensorId),
    situation: await situationText(locale, situation),
    time: dateTimeAndZone(createDate, customer?.timeZone ?? 'UTC'),
  });
  return { deps, customerId, customer: asText(customer?.name ?? ''), managers, open, describe };
};

/** Returns why nobody was notified. */
const causeOf = async ({ store }: DeliverDeps, alarm: UnnotifiedAlarm): Promise<UnnotifiedCause> => {
  const { customerId, hitId, webhookIds } = alarm;
  if (alarm.isUnanswered) return { kind: 'unanswered' };
  const hit = hitId === null ? null : await store.ruleHits.get(customerId, hitId);
  const webhooks = await Promise.all(webhookIds.map((webhookId) => store.webhooks.get(customerId, webhookId)));
  const named = hit?.messages.map(({ extra }) => extra.display_name) ?? webhooks.map((webhook) => webhook?.name ?? '');
  const receivers = [...new Set(named.filter((name) => name !== ''))].map(asText).join(', ');
  if (receivers !== '') return { kind: 'failed', receivers };
  return { kind: hit?.nobodyOnDuty ? 'nobody_on_duty' : 'no_recipient' };
};

/** Whether a person may get another mail within this hour. */
const mayMail = ({ deps, customerId }: MailContext, { userId }: Manager): Promise<boolean> =>
  deps.store.limits.take(`alarm-mails:${customerId}:${userId}`, MAX_PER_HOUR, HOUR_SECONDS, deps.now());

const claimAll = async ({ deps }: MailContext, alarms: readonly UnnotifiedAlarm[]): Promise<UnnotifiedAlarm[]> => {
  const claim = leaseToken(deps);
  const { store, now } = deps;
  const claimed: UnnotifiedAlarm[] = [];
  for (const alarm of alarms)
    if (await store.unnotified.claim(alarm, claim, now(), now() + CLAIM_MS)) claimed.push(alarm);
  return claimed;
};

/** Mails each manager, and returns the users who had too many mails, or whose mail was not accepted: they get a list later. */
const mailEach = async (
  context: MailContext,
  mailFor: (manager: Manager) => Promise<{ subject: string; text: string }>,
): Promise<number[]> => {
  const { deps, managers } = context;
  const deferred = managers.map(async (manager) => {
    if (!(await mayMail(context, manager))) return [manager.userId];
    const { subject, text } = await mailFor(manager);
    return (await deps.mail(manager.address, subject, text)) ? [] : [manager.userId];
  });
  return (await Promise.all(deferred)).flat();
};

/** Returns when (ms) people are next reminded of an alarm; null if never. */
const nextReminder = ({ isUnanswered }: UnnotifiedAlarm, lastMail: number): number | null =>
  isUnanswered ? null : lastMail + HOUR_MS;

const recordFirst = async ({ deps }: MailContext, alarms: readonly UnnotifiedAlarm[], deferredTo: number[]) => {
  const { store, now } = deps;
  for (const alarm of alarms) {
    const next = deferredTo.length > 0 ? now() + LIST_SECONDS * 1_000 : nextReminder(alarm, now());
    await store.unnotified.update(alarm, { mailDate: now(), deferredTo }, next);
  }
};

const listMailFor =
  ({ deps, customer, describe }: MailContext, alarms: readonly UnnotifiedAlarm[], isReminder: boolean) =>
  async ({ locale }: Manager) => {
    const named = await Promise.all(alarms.map((alarm) => describe(alarm, locale)));
    return unnotifiedListMail(locale, { alarms: named, isReminder, customer, url: deps.settings.PUBLIC_URL });
  };

/** Mails about each fall and each vital alarm separately. */
const mailAboutPeople = async (context: MailContext): Promise<void> => {
  const { deps, open, customer, describe } = context;
  const fresh = open.filter(({ mailDate, situation }) => mailDate === undefined && !isAboutSensor(situation));
  for (const alarm of fresh) {
    if ((await claimAll(context, [alarm])).length === 0) continue;
    const cause = await causeOf(deps, alarm);
    const deferredTo = await mailEach(context, async ({ locale }) =>
      unnotifiedMail(locale, await describe(alarm, locale), cause, { customer, url: deps.settings.PUBLIC_URL }),
    );
    await recordFirst(context, [alarm], deferredTo);
  }
};

/** Mails about all sensors at once, at most once a minute. */
const mailAboutSensors = async (context: MailContext): Promise<void> => {
  const { deps, customerId, open } = context;
  const fresh = open.filter(({ mailDate, situation }) => mailDate === undefined && isAboutSensor(situation));
  if (fresh.length === 0) return;
  const { limits } = deps.store;
  if (!(await limits.take(`alarm-sensors:${customerId}`, 1, SENSORS_SECONDS, deps.now()))) {
    // Each alarm has a task, and one of them is enough to wait for the next mail.
    if (await limits.take(`alarm-sensors-wait:${customerId}`, 1, SENSORS_SECONDS, deps.now()))
      await deps.enqueue([{ type: 'alert_managers', customerId }], { delaySeconds: SENSORS_SECONDS });
    return;
  }
  const claimed = await claimAll(context, fresh);
  if (claimed.length === 0) return;
  const deferredTo = await mailEach(context, listMailFor(context, claimed, false));
  await recordFirst(context, claimed, deferredTo);
};

/**
 * Sends a list of all open alarms to those who had too many mails, or got none because it was not accepted, at most every ten
 * minutes. After an hour only the reminders follow.
 */
const mailLists = async (context: MailContext): Promise<void> => {
  const { deps, customerId, managers } = context;
  const { store, now } = deps;
  const open = await store.unnotified.list(customerId);
  const waiting = new Set(open.flatMap(({ deferredTo = [] }) => deferredTo));
  if (waiting.size === 0) return;
  const mailed = new Set<number>();
  for (const userId of waiting) {
    const manager = managers.find((other) => other.userId === userId);
    // Users who may no longer manage rules get no list.
    if (!manager) mailed.add(userId);
    else if (await store.limits.take(`alarm-list:${customerId}:${userId}`, 1, LIST_SECONDS, now())) {
      const { subject, text } = await listMailFor(context, open, false)(manager);
      const isMailed = await deps.mail(manager.address, subject, text);
      const isRecent = open.some(
        ({ deferredTo = [], mailDate = 0 }) => deferredTo.includes(userId) && now() - mailDate < HOUR_MS,
      );
      if (isMailed || !isRecent) mailed.add(userId);
    }
  }
  for (const alarm of open.filter(({ deferredTo = [] }) => deferredTo.some((userId) => mailed.has(userId)))) {
    const deferredTo = alarm.deferredTo?.filter((userId) => !mailed.has(userId)) ?? [];
    const next = deferredTo.length > 0 ? now() + LIST_SECONDS * 1_000 : nextReminder(alarm, alarm.mailDate ?? now());
    await store.unnotified.update(alarm, { deferredTo }, next);
  }
};

/** Reminds everybody of all alarms that still reached nobody, once an hour. */
const remind = async (context: MailContext): Promise<void> => {
  const { deps, open, managers } = context;
  const { store, now } = deps;
  const known = open.filter(({ mailDate, isUnanswered }) => mailDate !== undefined && !isUnanswered);
  // A mail in the future was sent before the clock was set back: the next reminder must not wait for it.
  const past = (date: number): number => (isFuture(date, now()) ? 0 : date);
  const lastMail = (alarm: UnnotifiedAlarm): number => past(alarm.reminderDate ?? alarm.mailDate ?? 0);
  const due = known.filter((alarm) => (alarm.reminders ?? 0) < MAX_REMINDERS && lastMail(alarm) + HOUR_MS <= now());
  const lastReminder = Math.max(0, ...known.map(({ reminderDate = 0 }) => past(reminderDate)));
  if (due.length === 0 || lastReminder + HOUR_MS > now()) return;
  if ((await claimAll(context, due.slice(0, 1))).length === 0) return;
  for (const manager of managers) {
    const { subject, text } = await listMailFor(context, known, true)(manager);
    await deps.mail(manager.address, subject, text);
  }
  for (const alarm of known) {
    const reminders = (alarm.reminders ?? 0) + 1;
    const next = reminders < MAX_REMINDERS ? now() + HOUR_MS : null;
    await store.unnotified.update(alarm, { reminders, reminderDate: now() }, next);
  }
};

/** Brings the mails about alarms that reached nobody up to date. */
const mailManagers = async (deps: DeliverDeps, customerId: number, open: readonly UnnotifiedAlarm[]): Promise<void> => {
  const context = await contextOf(deps, customerId, open);
  await mailAboutPeople(context);
  await mailAboutSensors(context);
  await mailLists(context);
  await remind(context);
};

/**
 * Mails managers about alarms that reached nobody, and reports these to the operators. The alarms record what was sent, so
 * that after a crash a message may be sent twice, but is never lost.
 */
export const alertManagers = async (deps: DeliverDeps, customerId: number): Promise<void> => {
  const open = await deps.store.unnotified.list(customerId);
  if (open.length === 0) return;
  // The operators do not wait for mails: that the mail service hangs may be why nobody was notified.
  const sent = await Promise.allSettled([
    mailManagers(deps, customerId, open),
    notifyOperators(deps, customerId, open),
  ]);
  const errors = sent.flatMap((result) => (result.status === 'rejected' ? [result.reason as unknown] : []));
  // The worker logs only the one that is thrown.
  for (const error of errors.slice(1))
    deps.log('error', 'operators were not notified of alarms', { customerId }, error);
  if (errors.length > 0) throw errors[0];
};
