import type { ServerResponse } from 'node:http';
import type { Runtime } from '../../shared/deps.ts';
import { TableUnavailable } from '../../shared/store/unavailable.ts';

/** A number in [0, 1) for each call, the same ones for the same seed (mulberry32). */
export const chanceOf = (seed: number) => {
  let state = seed >>> 0;
  return (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
};

/** What goes wrong, and how often (0 to 1). */
export type Faults = {
  /** Places where processes die. */
  crashes?: readonly number[];
  crash?: number;
  /** The table does not answer: nothing was written, or all of it was and nobody was told. */
  throttle?: number;
  lostAnswer?: number;
  /** Bells that nobody hears, that ring twice, or late and hence out of order. */
  lostBell?: number;
  doubleBell?: number;
  lateBell?: number;
  /** Requests that a receiver answers with trouble, or takes and never answers. */
  trouble?: number;
  hang?: number;
};

class Died extends Error {
  override name = 'Died';
}

/** Lets happen what `faults` says, as long as it says so. */
export const createChaos = () => {
  let faults: Faults = {};
  let chance = chanceOf(1);
  let injected = 0;
  const strikes = (rate = 0): boolean => {
    const hit = rate > 0 && chance() < rate;
    if (hit) injected += 1;
    return hit;
  };

  const flaky =
    <A extends unknown[], R>(call: (...given: A) => Promise<R>) =>
    async (...given: A): Promise<R> => {
      if (strikes(faults.throttle)) throw new TableUnavailable('throttled');
      const answer = await call(...given);
      if (strikes(faults.lostAnswer)) throw new TableUnavailable('the answer was lost');
      return answer;
    };

  const wrap = (runtime: Runtime): Runtime => ({
    ...runtime,
    table: Object.fromEntries(
      Object.entries(runtime.table).map(([name, call]) => [name, flaky(call as never)]),
    ) as never,
    send: async (queue, bells) => {
      for (const bell of bells) {
        if (strikes(faults.lostBell)) continue;
        const late = strikes(faults.lateBell) ? Math.ceil(chance() * 60) : 0;
        const copies = strikes(faults.doubleBell) ? 2 : 1;
        for (let at = 0; at < copies; at++)
          await runtime.send(queue, [{ ...bell, delaySeconds: Math.min(900, bell.delaySeconds + late * (at + 1)) }]);
      }
    },
    crashpoint: (place) => {
      if (faults.crashes?.includes(place) && strikes(faults.crash)) throw new Died(`at ${place}`);
    },
  });

  /** How a receiver answers; true: well. */
  const answer = (response: ServerResponse): boolean => {
    if (strikes(faults.hang)) return false;
    if (strikes(faults.trouble)) {
      const status = [500, 503, 429, 404, 0][Math.floor(chance() * 5)] ?? 0;
      if (status === 0) response.destroy();
      else response.writeHead(status, { 'Retry-After': '1' }).end('trouble');
      return false;
    }
    response.end('ok');
    return true;
  };

  return {
    wrap,
    answer,
    begin: (what: Faults, seed: number): void => {
      faults = what;
      chance = chanceOf(seed);
      injected = 0;
    },
    /** Ends all trouble; how often there was some. */
    heal: (): number => {
      faults = {};
      return injected;
    },
  };
};
