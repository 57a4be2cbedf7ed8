import type { Delivery, LastAttempt } from '#openapi';
import { clockOf } from '../ui/clock.ts';
import { durationText } from './durations.ts';
import type { DeliveryTexts } from './texts.ts';

/** Formats the time (ms) until the next attempt; '' if it is due. */
const clockUntil = (nextAttempt: number | null, now: number): string =>
  nextAttempt === null || nextAttempt <= now ? '' : clockOf(nextAttempt - now);

/**
 * Returns the attempt result: an HTTP status, an error or, for a person, a note that a service accepted the message.
 */
export const attemptResult = ({ status, error, outbox }: LastAttempt, texts: DeliveryTexts): string => {
  if (status !== null) return texts.status(status);
  if (error !== null) {
    // The services for push, chat and SMS report a refusal in the form `status_429`.
    const [, refusal] = /^status_(\d+)$/.exec(error) ?? [];
    return refusal ? texts.status(Number(refusal)) : (texts.errors[error] ?? error);
  }
  return outbox ? texts.inOutbox : texts.accepted;
};

type Stated = Pick<Delivery, 'state' | 'reason' | 'nextAttempt'>;
type Row = Stated & Pick<Delivery, 'lastAttempt' | 'replayOf'>;

/**
 * Returns a description of how a delivery arrived, such as "Resent, HTTP status 204 in 88 ms"; empty if no attempt is
 * known.
 */
const arrivalText = (
  { lastAttempt, replayOf }: Row,
  texts: DeliveryTexts,
  formatNumber: (value: number) => string,
): string => {
  const resent = replayOf === null ? '' : texts.resent;
  if (!lastAttempt) return resent;
  const result = attemptResult(lastAttempt, texts);
  const duration = durationText(lastAttempt.durationMs, formatNumber);
  const arrival = lastAttempt.outbox ? result : `${result} ${texts.within(duration)}`;
  return resent === '' ? arrival : `${resent}, ${arrival}`;
};

/** Returns the delivery outcome in a few words; '' if the state says it all. */
export const resultText = (
  row: Row,
  now: number,
  texts: DeliveryTexts,
  formatNumber: (value: number) => string,
): string => {
  const { state, reason, nextAttempt, lastAttempt, replayOf } = row;
  if (state === 'retrying') {
    const clock = clockUntil(nextAttempt, now);
    return clock === '' ? texts.retryDue : texts.retryIn(clock);
  }
  if (reason !== null) {
    const why = texts.reasons[reason] ?? reason;
    // "All attempts failed" does not say how they failed.
    return reason === 'exhausted' && lastAttempt ? `${attemptResult(lastAttempt, texts)}, ${why}` : why;
  }
  if (state === 'delivered') return arrivalText(row, texts, formatNumber);
  return replayOf === null ? '' : texts.resent;
};

/**
 * Returns a note about a delivery that has not arrived: a sentence in bold, and the consequence. Null for other
 * deliveries.
 */
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
