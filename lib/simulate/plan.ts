import type { DeviceMessage } from '#openapi';
import { randomFrom } from '../local/random.ts';
import { DAY, dayOf, type Moment } from './day.ts';
import { asleep, makerOf, messagesAbout, type RoomState, roomStateAfter } from './makers.ts';

/**
 * `reportSeconds` is the interval between sensor reports. `hours` limits each day to `[from, until)`, in ms after
 * midnight.
 */
export type PlanOptions = {
  sensors: number;
  days: number;
  seed: number;
  reportSeconds: number;
  hours?: readonly [number, number] | undefined;
};

/**
 * A moment observed by a sensor, `at` ms after the first midnight, with the sensor number and the room state afterward.
 */
export type ObservedMoment = Moment & { sensor: number; where: RoomState };
/** A sensor message, `at` ms after the first midnight. `stamp` converts such times to device time. */
export type Planned = { at: number; sensor: number; message: (stamp: (at: number) => number) => DeviceMessage };

/**
 * Returns the moments a sensor observes in a day. Moments while the sensor is offline change the room but are not
 * reported.
 */
const observedMoments = (
  { seed, reportSeconds, hours = [0, DAY] }: PlanOptions,
  day: number,
  sensor: number,
): ObservedMoment[] => {
  const moments = dayOf(sensor, day, reportSeconds, randomFrom(seed * 1_000_003 + sensor * 1_009 + day));
  const [from, until] = hours;
  let where = asleep;
  let isOffline = false;
  const seen: ObservedMoment[] = [];
  const see = ({ at, what }: Moment) => seen.push({ at: day * DAY + at, what, sensor, where });
  for (const moment of moments) {
    if (moment.at >= until) break;
    if (day === 0 && seen.length === 0 && moment.at >= from) see({ at: from, what: 'begin' });
    where = roomStateAfter(where, moment);
    const wasOffline = isOffline;
    isOffline = moment.what === 'silent' || (isOffline && moment.what !== 'back');
    if (moment.at >= from && !(wasOffline && isOffline)) see(moment);
  }
  return seen;
};

/**
 * Returns the moments observed by all sensors in a home on one day, ordered by time. The same seed yields the same
 * days.
 */
export const dayIn = (options: PlanOptions, day: number): ObservedMoment[] =>
  Array.from({ length: options.sensors }, (_, sensor) => observedMoments(options, day, sensor))
    .flat()
    .sort((a, b) => a.at - b.at);

/** Returns the messages the sensors send for the given moments, ordered by time. */
export const messagesOf = (moments: readonly ObservedMoment[]): Planned[] =>
  moments
    .flatMap(({ at, what, sensor, where }) =>
      messagesAbout(makerOf(sensor), what, where).map(
        ({ after, message }): Planned => ({
          at: at + after,
          sensor,
          message: (stamp) => message((since) => stamp(at + since)),
        }),
      ),
    )
    .sort((a, b) => a.at - b.at);
