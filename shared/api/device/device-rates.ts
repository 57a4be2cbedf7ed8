import { MESSAGES } from '#shared/domain/event/raw.ts';
import type { Settings } from '#shared/runtime/env.ts';

/** How many calls per second a device may make. */
const DEVICE_CALLS = 20;

/**
 * Gives how many calls and messages a device may send in one second. The limits are the same for HTTP and MQTT, and 0
 * means no limit.
 */
export const deviceLimits = ({
  RATE_LIMIT_PER_SECOND,
  QUOTAS,
}: Pick<Settings, 'RATE_LIMIT_PER_SECOND' | 'QUOTAS'>) => ({
  calls: RATE_LIMIT_PER_SECOND === 0 ? 0 : DEVICE_CALLS,
  messages: QUOTAS.messagesPerSecond,
});

/** Has a device sent more in one second than the limits allow? */
export const isOver = (counted: Counted, limits: Counted): boolean =>
  (limits.messages > 0 && counted.messages > limits.messages) || (limits.calls > 0 && counted.calls > limits.calls);

type Counted = { calls: number; messages: number };

/** A device that calls this process more often than so in a minute is busy: its falls are counted, too. */
const BUSY_CALLS = 60;

/**
 * Counts the calls and messages of devices in the current second, in the memory of this process. The limit is exact
 * only within one process, but counting costs no write.
 */
export const createDeviceRates = () => {
  let second = 0;
  let counts = new Map<string, Counted>();
  let minute = 0;
  let callsOfMinute = new Map<string, number>();
  return {
    /** Counts a call of a device. Does it call very often? */
    isBusy: (subject: string, now: number): boolean => {
      const current = Math.floor(now / 60_000);
      if (current !== minute) callsOfMinute = new Map();
      minute = current;
      const calls = (callsOfMinute.get(subject) ?? 0) + 1;
      callsOfMinute.set(subject, calls);
      return calls > BUSY_CALLS;
    },
    /** Counts a call with `messages` messages, and gives the counts of `subject` in this second, this call included. */
    count: (subject: string, messages: number, now: number): Counted => {
      const current = Math.floor(now / 1_000);
      if (current !== second) counts = new Map();
      second = current;
      const before = counts.get(subject) ?? { calls: 0, messages: 0 };
      // A call with more messages than one may have is refused for that, and none of them is accepted.
      const accepted = messages > MESSAGES.count ? 0 : messages;
      const counted = { calls: before.calls + 1, messages: before.messages + accepted };
      counts.set(subject, counted);
      return counted;
    },
  };
};
export type DeviceRates = ReturnType<typeof createDeviceRates>;
