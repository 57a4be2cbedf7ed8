import { notifyFailed } from '#shared/api/failed-delivery.ts';
import { RELEASE_INTERVAL, type WebhookDelivery } from '#shared/domain/delivery/delivery.ts';
import type { WebhookRecord } from '#shared/domain/delivery/webhook.ts';
import { isAlarmAboutPerson } from '#shared/domain/rule/alarm.ts';
import type { WebhookDeliveryKey } from '#shared/store/deliveries/delivery-item.ts';
import { type DeliverDeps, MARGIN_MS } from './deps.ts';
import { enqueueIfSoon, type Outcome, requeue } from './schedule.ts';

/** Ends a held delivery after 14 days, and reports it. */
export const endIfExpired = async (
  deps: DeliverDeps,
  webhook: WebhookRecord,
  delivery: WebhookDelivery,
): Promise<Outcome> => {
  const { store, now } = deps;
  if ((delivery.heldUntil ?? 0) > now()) return 'held';
  const end = () => store.held.end(delivery, 'expired', now());
  return (await notifyFailed(deps, webhook, delivery, end)) ? 'failed' : 'superseded';
};

/** Holds a delivery to a disabled webhook, or ends it if it has been held for too long. */
export const hold = async (deps: DeliverDeps, key: WebhookDeliveryKey, webhook: WebhookRecord): Promise<Outcome> => {
  const { store, now } = deps;
  const found = await store.deliveries.get(key.customerId, key.webhookId, key.id);
  if (!found) return requeue(deps, key);
  const delivery = { ...found, ...key };
  if (delivery.state === 'held') return endIfExpired(deps, webhook, delivery);
  return (await store.held.hold(delivery, now())) ? 'held' : requeue(deps, key);
};

/** Returns deliveries in release order, with alarms about people before all others. */
export const alarmsFirst = (deliveries: readonly WebhookDelivery[]): WebhookDelivery[] => {
  const byKind = Map.groupBy(deliveries, ({ snapshot }) => isAlarmAboutPerson(snapshot.event));
  return [true, false].flatMap((isAlarm) => byKind.get(isAlarm) ?? []);
};

/**
 * Releases held deliveries for an enabled webhook at ten per second, alarms about people first. The sweep enqueues this
 * task while deliveries are held. A crash therefore only delays the rest, and enabling a webhook does not have to start
 * the release.
 */
export const releaseHeld = async (deps: DeliverDeps, webhook: WebhookRecord, timeLeft: () => number): Promise<void> => {
  const { store, now } = deps;
  const reserved = await store.held.reserveReleases(webhook, now());
  if (!reserved) return;
  const ids = await store.held.ids(webhook, reserved.count);
  if (ids.length === 0) return store.held.correctCount(webhook, now());
  const deliveries = await store.deliveries.getAll(webhook.customerId, webhook.id, ids);
  for (const [at, delivery] of alarmsFirst(deliveries).entries()) {
    if (timeLeft() < MARGIN_MS) return;
    const time = reserved.from + at * RELEASE_INTERVAL;
    if (await store.held.release(delivery, time, now())) await enqueueIfSoon(deps, delivery, time);
  }
};
