import { DAY } from '../event/event.ts';
import type { SensorState } from '../sensor/sensor-state.ts';

/**
 * How far the count of understood messages may exceed the count of the others. Counting needs a write of the state, and
 * a sensor that is understood must not cost one for each message.
 */
const LEAD = 10;

type Counted = Pick<SensorState, 'understanding'>;

/**
 * Returns the counts of messages after one more, which was received at `at` (ms). A state has counts only after a
 * message that was not understood; earlier messages count by the number of writes. Counts are halved every 24 hours, so
 * that the messages of the last 24 hours decide.
 */
export const understandingAfter = (
  { understanding, version }: Pick<SensorState, 'understanding' | 'version'>,
  isUnderstood: boolean,
  at: number,
): Counted => {
  if (!understanding && isUnderstood) return {};
  const before = understanding ?? { since: at, understood: Math.min(version, LEAD), unknown: 0 };
  const days = Math.min(30, Math.max(0, Math.floor((at - before.since) / DAY)));
  const since = before.since + days * DAY;
  const understood = before.understood >> days;
  const unknown = before.unknown >> days;
  if (!isUnderstood) return { understanding: { since, understood, unknown: unknown + 1 } };
  if (unknown === 0) return {};
  return { understanding: { since, understood: Math.min(understood + 1, unknown + LEAD), unknown } };
};

/** Whether most messages of the last 24 hours were not understood. */
export const isMostlyUnknown = ({ understanding }: Counted): boolean =>
  understanding !== undefined && understanding.unknown > understanding.understood;
