import { setImmediate } from 'node:timers/promises';

/** Time as an argument, so that tests can control it. All values are ms; `now` counts from the Unix epoch. */
export type Clock = {
  now(): number;
  /** Calls `run` once, `ms` from now, at most 2^31-1 ms (24.8 days). Returns a function that cancels the call. */
  after(ms: number, run: () => void): () => void;
};

/** The time of this machine. A waiting timer doesn't keep the process alive. */
export const systemClock: Clock = {
  now: Date.now,
  after(ms, run) {
    const timer = setTimeout(run, ms).unref();
    return () => clearTimeout(timer);
  },
};

/** A clock that moves only when `advance` is called. */
export type VirtualClock = Clock & {
  /**
   * Moves time forward and runs the timers that become due, including those that are set meanwhile: in order of time,
   * and at equal times in the order in which they were set. Before, between and after the timers, all pending promise
   * callbacks run. Only one call at a time is allowed.
   */
  advance(ms: number): Promise<void>;
};

type Timer = { at: number; run: () => void };

const earliest = (timers: Iterable<Timer>): Timer | undefined => {
  let first: Timer | undefined;
  for (const timer of timers) if (!first || timer.at < first.at) first = timer;
  return first;
};

/** Creates a virtual clock that shows `start`, in ms since the Unix epoch. */
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

/** A clock that runs with that of the machine, and can be set ahead. */
export type SkippingClock = Clock & {
  /** The time (ms) when the next timer is due; Infinity when there is none. */
  next(): number;
  /** Sets the clock to a time; a time in the past is ignored. Timers that become due run at once, in order. */
  skipTo(time: number): void;
};

/**
 * Creates a clock that shows `start` (ms since the Unix epoch) now. Unlike a virtual clock it continues to run, so
 * code that waits for a short time goes on.
 */
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
      // The clock shows whole ms, as every clock here.
      ahead += Math.max(0, Math.round(time - now()));
      fire();
    },
  };
};

/**
 * Lets callers sleep until the time that `dueAt` gives: `wait` resolves once this time has come, or when `signal`
 * aborts. Call `check` whenever `dueAt` may have become earlier.
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
