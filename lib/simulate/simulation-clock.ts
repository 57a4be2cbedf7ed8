import type { SkippingClock } from '../local/clock.ts';
import type { Planned } from './plan.ts';

/** How simulated time passes. */
export type SimulationClock = {
  /** Converts a planned time (ms after the first midnight) to ms since the Unix epoch. */
  stamp: (at: number) => number;
  /** Calls `say` with each message at its planned time. The messages of one sensor stay in order. */
  run: (messages: readonly Planned[], say: (message: Planned) => Promise<void>) => Promise<void>;
  /** Resolves when a planned time has come and all messages so far are processed. */
  until: (at: number) => Promise<void>;
};

type RealTime = {
  now: () => number;
  pause: (ms: number) => Promise<void>;
  speed: number;
  settled: () => Promise<void>;
};

/** Simulated time by a real clock. `speed` is the number of simulated seconds per second. */
export const atSpeed = ({ now, pause, speed, settled }: RealTime): SimulationClock => {
  const begin = now();
  const stamp = (at: number) => Math.round(begin + at / speed);
  return {
    stamp,
    run: async (messages, say) => {
      const turns = new Map<number, Promise<void>>();
      for (const message of messages) {
        const wait = stamp(message.at) - now();
        if (wait > 0) await pause(wait);
        const turn = turns.get(message.sensor) ?? Promise.resolve();
        turns.set(
          message.sensor,
          turn.then(() => say(message)),
        );
      }
      await Promise.all(turns.values());
    },
    until: settled,
  };
};

/**
 * Messages within so many ms are sent concurrently. It is less than the time for which a cloud waits for a late
 * message.
 */
const AT_ONCE = 2_000;

/**
 * Groups messages that may be sent concurrently: they are close in time, and no two are of the same sensor, because
 * order counts there.
 */
function* batches(messages: readonly Planned[]): Generator<Planned[]> {
  let batch = new Map<number, Planned>();
  let until = Number.NEGATIVE_INFINITY;
  for (const message of messages) {
    if (batch.size > 0 && (message.at > until || batch.has(message.sensor))) {
      yield [...batch.values()];
      batch = new Map();
    }
    if (batch.size === 0) until = message.at + AT_ONCE;
    batch.set(message.sensor, message);
  }
  if (batch.size > 0) yield [...batch.values()];
}

/**
 * Simulated time as fast as the cloud works: once all earlier work is done, the clock is set to the next message or to the
 * next timer of the cloud. `begin` is the first midnight, ms since the Unix epoch.
 */
export const atFullSpeed = (clock: SkippingClock, idle: () => Promise<void>, begin: number): SimulationClock => {
  const stamp = (at: number) => begin + at;
  const goTo = async (time: number): Promise<void> => {
    await idle();
    while (clock.now() < time) {
      clock.skipTo(Math.min(time, clock.next()));
      await idle();
    }
  };
  return {
    stamp,
    run: async (messages, say) => {
      for (const batch of batches(messages)) {
        await goTo(stamp(batch.at(-1)?.at ?? 0));
        await Promise.all(batch.map(say));
      }
    },
    until: (at) => goTo(stamp(at)),
  };
};
