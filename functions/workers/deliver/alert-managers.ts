import { situationText } from '#shared/api/messages/situation-text.ts';
import { deliveryManagers, mayManage } from '#shared/domain/delivery/webhook-access.ts';
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
/** The maximum number of alarm emails to a person per hour, not counting lists. */
const MAX_PER_HOUR = 10;
/** Emails about sensors stop at this number, which leaves the rest of the limit for emails about people. */
const MAX_PER_HOUR_ABOUT_SENSORS = 5;
/** The minimum time (s) between alarm lists for a person who has received too many emails. */
const LIST_SECONDS = 600;
/** How often (s) a rejected email is resent. Mail servers often refuse the first attempt from a new sender. */
const RETRY_SECONDS = 60;
/** The minimum time (s) between emails about offline sensors. */
const SENSORS_SECONDS = 60;
/** How many hourly reminders follow the first email about an alarm. */
const MAX_REMINDERS = 24;
/**
 * How long (ms) an alarm is claimed while emails are sent. If this process dies, another process sends them after that
 * time.
 */
const CLAIM_MS = 30_000;

/** A user who can help, with an email address. */
type Manager = { userId: number; locale: string; address: string; isConcerned: (alarm: UnnotifiedAlarm) => boolean };

/** What all emails about one customer have in common. */
type MailContext = {
  deps: DeliverDeps;
  customerId: number;
  customer: string;
  managers: readonly Manager[];
  open: readonly UnnotifiedAlarm[];
  /** Whether the customer has the sensor behind an alarm. Without the sensor, an event alarm cannot be acknowledged. */
  hasSensor: (alarm: UnnotifiedAlarm) => boolean;
  describe: (alarm: UnnotifiedAlarm, locale: string) => Promise<MailedAlarm>;
};

/**
 * Returns the users who can be emailed, each at the verified address or, failing that, the account address. An alarm
 * concerns users who may manage rules, and users who may manage the webhooks that should have delivered it. If no one
 * may manage rules, every alarm concerns everyone who may manage webhooks.
 */
const managersOf = async ({ store, settings }: DeliverDeps, customerId: number): Promise<Manager[]> => {
  if (settings.MAIL_SENDER === '') return [];
  const users = await store.users.list(customerId);
  const managers = users.filter((user) => user.canLogin && deliveryManagers.some((may) => hasPermission(user, may)));
  const hasRuleManager = managers.some((user) => hasPermission(user, 'manage_rules'));
  const found = managers.map(async (user): Promise<Manager> => {
    const channels = await store.channels.verifiedOf({ customerId, userId: user.id });
    const verified = channels.flatMap((channel) => (channel.by === 'email' ? channel.address : []))[0];
    const isConcerned = ({ hitId, isToBots }: UnnotifiedAlarm): boolean =>
      !hasRuleManager ||
      hasPermission(user, 'manage_rules') ||
      (hitId === null && mayManage(user, { isCustomerHook: true })) ||
      (isToBots === true && mayManage(user, { isCustomerHook: false }));
    return { userId: user.id, locale: user.locale, address: verified ?? user.email, isConcerned };
  });
  return (await Promise.all(found)).filter(({ address }) => address !== '');
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
  const hasSensor = ({ sensorId }: UnnotifiedAlarm): boolean => names.has(sensorId);
  return { deps, customerId, customer: asText(customer?.name ?? ''), managers, open, hasSensor, describe };
};

/** Returns why no one was notified. */
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

/** Whether a person may get another email about an alarm in this hour. */
const mayMail = (
  { deps, customerId }: MailContext,
  { userId }: Manager,
  { situation }: UnnotifiedAlarm,
): Promise<boolean> => {
  const limit = isAboutSensor(situation) ? MAX_PER_HOUR_ABOUT_SENSORS : MAX_PER_HOUR;
  return deps.store.limits.take(`alarm-mails:${customerId}:${userId}`, limit, HOUR_SECONDS, deps.now());
};

/**
 * Whether a user may get a list now. The limit is one per minute after a rejected email, otherwise one per ten minutes.
 */
const mayList = ({ deps, customerId }: MailContext, userId: number, isRefused: boolean): Promise<boolean> => {
  const [subject, seconds] = isRefused
    ? (['alarm-retry', RETRY_SECONDS] as const)
    : (['alarm-list', LIST_SECONDS] as const);
  return deps.store.limits.take(`${subject}:${customerId}:${userId}`, 1, seconds, deps.now());
};

const claimAll = async ({ deps }: MailContext, alarms: readonly UnnotifiedAlarm[]): Promise<UnnotifiedAlarm[]> => {
  const claim = leaseToken(deps);
  const { store, now } = deps;
  const claimed: UnnotifiedAlarm[] = [];
  for (const alarm of alarms)
    if (await store.unnotified.claim(alarm, claim, now(), now() + CLAIM_MS)) claimed.push(alarm);
  return claimed;
};

/**
 * The users who get a list later, because they have received too many emails (`deferredTo`), or because an email was
 * rejected (`refusedTo`).
 */
type Listed = { deferredTo: number[]; refusedTo: number[] };
type MailFor = (manager: Manager, alarms: readonly UnnotifiedAlarm[]) => Promise<{ subject: string; text: string }>;

/** Emails each manager about the given alarms that concern that manager. The alarms must all be of the same kind. */
const mailEach = async (
  context: MailContext,
  alarms: readonly [UnnotifiedAlarm, ...UnnotifiedAlarm[]],
  mailFor: MailFor,
): Promise<Listed> => {
  const listed: Listed = { deferredTo: [], refusedTo: [] };
  const mailOne = async (manager: Manager): Promise<void> => {
    const own = alarms.filter(manager.isConcerned);
    if (own.length === 0) return;
    if (!(await mayMail(context, manager, alarms[0]))) return void listed.deferredTo.push(manager.userId);
    const { subject, text } = await mailFor(manager, own);
    if (await context.deps.mail(manager.address, subject, text)) return;
    listed.refusedTo.push(manager.userId);
    // Counts this attempt, so that it is not retried at once.
    await mayList(context, manager.userId, true);
  };
  await Promise.all(context.managers.map(mailOne));
  return listed;
};

/** Returns when (ms) the next reminder about an alarm is due, or null if none will be sent. */
const nextReminder = ({ isUnanswered }: UnnotifiedAlarm, lastMail: number): number | null =>
  isUnanswered ? null : lastMail + HOUR_MS;

/** Returns when (ms) the next email about an alarm is due, or null if none is due. */
const nextMail = (
  { deferredTo, refusedTo }: Listed,
  alarm: UnnotifiedAlarm,
  firstMail: number,
  now: number,
): number | null => {
  if (refusedTo.length > 0) return now + RETRY_SECONDS * 1_000;
  return deferredTo.length > 0 ? now + LIST_SECONDS * 1_000 : nextReminder(alarm, firstMail);
};

const recordFirst = async ({ deps }: MailContext, alarms: readonly UnnotifiedAlarm[], listed: Listed) => {
  const { store, now } = deps;
  for (const alarm of alarms)
    await store.unnotified.update(alarm, { mailDate: now(), ...listed }, nextMail(listed, alarm, now(), now()));
};

/** Returns alarms in list order: alarms about people before alarms about sensors, newest first within each kind. */
const byUrgency = (alarms: readonly UnnotifiedAlarm[]): UnnotifiedAlarm[] =>
  alarms.toSorted(
    (a, b) => Number(isAboutSensor(a.situation)) - Number(isAboutSensor(b.situation)) || b.createDate - a.createDate,
  );

const listMailFor =
  ({ deps, customer, describe }: MailContext, isReminder: boolean): MailFor =>
  async ({ locale }, alarms) => {
    const named = await Promise.all(byUrgency(alarms).map((alarm) => describe(alarm, locale)));
    return unnotifiedListMail(locale, { alarms: named, isReminder, customer, url: deps.settings.PUBLIC_URL });
  };

/** Sends a separate email about each fall and each vital alarm. */
const mailAboutPeople = async (context: MailContext): Promise<void> => {
  const { deps, open, customer, describe } = context;
  const fresh = open.filter(({ mailDate, situation }) => mailDate === undefined && !isAboutSensor(situation));
  for (const alarm of fresh) {
    if ((await claimAll(context, [alarm])).length === 0) continue;
    const cause = await causeOf(deps, alarm);
    const listed = await mailEach(context, [alarm], async ({ locale }) =>
      unnotifiedMail(locale, await describe(alarm, locale), cause, { customer, url: deps.settings.PUBLIC_URL }),
    );
    await recordFirst(context, [alarm], listed);
  }
};

/** Emails about all sensors together, at most once a minute. */
const mailAboutSensors = async (context: MailContext): Promise<void> => {
  const { deps, customerId, open } = context;
  const fresh = open.filter(({ mailDate, situation }) => mailDate === undefined && isAboutSensor(situation));
  if (fresh.length === 0) return;
  const { limits } = deps.store;
  if (!(await limits.take(`alarm-sensors:${customerId}`, 1, SENSORS_SECONDS, deps.now()))) {
    // Each alarm has a task, but only one task has to wait for the next email.
    if (await limits.take(`alarm-sensors-wait:${customerId}`, 1, SENSORS_SECONDS, deps.now()))
      await deps.enqueue([{ type: 'alert_managers', customerId }], { delaySeconds: SENSORS_SECONDS });
    return;
  }
  const [first, ...others] = await claimAll(context, fresh);
  if (!first) return;
  const claimed = [first, ...others] as const;
  await recordFirst(context, claimed, await mailEach(context, claimed, listMailFor(context, false)));
};

/**
 * Sends a list of all open alarms to managers who have received too many emails, or whose email was rejected. After an
 * hour, only reminders are sent.
 */
const mailLists = async (context: MailContext): Promise<void> => {
  const { deps, customerId, managers } = context;
  const { store, now } = deps;
  const open = await store.unnotified.list(customerId);
  const listedIn = ({ deferredTo = [], refusedTo = [] }: UnnotifiedAlarm): Listed => ({ deferredTo, refusedTo });
  const waiting = new Set(open.map(listedIn).flatMap(({ deferredTo, refusedTo }) => [...deferredTo, ...refusedTo]));
  const mailed = new Set<number>();
  const refused = new Set<number>();
  const listOne = async (userId: number): Promise<void> => {
    const manager = managers.find((other) => other.userId === userId);
    const own = open.filter((alarm) => manager?.isConcerned(alarm));
    // Users whom the alarms no longer concern get no list.
    if (!manager || own.length === 0) return void mailed.add(userId);
    const isRefused = own.some(({ refusedTo = [] }) => refusedTo.includes(userId));
    if (!(await mayList(context, userId, isRefused))) return;
    const { subject, text } = await listMailFor(context, false)(manager, own);
    const isAccepted = await deps.mail(manager.address, subject, text);
    const isRecent = own.some(({ mailDate = 0 }) => now() - mailDate < HOUR_MS);
    (isAccepted || !isRecent ? mailed : refused).add(userId);
  };
  await Promise.all([...waiting].map(listOne));
  for (const alarm of open) {
    const { deferredTo, refusedTo } = listedIn(alarm);
    const all = [...deferredTo, ...refusedTo];
    if (!all.some((userId) => mailed.has(userId) || refused.has(userId))) continue;
    const left = all.filter((userId) => !mailed.has(userId));
    const isRefused = (userId: number): boolean => refused.has(userId) || refusedTo.includes(userId);
    const listed = { deferredTo: left.filter((id) => !isRefused(id)), refusedTo: left.filter(isRefused) };
    await store.unnotified.update(alarm, listed, nextMail(listed, alarm, alarm.mailDate ?? now(), now()));
  }
};

/** Once an hour, reminds everyone of all alarms that still have not reached anyone. */
const remind = async (context: MailContext): Promise<void> => {
  const { deps, open, managers } = context;
  const { store, now } = deps;
  const known = open.filter(({ mailDate, isUnanswered }) => mailDate !== undefined && !isUnanswered);
  // An email with a future date was sent before the clock was set back. The next reminder must not wait for it.
  const past = (date: number): number => (isFuture(date, now()) ? 0 : date);
  const lastMail = (alarm: UnnotifiedAlarm): number => past(alarm.reminderDate ?? alarm.mailDate ?? 0);
  const due = known.filter((alarm) => (alarm.reminders ?? 0) < MAX_REMINDERS && lastMail(alarm) + HOUR_MS <= now());
  const lastReminder = Math.max(0, ...known.map(({ reminderDate = 0 }) => past(reminderDate)));
  if (due.length === 0 || lastReminder + HOUR_MS > now()) return;
  if ((await claimAll(context, due.slice(0, 1))).length === 0) return;
  const remindOne = async (manager: Manager): Promise<void> => {
    const own = known.filter(manager.isConcerned);
    if (own.length === 0) return;
    const { subject, text } = await listMailFor(context, true)(manager, own);
    await deps.mail(manager.address, subject, text);
  };
  await Promise.all(managers.map(remindOne));
  for (const alarm of known) {
    const reminders = (alarm.reminders ?? 0) + 1;
    const next = reminders < MAX_REMINDERS ? now() + HOUR_MS : null;
    await store.unnotified.update(alarm, { reminders, reminderDate: now() }, next);
  }
};

/** Whether everyone concerned by an alarm has been emailed about it. */
const isMailed = ({ mailDate, deferredTo = [], refusedTo = [] }: UnnotifiedAlarm): boolean =>
  mailDate !== undefined && deferredTo.length + refusedTo.length === 0;

/**
 * Ends event alarms that have been emailed and whose sensor was deleted or moved to another customer. Returns the other
 * alarms.
 */
const endWithoutSensor = async ({ deps, customerId, open, hasSensor }: MailContext): Promise<UnnotifiedAlarm[]> => {
  const isOver = (alarm: UnnotifiedAlarm): boolean => alarm.hitId === null && !hasSensor(alarm) && isMailed(alarm);
  for (const { alarmId } of open.filter(isOver)) await deps.store.eventAlarms.end(customerId, alarmId);
  return open.filter((alarm) => !isOver(alarm));
};

/** Sends all due emails about alarms that reached no one. */
const mailManagers = async (deps: DeliverDeps, customerId: number, open: readonly UnnotifiedAlarm[]): Promise<void> => {
  const all = await contextOf(deps, customerId, open);
  const context = { ...all, open: await endWithoutSensor(all) };
  await mailAboutPeople(context);
  await mailAboutSensors(context);
  await mailLists(context);
  await remind(context);
};

/**
 * Emails managers about alarms that reached no one, and reports them to the operators. The alarms record what was sent.
 * After a crash, a message may be sent twice, but is never lost.
 */
export const alertManagers = async (deps: DeliverDeps, customerId: number): Promise<void> => {
  const open = await deps.store.unnotified.list(customerId);
  if (open.length === 0) return;
  // The operators are notified without waiting for the emails, because a hanging mail service may be why no one was
  // notified.
  const sent = await Promise.allSettled([
    mailManagers(deps, customerId, open),
    notifyOperators(deps, customerId, open),
  ]);
  const errors = sent.flatMap((result) => (result.status === 'rejected' ? [result.reason as unknown] : []));
  // The worker logs only the thrown error.
  for (const error of errors.slice(1))
    deps.log('error', 'operators were not notified of alarms', { customerId }, error);
  if (errors.length > 0) throw errors[0];
};
