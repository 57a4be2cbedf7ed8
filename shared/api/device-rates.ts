type Counted = { calls: number; messages: number };

/**
 * Counts what devices say in the current second, in the memory of this process: a limit is exact within one process, and
 * costs no write.
 */
export const createDeviceRates = () => {
  let second = 0;
  let counts = new Map<string, Counted>();
  return {
    /** Counts a call with so many messages; gives how many there were of `subject` in this second, with it. */
    count: (subject: string, messages: number, now: number): Counted => {
      const current = Math.floor(now / 1_000);
      if (current !== second) counts = new Map();
      second = current;
      const before = counts.get(subject) ?? { calls: 0, messages: 0 };
      const counted = { calls: before.calls + 1, messages: before.messages + messages };
      counts.set(subject, counted);
      return counted;
    },
  };
};
export type DeviceRates = ReturnType<typeof createDeviceRates>;
