import type { Alarm } from '#openapi';
import { isOffline } from './kinds.ts';

/** A time span in ms. */
export type Span = { from: number; to: number };

/** Returns the median; null if there are no values. */
export const medianOf = (values: readonly number[]): number | null => {
  const sorted = values.toSorted((one, other) => one - other);
  const [low, high] = [sorted[Math.floor((sorted.length - 1) / 2)], sorted[Math.ceil((sorted.length - 1) / 2)]];
  return low === undefined || high === undefined ? null : (low + high) / 2;
};

/** The alarm steps whose times are measured. */
type Step = 'notified' | 'acknowledged' | 'over';
export const steps: readonly Step[] = ['notified', 'acknowledged', 'over'];

/** Returns the time (ms) from an alarm to a step; null if it is not known. */
export const timeTo = (
  { createDate, notifiedDate, acknowledgement, overDate, overBy }: Alarm,
  step: Step,
): number | null => {
  // A timeout does not show when the resident got up.
  const dates = {
    notified: notifiedDate,
    acknowledged: acknowledgement?.date ?? null,
    over: overBy === 'time' ? null : overDate,
  };
  const date = dates[step];
  return date === null ? null : Math.max(0, date - createDate);
};

/** An alarm and the time (ms) to a step. */
type Timed = { alarm: Alarm; ms: number };
/** The times to a step: how many are known or missing, the median, and the longest time. */
type Times = { known: number; missing: number; median: number | null; worst: Timed | null };

export const timesTo = (alarms: readonly Alarm[], step: Step): Times => {
  const timed = alarms.flatMap((alarm): Timed[] => {
    const ms = timeTo(alarm, step);
    return ms === null ? [] : [{ alarm, ms }];
  });
  const worst = timed.toSorted((one, other) => other.ms - one.ms)[0] ?? null;
  return {
    known: timed.length,
    missing: alarms.length - timed.length,
    median: medianOf(timed.map(({ ms }) => ms)),
    worst,
  };
};

/** When a sensor was offline within a span, and whether it was still offline at the end (`isOpen`). */
export type Offline = Span & { alarm: Alarm; isOpen: boolean };

/** Returns the periods when sensors were offline within a span, longest first. */
export const offlineIn = (alarms: readonly Alarm[], { from, to }: Span, now: number): Offline[] =>
  alarms
    .filter(isOffline)
    .map((alarm) => ({
      alarm,
      from: Math.max(from, alarm.createDate),
      to: Math.min(to, now, alarm.overDate ?? Number.MAX_SAFE_INTEGER),
      isOpen: alarm.overDate === null,
    }))
    .filter((period) => period.to > period.from)
    .toSorted((one, other) => other.to - other.from - (one.to - one.from));

/** Returns the total duration (ms) of the given periods. */
export const totalOf = (periods: readonly Span[]): number => periods.reduce((sum, { from, to }) => sum + to - from, 0);
