import { sendNotice } from '#shared/api/notices.ts';
import { type Delivery, receiverKey } from '#shared/domain/delivery/delivery.ts';
import type { WebhookRecord } from '#shared/domain/delivery/webhook.ts';
import { mayManage } from '#shared/domain/delivery/webhook-access.ts';
import { fallAlarms, isAboutReceivers } from '#shared/domain/event/event.ts';
import { hasPermission } from '#shared/domain/identity/permission.ts';
import { uuidV5 } from '#shared/domain/ids.ts';
import { kinds } from '#shared/domain/kinds.ts';
import type { DeliveryProblem, WebhookProblem } from '#shared/domain/people/problem-mail.ts';
import type { Write } from '#shared/store/engine/request.ts';
import { type NoticeItem, putNotice } from '#shared/store/sensors/events.ts';
import type { DeliverDeps } from './deps.ts';

const HOUR_SECONDS = 3_600;
/** The most mails that an invocation has time for. */
const MAX_MAILS = 20;

/** Whether this is the first delivery of an event: neither a test, nor feedback, nor a redelivery. */
export const isFirstDelivery = ({ isTest, body, replayOf, replay }: Delivery): boolean =>
  !isTest && body === undefined && replayOf === undefined && replay === undefined;

/** A notice for the other webhooks of the customer: its task, its item, and the write that stores the item. */
type Notice = { task: Parameters<typeof sendNotice>[1]; item: NoticeItem; write: Write };

/**
 * Returns the notice that a delivery did not reach its receiver. Null for anything but the first delivery of an event, and
 * for events about receivers, because their notices would cause further notices.
 */
const noticeOf = ({ now }: DeliverDeps, delivery: Delivery, notice: WebhookProblem): Notice | null => {
  const { id, customerId, webhookId, person, snapshot } = delivery;
  if (!isFirstDelivery(delivery) || isAboutReceivers(snapshot.event)) return null;
  const sensorId = snapshot.sensor.id;
  const uuid = uuidV5(receiverKey({ webhookId, ...(person && { person }) }), notice, id);
  const item: NoticeItem = { notice, receiveDate: now(), ...(webhookId !== null && { webhookId }) };
  const write = putNotice({ customerId, sensorId }, uuid, item);
  return { task: { customerId, sensorId, uuid, receiveDate: item.receiveDate }, item, write };
};

/** The receiver that a mail is about. `sensor` is the name of the sensor, or ''. */
type MailSubject = Pick<Delivery, 'customerId' | 'webhookId' | 'person'> & { sensor: string };
const mailSubject = ({ customerId, webhookId, person, snapshot }: Delivery): MailSubject => ({
  customerId,
  webhookId,
  sensor: snapshot.sensor.name,
  ...(person && { person }),
});

/**
 * Mails the users who have an address and can fix the problem, each in their language: those who may manage the webhook or,
 * if `webhook` is null, the rules that name the person.
 */
export const mailManagers = async (
  { store, mail, settings, log, measure }: DeliverDeps,
  webhook: WebhookRecord | null,
  concern: DeliveryProblem,
  { customerId, webhookId, person, sensor }: MailSubject,
): Promise<void> => {
  if (settings.MAIL_SENDER === '') return;
  try {
    // The texts are loaded with the first mail.
    const { problemMail } = await import('#shared/domain/people/problem-mail.ts');
    const users = await store.users.list(customerId);
    const may = (user: (typeof users)[number]) =>
      webhook ? mayManage(user, webhook) : hasPermission(user, 'manage_rules');
    const recipients = users.filter((user) => user.canLogin && user.email !== '' && may(user)).slice(0, MAX_MAILS);
    const receiver = webhook?.name ?? person?.name ?? '';
    const details = { receiver, by: person?.by ?? null, sensor, url: settings.PUBLIC_URL };
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
 * Reports that the first delivery of an event failed; for a fall also by mail, once an hour for each webhook or person
 * (`webhook` null). `end` ends the delivery if no lease protects it from being ended by others; returns false if they did.
 * The notice is stored before that, so that after a crash the sweep sends it.
 */
export const notifyFailed = async (
  deps: DeliverDeps,
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

/** Disables a webhook, and notifies the other webhooks of its customer, and its managers by mail. */
export const disableWebhook = async (
  deps: DeliverDeps,
  webhook: WebhookRecord,
  delivery: Delivery,
  reason: 'gone' | 'failing',
): Promise<void> => {
  const notice = noticeOf(deps, delivery, 'webhook_disabled');
  if (!(await deps.store.health.disable(webhook, deps.now(), reason, notice?.write ?? null))) return;
  deps.measure('WebhooksDisabled');
  if (notice) await sendNotice(deps, notice.task);
  await mailManagers(deps, webhook, 'webhook_disabled', mailSubject(delivery));
};
