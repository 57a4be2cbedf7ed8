import type { DeviceMessage } from '#openapi';
import { randomFrom } from '../local/random.ts';
import { DAY, dayOf, type Moment } from './day.ts';
import { asleep, makerOf, type Where, whereAfter, wordsOf } from './makers.ts';

/**
 * `reportSeconds` is the interval of a sensor's reports. `hours` limits each day to `[from, until)`, ms after
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
 * A moment that a sensor (`sensor` is its number) observes, `at` ms after the first midnight, with the state of the
 * room afterwards.
 */
export type Witnessed = Moment & { sensor: number; where: Where };
/** A message of a sensor, `at` ms after the first midnight. `stamp` converts such a time to the clock of the device. */
export type Planned = { at: number; sensor: number; message: (stamp: (at: number) => number) => DeviceMessage };

/**
 * The moments that a sensor observes in a day. Moments during its silence change the room, but the sensor does not
 * report them.
 */
const witnessed = (
  { seed, reportSeconds, hours = [0, DAY] }: PlanOptions,
  day: number,
  sensor: number,
): Witnessed[] => {
  const moments = dayOf(sensor, day, reportSeconds, randomFrom(seed * 1_000_003 + sensor * 1_009 + day));
  const [from, until] = hours;
  let where = asleep;
  let isSilent = false;
  const seen: Witnessed[] = [];
  const see = ({ at, what }: Moment) => seen.push({ at: day * DAY + at, what, sensor, where });
  for (const moment of moments) {
    if (moment.at >= until) break;
    if (day === 0 && seen.length === 0 && moment.at >= from) see({ at: from, what: 'begin' });
    where = whereAfter(where, moment);
    const wasSilent = isSilent;
    isSilent = moment.what === 'silent' || (isSilent && moment.what !== 'back');
    if (moment.at >= from && !(wasSilent && isSilent)) see(moment);
  }
  return seen;
};

/** The moments that all sensors of a home observe in a day, in order of time. The same seed gives the same days. */
export const dayIn = (options: PlanOptions, day: number): Witnessed[] =>
  Array.from({ length: options.sensors }, (_, sensor) => witnessed(options, day, sensor))
    .flat()
    .sort((a, b) => a.at - b.at);

/** The messages that the sensors send about the moments, in order of time. */
export const messagesOf = (moments: readonly Witnessed[]): Planned[] =>
  moments
    .flatMap(({ at, what, sensor, where }) =>
      wordsOf(makerOf(sensor), what, where).map(
        ({ after, message }): Planned => ({
          at: at + after,
          sensor,
          message: (stamp) => message((since) => stamp(at + since)),
        }),
      ),
    )
    .sort((a, b) => a.at - b.at);
