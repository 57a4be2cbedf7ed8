/**
 * Default durations (s) for the fall states, and for the pause after a bed exit. They are separate from the
 * configuration fields, because code that computes the sensor state needs only these.
 */
export const defaultDurations = {
  durationUntilConfirmSec: 52,
  energyDurationUntilConfirm: 30,
  confirmedToAlertTimeoutSec: 40,
  callingToFinishTime: 30,
  callingDurationSec: 30,
  bedExitSuspendDuration: 900,
} as const;
