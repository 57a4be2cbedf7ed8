import type { Delivery } from '#openapi';
import { clockOf } from '../ui/clock.ts';
import type { DeliveryTexts } from './texts.ts';

/** Formats the time (ms) until the next attempt; empty if it is due. */
const clockUntil = (nextAttempt: number | null, now: number): string =>
  nextAttempt === null || nextAttempt <= now ? '' : clockOf(nextAttempt - now);

type Stated = Pick<Delivery, 'state' | 'reason' | 'nextAttempt' | 'replayOf'>;

/** Returns the outcome of a delivery in a few words; empty if the state says it all. */
export const resultText = (
  { state, reason, nextAttempt, replayOf }: Stated,
  now: number,
  texts: DeliveryTexts,
): string => {
  if (state === 'retrying') {
    const clock = clockUntil(nextAttempt, now);
    return clock === '' ? texts.retryDue : texts.retryIn(clock);
  }
  if (reason !== null) return texts.reasons[reason] ?? reason;
  return replayOf === null ? '' : texts.resent;
};

/** Returns what an undelivered delivery needs: a sentence in bold, and the consequence; null for others. */
export const noteOf = (
  { state, reason, nextAttempt, attempts }: Stated & Pick<Delivery, 'attempts'>,
  now: number,
  texts: DeliveryTexts,
): [what: string, consequence: string] | null => {
  const why = reason === null ? '' : (texts.reasons[reason] ?? reason);
  if (state === 'retrying') return [texts.notes.retrying(clockUntil(nextAttempt, now)), texts.notes.attempts(attempts)];
  if (state === 'failed') return [texts.notes.failed(why), texts.notes.failedEffect];
  if (state === 'held') return [texts.notes.held(why), texts.notes.heldEffect];
  return null;
};
