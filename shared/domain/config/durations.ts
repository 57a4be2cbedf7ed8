/**
 * Default durations (s) for the fall states, and for the pause after a bed exit. Kept apart from the configuration
 * fields, because computing the sensor state needs nothing else.
 */
export const defaultDurations = {
  durationUntilConfirmSec: 52,
  energyDurationUntilConfirm: 30,
  confirmedToAlertTimeoutSec: 40,
  callingToFinishTime: 30,
  callingDurationSec: 30,
  bedExitSuspendDuration: 900,
} as const;
