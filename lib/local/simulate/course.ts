import type { SkippingClock } from '../clock.ts';
import type { Planned } from './plan.ts';

/** How planned time goes by. */
export type Course = {
  /** When a planned time (ms after the first midnight) is, ms since the Unix epoch. */
  stamp: (at: number) => number;
  /** Says all of it, each at its time; what one sensor says stays in its order. */
  run: (messages: readonly Planned[], say: (message: Planned) => Promise<void>) => Promise<void>;
  /** Resolves when a planned time has come, and what was said is worked off. */
  until: (at: number) => Promise<void>;
};

type RealTime = {
  now: () => number;
  pause: (ms: number) => Promise<void>;
  speed: number;
  settled: () => Promise<void>;
};

/** By a clock that cannot be set: so many simulated seconds in a second. */
export const atSpeed = ({ now, pause, speed, settled }: RealTime): Course => {
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

/** What is said within so long is said side by side, ms. It is less than what a cloud waits for a late message. */
const AT_ONCE = 2_000;

/** Messages that may be said side by side: soon after each other, and no two of one sensor, which have an order. */
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
 * As fast as the cloud works: its clock is set to when something happens next, be it a message or what the cloud itself
 * set out to do, once all that was before is done. `begin`: the first midnight, ms since the Unix epoch.
 */
export const atFullSpeed = (clock: SkippingClock, idle: () => Promise<void>, begin: number): Course => {
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
