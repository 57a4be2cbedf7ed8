import { mailManagers, mailSubject, noticeOf } from '#shared/api/failed-delivery.ts';
import { sendNotice } from '#shared/api/notices.ts';
import type { Delivery } from '#shared/domain/delivery/delivery.ts';
import type { WebhookRecord } from '#shared/domain/delivery/webhook.ts';
import { putNotice } from '#shared/store/sensors/events.ts';
import type { DeliverDeps } from './deps.ts';

/**
 * Returns the delivery whose sensor the notice belongs to. Events need a sensor, but tests have none, so test notices
 * belong to the first sensor. Null if the customer has no sensors.
 */
const subjectOf = async ({ store }: DeliverDeps, { isTest, ...delivery }: Delivery): Promise<Delivery | null> => {
  if (!isTest) return delivery;
  const { customerId, snapshot } = delivery;
  const [first] = await store.sensors.list(customerId);
  return first ? { ...delivery, snapshot: { ...snapshot, sensor: { ...snapshot.sensor, id: first.id } } } : null;
};

/** Disables a webhook. Notifies all of the customer's other webhooks and, by email, the webhook managers. */
export const disableWebhook = async (
  deps: DeliverDeps,
  webhook: WebhookRecord,
  delivery: Delivery,
  reason: 'gone' | 'failing',
): Promise<void> => {
  const subject = await subjectOf(deps, delivery);
  const notice = subject && noticeOf(deps, subject, 'webhook_disabled');
  const write = notice && putNotice(notice.task, notice.task.uuid, notice.item);
  if (!(await deps.store.health.disable(webhook, deps.now(), reason, write))) return;
  deps.measure('WebhooksDisabled');
  if (notice) await sendNotice(deps, notice.task);
  await mailManagers(deps, webhook, 'webhook_disabled', mailSubject(delivery));
};
