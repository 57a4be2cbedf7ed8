/** Time and chance of the machine itself, whatever time a host shows: for pauses and timeouts, never for what is stored. */
export type Machine = {
  sleep: (ms: number) => Promise<void>;
  /** Calls `run` once, `ms` from now; the function that it returns cancels. */
  after: (ms: number, run: () => void) => () => void;
  /** ms since some moment; it never goes back. */
  elapsed: () => number;
  /** In [0, 1). */
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
