import type { HitNumber, HitPosition } from '../rule/hit-position.ts';
import type { EventDetails } from './event.ts';

/** One event of a decision, with the rules that fire for it. Each of these rules creates a hit. */
export type Decided = {
  id: number;
  uuid: string;
  /** When (ms) the cause of the event was received. */
  receiveDate: number;
  /** The uuid of the message that caused the event. Null if the service created the event. */
  source: string | null;
  /**
   * If time alone advanced a fall: the uuid of the newest message about it, which Raw sends. Looked up only if a
   * recipient uses Raw.
   */
  fallMessage?: string;
  /** The `X-Request-Id` of the API call with the message, for logs. It is not stored. */
  requestId?: string;
  /** The message is too long to be shown in lists. */
  isLong?: true;
  /** When (ms) the event happened. */
  createDate: number;
  /** The details of the event, stored with the state under this name. */
  happening: EventDetails;
  /** The key of the fall that the event is about, if it is stored without its subject. */
  fall?: string;
  /** The ids of the rules that fire. */
  rules: number[];
};

/** Returns the uuid of the message that Raw sends for an event; null if there is none. */
export const rawMessageOf = ({ source, fallMessage }: Pick<Decided, 'source' | 'fallMessage'>): string | null =>
  source ?? fallMessage ?? null;

/**
 * The decision about one or more messages, with everything that is needed to apply it, and to reapply it after a crash.
 * `after` is the hit of the customer that the hits of this decision follow; null if the decision has no hit. `numbered`
 * is the number of the sensor's previous hit.
 */
export type Decision = { decided: Decided[]; after: HitPosition | null; numbered: HitNumber };

/** Returns the number of the last hit of a decision. Without a decision, a new series begins at `now` (ms). */
export const numberAfter = (decision: Decision | null, now: number): HitNumber => {
  if (!decision) return { series: now, number: 0 };
  const { series, number } = decision.numbered;
  return { series, number: number + decision.decided.flatMap(({ rules }) => rules).length };
};
