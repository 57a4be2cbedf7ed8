import type { Room } from '../../shared/delivery/callee.ts';
import type { Turn } from '../../shared/delivery/limiter.ts';
import { isNew, permitOf } from '../../shared/domain/breaker.ts';
import { LADDER, varied } from '../../shared/domain/delivery.ts';
import type { WebhookRecord } from '../../shared/domain/webhook.ts';
import type { DeliveryKey } from '../../shared/store/deliveries.ts';
import { chanceOf, type DeliverDeps, scheduleOf } from './attempt.ts';
import { type Place, TIME_FOR_ONE, takePlace } from './places.ts';

/** How long a delivery waits for its turn, and then for a place, before it makes room for others. */
export const PATIENCE_MS = 5_000;
/** How often it looks whether one has become free in another process. */
const LOOK_MS = 500;

/** The seconds of a schedule's step, the first attempt's being 0; of a schedule without it, those of the ladder. */
export const stepOf = (deps: DeliverDeps, webhook: WebhookRecord, step: number): number =>
  (scheduleOf(deps, webhook) ?? LADDER)[step] ?? LADDER[step] ?? 0;

/** When (ms) a delivery comes back that made room for others. */
export const soon = (deps: DeliverDeps): number => deps.now() + Math.round((1 + chanceOf(deps)) * LOOK_MS);

/** Is it an alarm that nobody has heard of yet, and no repetition? */
const isAlarm = async (deps: DeliverDeps, { customerId, webhookId, id }: DeliveryKey, webhook: WebhookRecord) => {
  const found = await deps.store.deliveries.get(customerId, webhookId, id);
  if (!found || found.replay !== undefined) return false;
  return isNew(found.attempts, found.createDate + stepOf(deps, webhook, 0) * 1_000, deps.now());
};

/**
 * What becomes of a delivery that has a turn in this process: a place for its request, with the webhook as it is then;
 * a later time (ms); or `changed`, for its webhook is no longer one to send to.
 */
export type Admitted = { webhook: WebhookRecord; place: Place };
export type Admission = Admitted | { until: number } | 'changed';

/** Looks for a place until there is one, or until it is better not to wait here. */
export const admit = async (
  deps: DeliverDeps,
  key: DeliveryKey,
  given: WebhookRecord | null,
  turn: Turn<Room>,
  timeLeft: () => number,
): Promise<Admission> => {
  const { store, now, pause } = deps;
  const end = now() + PATIENCE_MS;
  const seeker = { wake: () => {} };
  let probe: number | undefined;
  let alarm: boolean | undefined;
  turn.room.seekers.add(seeker);
  try {
    for (let webhook = given; webhook?.isEnabled; webhook = await store.webhooks.get(key.customerId, key.webhookId)) {
      const isOpen = webhook.openUntil !== undefined;
      if (isOpen) alarm ??= await isAlarm(deps, key, webhook);
      // The probe whose result was waited for has failed, or it would have closed the circuit.
      if (isOpen && probe !== undefined && webhook.probeUntil !== probe)
        return { until: now() + Math.round(varied(stepOf(deps, webhook, 1), chanceOf(deps)) * 1_000) };
      const permit = permitOf(webhook, alarm === true, now(), chanceOf(deps));
      if (typeof permit === 'number') return { until: permit };
      if (timeLeft() < TIME_FOR_ONE || now() > end) return { until: soon(deps) };
      if (permit === 'result') probe ??= webhook.probeUntil;
      const place = permit === 'result' ? null : await takePlace(deps, turn, webhook, permit);
      if (place) return { webhook, place };
      await Promise.race([pause(LOOK_MS), new Promise<void>((wake) => Object.assign(seeker, { wake }))]);
    }
    return 'changed';
  } finally {
    turn.room.seekers.delete(seeker);
  }
};
