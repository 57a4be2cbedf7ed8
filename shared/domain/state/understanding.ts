import { DAY } from '../event/event.ts';
import type { Signal } from '../event/message.ts';
import type { SensorState } from '../sensor/sensor-state.ts';

/**
 * How far the count of understood messages may exceed the count of other messages. Changing a count takes a write, and
 * a sensor whose messages are understood must not cost one write per message.
 */
const LEAD = 10;

type Counted = Pick<SensorState, 'understanding'>;
type Counts = { understood: number; unknown: number };

const halved = ({ understood, unknown }: Counts, days: number): Counts => ({
  understood: understood >> days,
  unknown: unknown >> days,
});
const withMessage = ({ understood, unknown }: Counts, isUnderstood: boolean): Counts =>
  isUnderstood
    ? { understood: Math.min(understood + 1, unknown + LEAD), unknown }
    : { understood, unknown: unknown + 1 };

const isAboutFalls = (signal: Signal): boolean =>
  signal.kind === 'unknown' ? signal.isAboutFalls === true : signal.kind === 'fall' || signal.kind === 'postures';

/**
 * Returns the message counts after one more message, received at `at` (ms). A state has counts only after a message
 * that was not understood. Earlier messages are estimated from the number of writes, and earlier messages about falls
 * from the fall phases. Counts are halved every 24 hours, giving the last 24 hours the most weight.
 */
export const understandingAfter = (
  { understanding, version, falls }: Pick<SensorState, 'understanding' | 'version' | 'falls'>,
  signal: Signal,
  at: number,
): Counted => {
  const isUnderstood = signal.kind !== 'unknown';
  if (!understanding && isUnderstood) return {};
  const before = understanding ?? { since: at, understood: Math.min(version, LEAD), unknown: 0 };
  const days = Math.min(30, Math.max(0, Math.floor((at - before.since) / DAY)));
  const since = before.since + days * DAY;
  const known = halved(before, days);
  if (isUnderstood && known.unknown === 0) return {};
  const counts = { since, ...withMessage(known, isUnderstood) };
  const ofFalls = before.falls && halved(before.falls, days);
  if (!isAboutFalls(signal)) return { understanding: { ...counts, ...(ofFalls && { falls: ofFalls }) } };
  if (!ofFalls && isUnderstood) return { understanding: counts };
  const earlier = Math.min(falls.flatMap(({ phases }) => phases).length, LEAD);
  const atFirst = { understood: earlier, unknown: 0 };
  return { understanding: { ...counts, falls: withMessage(ofFalls ?? atFirst, isUnderstood) } };
};

const areMostlyUnknown = ({ understood, unknown }: Counts): boolean => unknown > understood;

/**
 * Whether most messages in the last 24 hours, or most of those about falls, were not understood. Messages about falls
 * are counted separately, because they would be lost among the reports a sensor sends every minute.
 */
export const isMostlyUnknown = ({ understanding }: Counted): boolean =>
  understanding !== undefined &&
  (areMostlyUnknown(understanding) || (understanding.falls !== undefined && areMostlyUnknown(understanding.falls)));
