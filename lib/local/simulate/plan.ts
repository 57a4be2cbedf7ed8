import { DAY, dayOf, randomFrom } from './day.ts';
import { type Where, whereAfter, wordsOf } from './makers.ts';

/** Maker A and maker B take turns. */
export const makerOf = (sensor: number): 'maker_a' | 'maker_b' => (sensor % 2 === 0 ? 'maker_a' : 'maker_b');

/** A message of a sensor (its number), `at` ms after the begin. `stamp` gives the device's clock at such a time. */
export type Planned = { at: number; sensor: number; message: (stamp: (at: number) => number) => object };
export type Plan = { messages: Planned[]; falls: number };

const planOf = (sensor: number, day: number, seed: number): Plan => {
  const moments = dayOf(randomFrom(seed * 1_000_003 + sensor * 1_009 + day));
  let where: Where = { isPresent: true, isInBed: true };
  const messages = moments.flatMap((moment) => {
    where = whereAfter(where, moment);
    return wordsOf(makerOf(sensor), moment, where).map(({ after, message }): Planned => {
      const begin = day * DAY + moment.at;
      return { at: begin + after, sensor, message: (stamp) => message((since) => stamp(begin + since)) };
    });
  });
  return { messages, falls: moments.filter(({ what }) => what === 'fall').length };
};

/** Everything that a home's sensors say in some days, in its order. The same numbers give the same plan. */
export const planFor = ({ sensors, days, seed }: { sensors: number; days: number; seed: number }): Plan => {
  const plans = Array.from({ length: sensors * days }, (_, at) => planOf(at % sensors, Math.floor(at / sensors), seed));
  return {
    messages: plans.flatMap(({ messages }) => messages).sort((a, b) => a.at - b.at),
    falls: plans.reduce((sum, { falls }) => sum + falls, 0),
  };
};
