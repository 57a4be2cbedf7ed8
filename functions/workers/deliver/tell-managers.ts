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
/** An invocation has time for so many mails. */
const MOST_MAILS = 20;

type About = { notice: Parameters<typeof sendNotice>[1]; item: NoticeItem; write: Write };

/** Is it the first delivery of an event? Tests and feedback are of no sensor of the customer. */
export const isFirst = ({ isTest, body, replayOf, replay }: Delivery): boolean =>
  !isTest && body === undefined && replayOf === undefined && replay === undefined;

/**
 * A notice for the customer's other webhooks that something did not get through. Null for what is no first delivery of an
 * event, and for what is about receivers itself: it would be said in a circle.
 */
const noticeOf = ({ now }: DeliverDeps, delivery: Delivery, notice: WebhookConcern): About | null => {
  const { id, customerId, webhookId, person, snapshot } = delivery;
  if (!isFirst(delivery) || isAboutReceivers(snapshot.event)) return null;
  const sensorId = snapshot.sensor.id;
  const uuid = uuidV5(receiverOf({ webhookId, ...(person && { person }) }), notice, id);
  const item: NoticeItem = { notice, receiveDate: now(), ...(webhookId !== null && { webhookId }) };
  const write = putNotice({ customerId, sensorId }, uuid, item);
  return { notice: { customerId, sensorId, uuid, receiveDate: item.receiveDate }, item, write };
};

/** What a mail is about; `sensor`: its name, or '' when it is of none. */
type Concerned = Pick<Delivery, 'customerId' | 'webhookId' | 'person'> & { sensor: string };
const concernedBy = ({ customerId, webhookId, person, snapshot }: Delivery): Concerned => ({
  customerId,
  webhookId,
  sensor: snapshot.sensor.name,
  ...(person && { person }),
});

/**
 * Mails to everybody who has an address and may change what is wrong, in the language of each: who may manage the webhook,
 * or (`webhook` null) the rules that name a person.
 */
export const mailManagers = async (
  { store, mail, settings, log, measure }: DeliverDeps,
  webhook: WebhookRecord | null,
  concern: Concern,
  { customerId, webhookId, person, sensor }: Concerned,
): Promise<void> => {
  if (settings.MAIL_SENDER === '') return;
  try {
    // Its texts are loaded by the first mail.
    const { concernMail } = await import('#shared/domain/people/concern-mail.ts');
    const users = await store.users.list(customerId);
    const may = (user: (typeof users)[number]) => (webhook ? mayManage(user, webhook) : holds(user, 'manage_rules'));
    const receiver = webhook?.name ?? person?.name ?? '';
    const about = { receiver, by: person?.by ?? null, sensor, url: settings.PUBLIC_URL };
    const mails = users.filter((user) => user.canLogin && user.email !== '' && may(user)).slice(0, MOST_MAILS);
    await Promise.all(
      mails.map(({ email, locale }) => {
        const { subject, text } = concernMail(locale, concern, about);
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
 * Tells that a first delivery of an event ended without success: of a fall also by a mail, once an hour for a webhook or a
 * person (`webhook` null). `end`: ends the delivery, where nothing else keeps others from ending it at the same time; false
 * when they did. The notice is kept before that, so that a process that dies then leaves it to the sweep.
 */
export const tellFailed = async (
  deps: DeliverDeps,
  webhook: WebhookRecord | null,
  delivery: Delivery,
  end: () => Promise<boolean> = async () => true,
): Promise<void> => {
  const { store, now, measure } = deps;
  const { snapshot } = delivery;
  const about = noticeOf(deps, delivery, 'delivery_failed');
  if (about) await store.events.keepNotice(about.notice, about.notice.uuid, about.item);
  if (!(await end())) return;
  if (delivery.body !== undefined) measure('FeedbackFailed');
  if (!about) return;
  await sendNotice(deps, about.notice);
  if (!alarms.has(snapshot.event.action)) return;
  measure('AlarmsFailed');
  if (await store.limits.take(`failed:${receiverOf(delivery)}`, 1, HOUR_SECONDS, now()))
    await mailManagers(deps, webhook, webhook ? 'delivery_failed' : 'person_not_told', concernedBy(delivery));
};

/** Switches a webhook off, and tells of it: its customer's other webhooks, and by mail. */
export const switchOff = async (
  deps: DeliverDeps,
  webhook: WebhookRecord,
  delivery: Delivery,
  reason: 'gone' | 'failing',
): Promise<void> => {
  const about = noticeOf(deps, delivery, 'webhook_disabled');
  if (!(await deps.store.health.disable(webhook, deps.now(), reason, about?.write ?? null))) return;
  deps.measure('WebhooksDisabled');
  if (about) await sendNotice(deps, about.notice);
  await mailManagers(deps, webhook, 'webhook_disabled', concernedBy(delivery));
};
