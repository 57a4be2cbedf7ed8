import { setImmediate } from 'node:timers/promises';

/** Time as an argument, so that tests can own it. All values are milliseconds; `now` counts from the Unix epoch. */
export type Clock = {
  now(): number;
  /** Calls `run` once, `ms` from now; the function that it returns cancels. At most 2^31-1 ms (24.8 days). */
  after(ms: number, run: () => void): () => void;
};

/** Time of this machine. A waiting timer doesn't keep the process alive. */
export const systemClock: Clock = {
  now: Date.now,
  after(ms, run) {
    const timer = setTimeout(run, ms).unref();
    return () => clearTimeout(timer);
  },
};

/** A clock that stands still until it is told otherwise. */
export type VirtualClock = Clock & {
  /**
   * Moves time forward and runs what falls due on the way, timers set meanwhile included: in order of time, at equal
   * times in the order they were set. Before, between and after, everything runs that waits for no timer and no I/O.
   * One call at a time.
   */
  advance(ms: number): Promise<void>;
};

type Timer = { at: number; run: () => void };

const earliest = (timers: Iterable<Timer>): Timer | undefined => {
  let first: Timer | undefined;
  for (const timer of timers) if (!first || timer.at < first.at) first = timer;
  return first;
};

/** A virtual clock that shows `start`, in milliseconds since the Unix epoch. */
export const virtualClock = (start: number): VirtualClock => {
  const timers = new Set<Timer>();
  let time = start;
  return {
    now: () => time,
    after(ms, run) {
      const timer = { at: time + Math.max(0, ms), run };
      timers.add(timer);
      return () => void timers.delete(timer);
    },
    async advance(ms) {
      const end = time + ms;
      // One turn of the event loop empties the queue of microtasks, however long the chains of promises are.
      await setImmediate();
      for (let next = earliest(timers); next && next.at <= end; next = earliest(timers)) {
        timers.delete(next);
        time = next.at;
        next.run();
        await setImmediate();
      }
      time = end;
    },
  };
};

/** A clock that runs with the machine's, and can be set ahead. */
export type SkippingClock = Clock & {
  /** When the next timer is due; Infinity: there is none. */
  next(): number;
  /** Sets the clock to a time, unless it is past. What falls due on the way runs at once, in order. */
  skipTo(time: number): void;
};

/** Shows `start` (ms since the Unix epoch) now. Unlike a virtual clock it lets those go on who wait for a moment. */
export const skippingClock = (start: number): SkippingClock => {
  const timers = new Set<Timer>();
  let ahead = start - Date.now();
  const now = () => Date.now() + ahead;
  const fire = (): void => {
    for (let next = earliest(timers); next && next.at <= now(); next = earliest(timers)) {
      timers.delete(next);
      next.run();
    }
  };
  return {
    now,
    after(ms, run) {
      const waiting = setTimeout(fire, Math.max(0, ms) + 1).unref();
      const cancel = () => {
        clearTimeout(waiting);
        timers.delete(timer);
      };
      const timer = {
        at: now() + Math.max(0, ms),
        run: () => {
          clearTimeout(waiting);
          run();
        },
      };
      timers.add(timer);
      return cancel;
    },
    next: () => earliest(timers)?.at ?? Number.POSITIVE_INFINITY,
    skipTo(time) {
      // Whole ms, as of any clock.
      ahead += Math.max(0, Math.round(time - now()));
      fire();
    },
  };
};

/**
 * Lets others sleep until the time that `dueAt` tells: `wait` resolves once it has come, or when `signal` aborts.
 * Call `check` whenever `dueAt` may have become earlier.
 */
export const createWakeup = (clock: Clock, dueAt: () => number) => {
  const sleepers = new Set<() => void>();
  let cancel = () => {};
  const check = (): void => {
    cancel();
    if (sleepers.size === 0) return;
    const wait = dueAt() - clock.now();
    if (wait <= 0) for (const wake of sleepers) wake();
    else if (Number.isFinite(wait)) cancel = clock.after(wait, check);
  };
  const wait = (signal?: AbortSignal): Promise<void> =>
    new Promise((resolve) => {
      if (signal?.aborted) return resolve();
      const wake = () => {
        sleepers.delete(wake);
        signal?.removeEventListener('abort', wake);
        resolve();
      };
      signal?.addEventListener('abort', wake);
      sleepers.add(wake);
      check();
    });
  return { check, wait };
};
