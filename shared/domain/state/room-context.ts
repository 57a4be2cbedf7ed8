import { defaultDurations } from '../config/durations.ts';
import type { RegionBounds } from '../sensor/region-of-point.ts';
import type { Region } from '../sensor/room.ts';

/**
 * When a message was received (ms, service clock), and when what it reports happened (ms): the device time if trusted,
 * otherwise the time of receipt. The two can be equal by chance.
 */
export type MessageTime = { received: number; time: number; isTrusted: boolean };

/** Returns the times for a message. `deviceTime` (ms) is null if untrusted. */
export const messageTime = (received: number, deviceTime: number | null): MessageTime => ({
  received,
  time: deviceTime ?? received,
  isTrusted: deviceTime !== null,
});

/**
 * Whether a report is older than the previous report, which is from `last` (ms). A report without a trusted time is
 * never late.
 */
export const isLate = ({ time, isTrusted }: MessageTime, last = time): boolean => isTrusted && time < last;

/** How many seconds a fall stays in each state. `confirm` is null if the firmware has no such state. */
export type Timings = { confirm: number | null; alert: number; calling: number };

/** What a step may need besides the state. Each part is only loaded if `needsOf` asks for it. */
export type RoomContext = {
  regions: readonly Region[];
  /** The region bounds. */
  bounds: readonly RegionBounds[];
  timings: Timings;
  /** How long (s) after a bed exit further exits are not reported. */
  bedExitSuspend: number;
};

type Critical = Record<keyof typeof defaultDurations, number>;

/**
 * Returns the durations in a critical configuration, as used by the sensor firmware (v0.N). Defaults apply if `stored`
 * is null.
 */
export const durationsOf = (
  stored: Partial<Critical> | null,
  firmware: number,
): Omit<RoomContext, 'regions' | 'bounds'> => {
  const critical: Critical = { ...defaultDurations, ...stored };
  const seconds = (value: number) => Math.max(0, value);
  const energy = firmware >= 42 ? seconds(critical.energyDurationUntilConfirm) : 0;
  return {
    timings: {
      confirm: firmware >= 40 ? Math.max(seconds(critical.durationUntilConfirmSec), energy) : null,
      alert: seconds(critical.confirmedToAlertTimeoutSec),
      calling: seconds(firmware >= 38 ? critical.callingDurationSec : critical.callingToFinishTime),
    },
    bedExitSuspend: seconds(critical.bedExitSuspendDuration),
  };
};

export const noRoomContext: RoomContext = { regions: [], bounds: [], ...durationsOf(null, 42) };
