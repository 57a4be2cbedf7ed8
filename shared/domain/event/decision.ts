import type { HitNumber, HitPosition } from '../rule/hit-position.ts';
import type { EventDetails } from './event.ts';

/** One event in a decision, and the rules that fire for it. Each such rule creates a hit. */
export type Decided = {
  id: number;
  uuid: string;
  /** When (ms) the event's cause was received. */
  receiveDate: number;
  /** The uuid of the message behind the event. Null if the service created the event. */
  source: string | null;
  /**
   * If time alone advanced a fall: the uuid of the latest message about it, which Raw sends. Looked up only if a
   * recipient uses Raw.
   */
  fallMessage?: string;
  /** The `X-Request-Id` of the API request with the message, for logs. Not stored. */
  requestId?: string;
  /** The message is too long to show in lists. */
  isLong?: true;
  /** When (ms) the event happened. */
  createDate: number;
  /** The event details, stored with the state under this name. */
  happening: EventDetails;
  /** The key of the fall the event is about, if stored without the subject. */
  fall?: string;
  /** The ids of the firing rules. */
  rules: number[];
};

/** Returns the uuid of the message that Raw sends for an event; null if there is none. */
export const rawMessageOf = ({ source, fallMessage }: Pick<Decided, 'source' | 'fallMessage'>): string | null =>
  source ?? fallMessage ?? null;

/**
 * The decision about one or more messages, with everything needed to apply it, and to reapply it after a crash. `after`
 * is the customer's last hit before this decision; null if no rule fires. `numbered` is the number of the previous hit
 * at the sensor.
 */
export type Decision = { decided: Decided[]; after: HitPosition | null; numbered: HitNumber };

/** Returns the number of the last hit in a decision. Without a decision, a new series begins at `now` (ms). */
export const numberAfter = (decision: Decision | null, now: number): HitNumber => {
  if (!decision) return { series: now, number: 0 };
  const { series, number } = decision.numbered;
  return { series, number: number + decision.decided.flatMap(({ rules }) => rules).length };
};
