import { randomFrom } from '../random.ts';
import { DAY, dayOf, type Moment } from './day.ts';
import { asleep, makerOf, type Where, whereAfter, wordsOf } from './makers.ts';

/** `reportSeconds`: how often a sensor reports. `hours`: of each day, only what is from..until, ms after midnight. */
export type PlanOptions = {
  sensors: number;
  days: number;
  seed: number;
  reportSeconds: number;
  hours?: readonly [number, number] | undefined;
};

/** Something that a sensor (its number) witnessed, `at` ms after the first midnight, and how it was afterwards. */
export type Witnessed = Moment & { sensor: number; where: Where };
/** A message of a sensor. `stamp` gives the device's clock at such a time. */
export type Planned = { at: number; sensor: number; message: (stamp: (at: number) => number) => object };

/** What a sensor witnesses in one day. What happens while it is silent leaves its traces, but nobody saw it. */
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

/** What all sensors of a home witness in a day, in its order. The same numbers give the same days. */
export const dayIn = (options: PlanOptions, day: number): Witnessed[] =>
  Array.from({ length: options.sensors }, (_, sensor) => witnessed(options, day, sensor))
    .flat()
    .sort((a, b) => a.at - b.at);

/** What the sensors say of it, in its order. */
export const messagesOf = (moments: readonly Witnessed[]): Planned[] =>
  moments
    .flatMap(({ at, what, sensor, where }) =>
      wordsOf(makerOf(sensor), what, where).map(
        ({ after, message }): Planned => ({
          ...{ at: at + after, sensor },
          message: (stamp) => message((since) => stamp(at + since)),
        }),
      ),
    )
    .sort((a, b) => a.at - b.at);
