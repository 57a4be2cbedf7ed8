import { type Delivery, isFirstDelivery, receiverKey } from '../domain/delivery/delivery.ts';
import type { WebhookRecord } from '../domain/delivery/webhook.ts';
import { mayManage } from '../domain/delivery/webhook-access.ts';
import { fallAlarms, isAboutReceivers } from '../domain/event/event.ts';
import { asText } from '../domain/formats/plain-text.ts';
import { hasPermission } from '../domain/identity/permission.ts';
import { uuidV5 } from '../domain/ids.ts';
import { kinds } from '../domain/kinds.ts';
import type { DeliveryProblem, WebhookProblem } from '../domain/people/problem-mail.ts';
import type { Deps } from '../runtime/deps.ts';
import type { NoticeItem } from '../store/sensors/events.ts';
import { sendNotice } from './notices.ts';

type MailDeps = Deps<'users.list' | 'send:mail' | 'keep:quotas' | 'measure'>;
type FailureDeps = MailDeps & Deps<'events.storeNotice' | 'limits.take' | 'enqueue:events'>;

const HOUR_SECONDS = 3_600;
/** The number of emails a single invocation has time to send. */
const MAX_MAILS = 20;

/** A notice for the other webhooks of the customer: the task that processes it, and the stored item. */
type Notice = { task: Parameters<typeof sendNotice>[1]; item: NoticeItem };

/**
 * Returns the notice that a delivery did not reach the receiver. Null unless this is the first delivery of an event.
 * Also null for events about receivers, because their notices would cause further notices.
 */
export const noticeOf = (
  { now }: Pick<FailureDeps, 'now'>,
  delivery: Delivery,
  notice: WebhookProblem,
): Notice | null => {
  const { id, customerId, webhookId, person, snapshot } = delivery;
  if (!isFirstDelivery(delivery) || isAboutReceivers(snapshot.event)) return null;
  const sensorId = snapshot.sensor.id;
  const uuid = uuidV5(receiverKey({ webhookId, ...(person && { person }) }), notice, id);
  const item: NoticeItem = { notice, receiveDate: now(), ...(webhookId !== null && { webhookId }) };
  return { task: { customerId, sensorId, uuid, receiveDate: item.receiveDate }, item };
};

/** The receiver an email is about. `sensor` is the sensor name, or ''. */
type MailSubject = Pick<Delivery, 'customerId' | 'webhookId' | 'person'> & { sensor: string };
export const mailSubject = ({ customerId, webhookId, person, snapshot }: Delivery): MailSubject => ({
  customerId,
  webhookId,
  sensor: snapshot.sensor.name,
  ...(person && { person }),
});

/**
 * Emails the users who have an address and can fix the problem, each in their own language. These are the users who may
 * manage the webhook or, if `webhook` is null, the rules that name the person.
 */
export const mailManagers = async (
  { store, mail, settings, quotas, log, measure }: MailDeps,
  webhook: WebhookRecord | null,
  concern: DeliveryProblem,
  { customerId, webhookId, person, sensor }: MailSubject,
): Promise<void> => {
  if (settings.MAIL_SENDER === '') return;
  try {
    // The texts are loaded with the first email.
    const { problemMail } = await import('../domain/people/problem-mail.ts');
    const users = await store.users.list(customerId);
    const may = (user: (typeof users)[number]) =>
      webhook ? mayManage(user, webhook) : hasPermission(user, 'manage_rules');
    const recipients = users.filter((user) => user.canLogin && user.email !== '' && may(user)).slice(0, MAX_MAILS);
    const receiver = asText(webhook?.name ?? person?.name ?? '');
    const { smsPerDay } = quotas;
    const details = { receiver, by: person?.by ?? null, sensor: asText(sensor), url: settings.PUBLIC_URL, smsPerDay };
    await Promise.all(
      recipients.map(({ email, locale }) => {
        const { subject, text } = problemMail(locale, concern, details);
        return mail(email, subject, text);
      }),
    );
  } catch (error) {
    log(
      'error',
      'the managers of a receiver could not be mailed',
      { customerId, webhookId, userId: person?.userId },
      error,
    );
    measure('MailsFailed');
  }
};

const alarms = new Set<string>(fallAlarms.map((situation) => kinds[situation].action));

/**
 * Reports that the first delivery of an event failed. For falls, also sends an email, at most once an hour per webhook
 * or, if `webhook` is null, per person. `end` ends the delivery if no lease keeps other processes from ending it, and
 * returns false if another process already has. The notice is stored first, so that the sweep sends it after a crash.
 */
export const notifyFailed = async (
  deps: FailureDeps,
  webhook: WebhookRecord | null,
  delivery: Delivery,
  end: () => Promise<boolean> = async () => true,
): Promise<boolean> => {
  const { store, now, measure } = deps;
  const notice = noticeOf(deps, delivery, 'delivery_failed');
  if (notice) await store.events.storeNotice(notice.task, notice.task.uuid, notice.item);
  if (!(await end())) return false;
  if (delivery.body !== undefined) measure('FeedbackFailed');
  if (!notice) return true;
  await sendNotice(deps, notice.task);
  if (!alarms.has(delivery.snapshot.event.action)) return true;
  measure('AlarmsFailed');
  if (await store.limits.take(`failed:${receiverKey(delivery)}`, 1, HOUR_SECONDS, now()))
    await mailManagers(deps, webhook, webhook ? 'delivery_failed' : 'person_not_told', mailSubject(delivery));
  return true;
};
