import type { SkippingClock } from '../local/clock.ts';
import type { Planned } from './plan.ts';

/** How simulated time passes. */
export type SimulationClock = {
  /** Converts a planned time (ms after the first midnight) to ms since the Unix epoch. */
  stamp: (at: number) => number;
  /** Calls `send` with each message at the planned time. Messages from the same sensor stay in order. */
  run: (messages: readonly Planned[], send: (message: Planned) => Promise<void>) => Promise<void>;
  /** Resolves when a planned time has come and all earlier messages have been processed. */
  until: (at: number) => Promise<void>;
};

type RealTime = {
  now: () => number;
  pause: (ms: number) => Promise<void>;
  speed: number;
  settled: () => Promise<void>;
};

/** Runs simulated time at a multiple of real time. `speed` is the number of simulated seconds per second. */
export const atSpeed = ({ now, pause, speed, settled }: RealTime): SimulationClock => {
  const begin = now();
  const stamp = (at: number) => Math.round(begin + at / speed);
  return {
    stamp,
    run: async (messages, send) => {
      const turns = new Map<number, Promise<void>>();
      for (const message of messages) {
        const wait = stamp(message.at) - now();
        if (wait > 0) await pause(wait);
        const turn = turns.get(message.sensor) ?? Promise.resolve();
        turns.set(
          message.sensor,
          turn.then(() => send(message)),
        );
      }
      await Promise.all(turns.values());
    },
    until: settled,
  };
};

/**
 * Messages within this many ms of each other are sent concurrently. Must be less than the time the cloud waits for late
 * messages.
 */
const BATCH_MS = 2_000;

/**
 * Groups messages that can be sent concurrently: they are close in time, and no two are from the same sensor, because
 * messages from one sensor have to stay in order.
 */
function* batches(messages: readonly Planned[]): Generator<Planned[]> {
  let batch = new Map<number, Planned>();
  let until = Number.NEGATIVE_INFINITY;
  for (const message of messages) {
    if (batch.size > 0 && (message.at > until || batch.has(message.sensor))) {
      yield [...batch.values()];
      batch = new Map();
    }
    if (batch.size === 0) until = message.at + BATCH_MS;
    batch.set(message.sensor, message);
  }
  if (batch.size > 0) yield [...batch.values()];
}

/**
 * Runs simulated time as fast as the cloud can keep up: once all earlier work is done, the clock skips to the next
 * message or the next cloud timer. `begin` is the first midnight (ms since the Unix epoch).
 */
export const atFullSpeed = (clock: SkippingClock, idle: () => Promise<void>, begin: number): SimulationClock => {
  const stamp = (at: number) => begin + at;
  const goTo = async (time: number): Promise<void> => {
    await idle();
    while (clock.now() < time) {
      clock.skipTo(Math.min(time, clock.nextDue()));
      await idle();
    }
  };
  return {
    stamp,
    run: async (messages, send) => {
      for (const batch of batches(messages)) {
        await goTo(stamp(batch.at(-1)?.at ?? 0));
        await Promise.all(batch.map(send));
      }
    },
    until: (at) => goTo(stamp(at)),
  };
};
