/**
 * The default durations (s) of the states of a fall, and of what follows a bed exit. Separate from the fields of the
 * configuration, because the state of each sensor follows from these alone.
 */
export const defaultDurations = {
  durationUntilConfirmSec: 52,
  energyDurationUntilConfirm: 30,
  confirmedToAlertTimeoutSec: 40,
  callingToFinishTime: 30,
  callingDurationSec: 30,
  bedExitSuspendDuration: 900,
} as const;
