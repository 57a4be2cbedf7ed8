/** The machine's own clock and random numbers, for pauses and timeouts. Times that are stored come from the host's clock. */
export type Machine = {
  sleep: (ms: number) => Promise<void>;
  /** Calls `run` once, `ms` from now; the function that it returns cancels. */
  after: (ms: number, run: () => void) => () => void;
  /** ms since an arbitrary moment; never goes back. */
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
