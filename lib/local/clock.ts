import { setImmediate } from 'node:timers/promises';

/** A controllable source of time. All values are in ms, and `now` counts from the Unix epoch. */
export type Clock = {
  now(): number;
  /** Calls `run` once, `ms` from now, at most 2^31-1 ms (24.8 days). Returns a function that cancels the call. */
  after(ms: number, run: () => void): () => void;
  /** Returns the ms since an arbitrary start, without jumps. A clock without `steady` is never set back. */
  steady?(): number;
};

/** The system clock. A pending timer does not keep the process alive. */
export const systemClock: Clock = {
  now: Date.now,
  after(ms, run) {
    const timer = setTimeout(run, ms).unref();
    return () => clearTimeout(timer);
  },
  steady: () => performance.now(),
};

/** The minimum change (ms) that counts as setting a clock back. Time servers correct smaller differences gradually. */
const MIN_JUMP_MS = 1_000;

/** Returns a function that reports how far (ms) a clock has been set back since the previous call. */
export const setBackOf = ({ now, steady = now }: Clock): (() => number) => {
  let ahead = now() - steady();
  return () => {
    const before = ahead;
    ahead = now() - steady();
    return before - ahead >= MIN_JUMP_MS ? before - ahead : 0;
  };
};

/** A clock that moves only when `advance` is called. */
export type VirtualClock = Clock & {
  /**
   * Moves time forward and runs due timers in chronological order, including any set along the way. Timers due at the
   * same time run in the order they were set. All pending promise callbacks run before, between and after the timers.
   * Only one call at a time is allowed.
   */
  advance(ms: number): Promise<void>;
};

type Timer = { at: number; run: () => void };

const earliest = (timers: Iterable<Timer>): Timer | undefined => {
  let first: Timer | undefined;
  for (const timer of timers) if (!first || timer.at < first.at) first = timer;
  return first;
};

/** Creates a virtual clock starting at `start` (ms since the Unix epoch). */
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
      // One turn of the event loop drains the microtask queue, however long the promise chains are.
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

/** The longest Node timer delay (ms). */
const MAX_TIMEOUT_MS = 2 ** 31 - 1;

/** A clock that runs in real time and can be moved ahead. */
export type SkippingClock = Clock & {
  /** When (ms) the next timer is due. Infinity if there is none. */
  nextDue(): number;
  /** Moves the clock ahead to the given time. A time in the past is ignored. Due timers run immediately, in order. */
  skipTo(time: number): void;
};

/**
 * Creates a clock starting at `start` (ms since the Unix epoch). Unlike a virtual clock, it keeps running, so code with
 * brief waits does not get stuck.
 */
export const skippingClock = (start: number): SkippingClock => {
  const timers = new Set<Timer>();
  let ahead = start - Date.now();
  let wakeup: NodeJS.Timeout | undefined;
  const now = () => Date.now() + ahead;
  /** Sets the single real timer for the earliest pending timer. A skip brings all timers closer. */
  const arm = (): void => {
    clearTimeout(wakeup);
    const first = earliest(timers);
    if (first) wakeup = setTimeout(fire, Math.min(MAX_TIMEOUT_MS, Math.max(0, first.at - now()) + 1)).unref();
  };
  const fire = (): void => {
    for (let next = earliest(timers); next && next.at <= now(); next = earliest(timers)) {
      timers.delete(next);
      next.run();
    }
    arm();
  };
  return {
    now,
    after(ms, run) {
      const timer = { at: now() + Math.max(0, ms), run };
      timers.add(timer);
      arm();
      return () => void timers.delete(timer);
    },
    nextDue: () => earliest(timers)?.at ?? Number.POSITIVE_INFINITY,
    skipTo(time) {
      // Like every clock here, this one returns whole ms.
      ahead += Math.max(0, Math.round(time - now()));
      fire();
    },
  };
};

/**
 * Lets callers sleep until the time returned by `dueAt`. `wait` resolves once that time has come, or when `signal`
 * aborts. Call `check` whenever `dueAt` may have moved to an earlier time.
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
