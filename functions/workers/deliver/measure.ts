import type { Delivery, Next } from '#shared/domain/delivery/delivery.ts';
import type { WebhookRecord } from '#shared/domain/delivery/webhook.ts';
import { timeOfUlid } from '#shared/domain/ids.ts';
import { type DeliverDeps, scheduleOf } from './deps.ts';

const counted = {
  delivered: 'DeliveriesDelivered',
  retrying: 'DeliveriesRetried',
  failed: 'DeliveriesFailed',
} as const;

/** Is it no alarm, or did its owner make it wait: is it a test or a repetition, was it held, or does a schedule delay it? */
const mayBeLate = (deps: DeliverDeps, delivery: Delivery, webhook: WebhookRecord | null): boolean => {
  const { id, isTest = false, replayOf, replay, body } = delivery;
  const wasHeld = timeOfUlid(id) <= (webhook?.releasedUntil ?? 0);
  const [firstSeconds = 0] = (webhook && scheduleOf(deps, webhook)) ?? [];
  const isRepetition = replayOf !== undefined || replay !== undefined;
  return isTest || isRepetition || body !== undefined || wasHeld || firstSeconds > 0;
};

/** Counts an attempt by its result (`webhook` null: to tell a person), and measures how long after its acceptance a message was told. */
export const measureAttempt = (
  deps: DeliverDeps,
  delivery: Delivery,
  webhook: WebhookRecord | null,
  next: Next,
): void => {
  const { measure, now } = deps;
  measure(counted[next.state]);
  if (mayBeLate(deps, delivery, webhook)) return;
  // A delivery id begins with the time at which its message was accepted.
  const since = now() - timeOfUlid(delivery.id);
  // An attempt whose process died or froze left no line: the first one that did is what the receiver heard of first.
  const { log = [] } = delivery;
  if (log.length === 0) measure('TimeToFirstAttempt', since);
  if (next.state === 'delivered') measure('TimeToReceiver', since);
};
