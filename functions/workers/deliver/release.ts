import { LEASE_SECONDS, RELEASE_INTERVAL } from '#shared/domain/delivery/delivery.ts';
import { isFailingAgain, needsRelease, type ReleaseOrder, releaseOrderOf } from '#shared/domain/delivery/early.ts';
import { hasUrl } from '#shared/domain/delivery/feed.ts';
import type { WebhookRecord } from '#shared/domain/delivery/webhook.ts';
import { isFuture } from '#shared/domain/state/clock.ts';
import type { Back, ReleaseHeld } from '#shared/queue/task.ts';
import { type DeliverDeps, MARGIN_MS } from './deps.ts';
import { earlyAttempt, enqueueEarly } from './early.ts';

/** How many deliveries a step releases, and how many it reads at once. */
const STEP = 50;
const PAGE_SIZE = 100;

type Step = ReleaseHeld & { back: Back };

/** Returns which deliveries a step releases. */
const orderOf = ({ isAboutSensors, isRest }: Back): ReleaseOrder => {
  if (isRest) return 'rest';
  return isAboutSensors ? 'other_alarms' : 'about_people';
};

/** Returns where a release continues after the last delivery of a kind. */
const nextOf = ({ date, isAboutSensors, isRest }: Back): Back => {
  if (isRest) return { date, isRest, after: null, isListed: true };
  const next = { date, after: null, isListed: false };
  return isAboutSensors ? { ...next, isRest: true } : { ...next, isAboutSensors: true, isRest: false };
};

/** Selects the next deliveries to release, and determines where the following step continues. */
const selectPending = async (
  deps: DeliverDeps,
  webhook: WebhookRecord,
  from: Back,
  timeLeft: () => number,
): Promise<{ selected: NonNullable<ReturnType<typeof earlyAttempt>>[]; next: Back }> => {
  const { store, now } = deps;
  const { customerId, id, pendingSince = 0 } = webhook;
  const selected: NonNullable<ReturnType<typeof earlyAttempt>>[] = [];
  const start = now();
  // Items created before the clock was set back have later ids.
  const until = isFuture(pendingSince, start) ? Number.MAX_SAFE_INTEGER : from.date;
  let next = from;
  while (!next.isListed && selected.length < STEP && timeLeft() > MARGIN_MS) {
    const bounds = { startAfter: next.after, limit: PAGE_SIZE };
    const found = await store.deliveries.range(customerId, id, [Math.min(pendingSince, next.date), until], bounds);
    for (const delivery of found.page) {
      if (selected.length === STEP) return { selected, next };
      next = { ...next, after: delivery.id };
      const turn = start + selected.length * RELEASE_INTERVAL;
      const early = releaseOrderOf(delivery) === orderOf(next) ? earlyAttempt(deps, webhook, delivery, turn) : null;
      if (early) selected.push(early);
    }
    if (found.next === undefined) next = nextOf(next);
  }
  return { selected, next };
};

/**
 * Enqueues early attempts at the next pending deliveries to a receiver that is back, at ten per second, alarms about
 * people first. Then enqueues the next step. The release ends when the receiver fails again. The next success begins
 * another release. The task holds the entire release state, and stays queued until it is done. A crash therefore only
 * repeats a step, and a task enqueued twice finds its delivery already sent.
 */
export const releasePending = async (
  deps: DeliverDeps,
  webhook: WebhookRecord,
  task: Step,
  timeLeft: () => number,
): Promise<void> => {
  const { store, now, enqueue } = deps;
  const { back } = task;
  if (webhook.backDate !== back.date) {
    // The success that began this release may not be recorded yet.
    const isRecent = now() - back.date < LEASE_SECONDS * 1_000 && !isFuture(back.date, now());
    const isEarly = needsRelease(webhook, now()) && isRecent;
    if (isEarly) await enqueue([task], { delaySeconds: 1 });
    return;
  }
  if (webhook.pendingSince === undefined || isFailingAgain(webhook) || !hasUrl(webhook)) return;
  if (back.isListed) return store.health.endRelease(webhook, back.date);
  const { selected, next } = await selectPending(deps, webhook, back, timeLeft);
  await enqueueEarly(deps, selected);
  deps.failpoint('release.enqueued');
  if (next.isListed && selected.length === 0) return store.health.endRelease(webhook, back.date);
  const last = Math.max(...selected.map(({ time }) => time));
  // The release ends only after the last attempt is over, because failed attempts leave deliveries pending.
  const delaySeconds = next.isListed
    ? Math.ceil((last - now()) / 1_000) + LEASE_SECONDS
    : (selected.length * RELEASE_INTERVAL) / 1_000;
  await enqueue([{ ...task, back: next }], { delaySeconds });
};
