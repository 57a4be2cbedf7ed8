import { MESSAGE_LIMITS } from '#shared/domain/event/raw.ts';
import type { Settings } from '#shared/runtime/env.ts';

/** How many calls a device may make per second. */
const DEVICE_CALLS = 20;

/** Returns how many calls and messages a device may send per second, over HTTP and MQTT alike. 0 means no limit. */
export const deviceLimits = ({
  RATE_LIMIT_PER_SECOND,
  QUOTAS,
}: Pick<Settings, 'RATE_LIMIT_PER_SECOND' | 'QUOTAS'>) => ({
  calls: RATE_LIMIT_PER_SECOND === 0 ? 0 : DEVICE_CALLS,
  messages: QUOTAS.messagesPerSecond,
});

/** Whether a device has exceeded the per-second limits. */
export const exceedsLimits = (counted: Counted, limits: Counted): boolean =>
  (limits.messages > 0 && counted.messages > limits.messages) || (limits.calls > 0 && counted.calls > limits.calls);

type Counted = { calls: number; messages: number };

/** A device that makes more calls per minute than this is busy. Its falls are counted too. */
const BUSY_CALLS = 60;

/**
 * Counts device calls and messages in the current second, in process memory. That costs no write, but the limit is
 * exact only within a process.
 */
export const createDeviceRates = () => {
  let second = 0;
  let counts = new Map<string, Counted>();
  let minute = 0;
  let callsOfMinute = new Map<string, number>();
  return {
    /** Counts a call from a device and returns whether the device is busy. */
    isBusy: (subject: string, now: number): boolean => {
      const current = Math.floor(now / 60_000);
      if (current !== minute) callsOfMinute = new Map();
      minute = current;
      const calls = (callsOfMinute.get(subject) ?? 0) + 1;
      callsOfMinute.set(subject, calls);
      return calls > BUSY_CALLS;
    },
    /** Counts a call with `messages` messages, and returns the counts for `subject` in this second. */
    count: (subject: string, messages: number, now: number): Counted => {
      const current = Math.floor(now / 1_000);
      if (current !== second) counts = new Map();
      second = current;
      const before = counts.get(subject) ?? { calls: 0, messages: 0 };
      // A call with too many messages is rejected anyway, so its messages do not count.
      const accepted = messages > MESSAGE_LIMITS.count ? 0 : messages;
      const counted = { calls: before.calls + 1, messages: before.messages + accepted };
      counts.set(subject, counted);
      return counted;
    },
  };
};
export type DeviceRates = ReturnType<typeof createDeviceRates>;
