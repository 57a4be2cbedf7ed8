/** The machine timers and random numbers, for pauses and timeouts. Stored times come from the host clock. */
export type Machine = {
  sleep: (ms: number) => Promise<void>;
  /** Calls `run` once, after `ms`. Returns a function to cancel it. */
  after: (ms: number, run: () => void) => () => void;
  /** Milliseconds since an arbitrary moment, monotonic. */
  elapsed: () => number;
  /** A random number in [0, 1). */
  random: () => number;
};

export const machine: Machine = {
  sleep: (ms) => new Promise((resolve) => void setTimeout(resolve, ms)),
  after: (ms, run) => {
    const timer = setTimeout(run, ms);
    return () => clearTimeout(timer);
  },
  elapsed: () => performance.now(),
  random: Math.random,
};
