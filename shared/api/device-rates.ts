import type { Settings } from '../env.ts';

/** Calls per second that a device may make. */
const DEVICE_CALLS = 20;

/** Calls and messages of a device in a second at the most, by whichever way they come; 0 of either: no limit. */
export const deviceLimits = ({
  RATE_LIMIT_PER_SECOND,
  QUOTAS,
}: Pick<Settings, 'RATE_LIMIT_PER_SECOND' | 'QUOTAS'>) => ({
  calls: RATE_LIMIT_PER_SECOND === 0 ? 0 : DEVICE_CALLS,
  messages: QUOTAS.messagesPerSecond,
});

/** Is it more than a device may say in a second? */
export const isOver = (counted: Counted, limits: Counted): boolean =>
  (limits.messages > 0 && counted.messages > limits.messages) || (limits.calls > 0 && counted.calls > limits.calls);

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
