import { sendNotice } from '#shared/api/notices.ts';
import { type Delivery, receiverOf } from '#shared/domain/delivery/delivery.ts';
import type { WebhookRecord } from '#shared/domain/delivery/webhook.ts';
import { mayManage } from '#shared/domain/delivery/webhook-access.ts';
import { fallAlarms, isAboutReceivers } from '#shared/domain/event/event.ts';
import { holds } from '#shared/domain/identity/permission.ts';
import { uuidV5 } from '#shared/domain/ids.ts';
import { kinds } from '#shared/domain/kinds.ts';
import type { Concern, WebhookConcern } from '#shared/domain/people/concern-mail.ts';
import type { Write } from '#shared/store/engine/request.ts';
import { type NoticeItem, putNotice } from '#shared/store/sensors/events.ts';
import type { DeliverDeps } from './deps.ts';

const HOUR_SECONDS = 3_600;
/** The mails that an invocation has time for. */
const MAX_MAILS = 20;

/** Whether it is the first delivery of an event. Tests and feedback are of no sensor of the customer. */
export const isFirstDelivery = ({ isTest, body, replayOf, replay }: Delivery): boolean =>
  !isTest && body === undefined && replayOf === undefined && replay === undefined;

/** A notice for the other webhooks of the customer: what is enqueued, what is stored, and the write that stores it. */
type Notice = { task: Parameters<typeof sendNotice>[1]; item: NoticeItem; write: Write };

/**
 * The notice that something did not reach its receiver. Null for anything but the first delivery of an event, and for events
 * about receivers: their notices would go round in a circle.
 */
const noticeOf = ({ now }: DeliverDeps, delivery: Delivery, notice: WebhookConcern): Notice | null => {
  const { id, customerId, webhookId, person, snapshot } = delivery;
  if (!isFirstDelivery(delivery) || isAboutReceivers(snapshot.event)) return null;
  const sensorId = snapshot.sensor.id;
  const uuid = uuidV5(receiverOf({ webhookId, ...(person && { person }) }), notice, id);
  const item: NoticeItem = { notice, receiveDate: now(), ...(webhookId !== null && { webhookId }) };
  const write = putNotice({ customerId, sensorId }, uuid, item);
  return { task: { customerId, sensorId, uuid, receiveDate: item.receiveDate }, item, write };
};

/** The receiver that a mail is about; `sensor`: the name of the sensor, or '' without one. */
type MailSubject = Pick<Delivery, 'customerId' | 'webhookId' | 'person'> & { sensor: string };
const mailSubject = ({ customerId, webhookId, person, snapshot }: Delivery): MailSubject => ({
  customerId,
  webhookId,
  sensor: snapshot.sensor.name,
  ...(person && { person }),
});

/**
 * Mails to users who have an address and may change what is wrong, in the language of each: those who may manage the
 * webhook, or (`webhook` null) the rules that name a person.
 */
export const mailManagers = async (
  { store, mail, settings, log, measure }: DeliverDeps,
  webhook: WebhookRecord | null,
  concern: Concern,
  { customerId, webhookId, person, sensor }: MailSubject,
): Promise<void> => {
  if (settings.MAIL_SENDER === '') return;
  try {
    // Its texts are loaded with the first mail.
    const { concernMail } = await import('#shared/domain/people/concern-mail.ts');
    const users = await store.users.list(customerId);
    const may = (user: (typeof users)[number]) => (webhook ? mayManage(user, webhook) : holds(user, 'manage_rules'));
    const recipients = users.filter((user) => user.canLogin && user.email !== '' && may(user)).slice(0, MAX_MAILS);
    const receiver = webhook?.name ?? person?.name ?? '';
    const details = { receiver, by: person?.by ?? null, sensor, url: settings.PUBLIC_URL };
    await Promise.all(
      recipients.map(({ email, locale }) => {
        const { subject, text } = concernMail(locale, concern, details);
        return mail(email, subject, text);
      }),
    );
  } catch (error) {
    log('error', 'nobody was mailed about a receiver', { customerId, webhookId, userId: person?.userId }, error);
    measure('MailsFailed');
  }
};

const alarms = new Set<string>(fallAlarms.map((situation) => kinds[situation].action));

/**
 * Notifies that a first delivery of an event ended without success; of a fall also by mail, once an hour for a webhook or a
 * person (`webhook` null). `end` ends the delivery, where nothing else keeps others from ending it at the same time. Returns
 * false when they did. The notice is stored before that, so that a process that dies then leaves it to the sweep.
 */
export const notifyFailed = async (
  deps: DeliverDeps,
  webhook: WebhookRecord | null,
  delivery: Delivery,
  end: () => Promise<boolean> = async () => true,
): Promise<boolean> => {
  const { store, now, measure } = deps;
  const notice = noticeOf(deps, delivery, 'delivery_failed');
  if (notice) await store.events.keepNotice(notice.task, notice.task.uuid, notice.item);
  if (!(await end())) return false;
  if (delivery.body !== undefined) measure('FeedbackFailed');
  if (!notice) return true;
  await sendNotice(deps, notice.task);
  if (!alarms.has(delivery.snapshot.event.action)) return true;
  measure('AlarmsFailed');
  if (await store.limits.take(`failed:${receiverOf(delivery)}`, 1, HOUR_SECONDS, now()))
    await mailManagers(deps, webhook, webhook ? 'delivery_failed' : 'person_not_told', mailSubject(delivery));
  return true;
};

/** Disables a webhook, and notifies of it: the other webhooks of its customer, and its managers by mail. */
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
