import { comesBackAt, permitOf } from '../../shared/domain/breaker.ts';
import { DEADLINE_SECONDS, LADDER } from '../../shared/domain/delivery.ts';
import type { WebhookRecord } from '../../shared/domain/webhook.ts';
import type { DeliveryBell } from '../../shared/queue/bell.ts';
import { consume } from '../../shared/queue/consume.ts';
import type { DeliveryKey } from '../../shared/store/deliveries.ts';
import { attempt, chanceOf, type DeliverDeps, isSoon, ringAt, scheduleOf } from './attempt.ts';
import { deliver } from './contract.ts';
import { releaseHeld } from './release.ts';
import { stepReplay } from './replay.ts';

/** An attempt is begun only when its whole deadline, and the writes around it, fit into what is left. */
const TIME_FOR_ONE = (DEADLINE_SECONDS + 5) * 1_000;
/** How long a delivery waits for its turn at a busy receiver before it makes room for others. */
const PATIENCE_MS = 5_000;

/** Puts a delivery off without an attempt. Of several bells for it only one rings again. */
const putOff = async (deps: DeliverDeps, key: DeliveryKey, time: number): Promise<void> => {
  const { store, now } = deps;
  if (await store.deliveries.postpone(key, time, now(), isSoon(time, now()))) await ringAt(deps, key, time);
};

/** A schedule may delay the first attempt too: until then (ms). Null: there is nothing to wait for. */
const waitsUntil = async (deps: DeliverDeps, key: DeliveryKey, webhook: WebhookRecord): Promise<number | null> => {
  const firstSeconds = (scheduleOf(deps, webhook) ?? LADDER)[0] ?? 0;
  if (firstSeconds === 0) return null;
  const delivery = await deps.store.deliveries.get(key.customerId, key.webhookId, key.id);
  const time = (delivery?.createDate ?? 0) + firstSeconds * 1_000;
  return !delivery || delivery.attempts > 0 || time <= deps.now() ? null : time;
};

/** What a webhook that is switched off has to say: not now, and after 14 days not at all. */
const hold = async ({ store, now }: DeliverDeps, key: DeliveryKey): Promise<void> => {
  if (await store.held.hold(key, now())) return;
  const delivery = await store.deliveries.get(key.customerId, key.webhookId, key.id);
  if (delivery?.state === 'held' && (delivery.heldUntil ?? 0) <= now())
    await store.held.end(delivery, 'expired', now());
};

/** Makes an attempt when the receiver can take one: in turn, and with care when it is in trouble. */
const tryNow = async (
  deps: DeliverDeps,
  key: DeliveryKey,
  webhook: WebhookRecord,
  bell: DeliveryBell,
  timeLeft: () => number,
): Promise<void> => {
  const { store, now, callee, pause, ringRetries } = deps;
  const soon = () => now() + Math.round((1 + chanceOf(deps)) * PATIENCE_MS);
  const permit = permitOf(webhook, now(), chanceOf(deps));
  if (typeof permit === 'number') return putOff(deps, key, permit);
  if (permit !== 'free' && !bell.r) return ringRetries([{ ...bell, r: true }], 0);
  const leave = await callee.enter(webhook.id, () => pause(PATIENCE_MS));
  if (!leave) return bell.r ? putOff(deps, key, soon()) : ringRetries([{ ...bell, r: true }], 0);
  try {
    if (timeLeft() < TIME_FOR_ONE) return await putOff(deps, key, soon());
    if (permit === 'probe' && !(await store.health.probe(webhook, now())))
      return await putOff(deps, key, comesBackAt(webhook, now(), chanceOf(deps)));
    const slot = permit === 'watched' ? await store.health.takeSlot(webhook, now()) : null;
    if (permit === 'watched' && !slot) return await putOff(deps, key, soon());
    await attempt(deps, key, webhook, slot, leave);
  } finally {
    leave();
  }
};

export const handler = consume(deliver, async (bell, deps, timeLeft) => {
  if (timeLeft() < TIME_FOR_ONE) throw new Error('no time left for another attempt');
  const { store, now } = deps;
  const { c: customerId, w: webhookId } = bell;
  const webhook = await store.webhooks.get(customerId, webhookId);
  if ('j' in bell) {
    if (!webhook) return;
    return bell.j === 'held' ? releaseHeld(deps, webhook, timeLeft) : stepReplay(deps, webhook, bell.j, timeLeft);
  }
  const key = { customerId, webhookId, id: bell.d };
  if (!webhook) return void (await store.deliveries.end(key, 'deleted', now()));
  if (!webhook.isEnabled) return hold(deps, key);
  const time = await waitsUntil(deps, key, webhook);
  return time === null ? tryNow(deps, key, webhook, bell, timeLeft) : putOff(deps, key, time);
});
