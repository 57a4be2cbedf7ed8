/**
 * The default durations (s) of the states of a fall, and of the pause after a bed exit. Separate from the fields of the
 * configuration, because computing the state of a sensor needs only these durations.
 */
export const defaultDurations = {
  durationUntilConfirmSec: 52,
  energyDurationUntilConfirm: 30,
  confirmedToAlertTimeoutSec: 40,
  callingToFinishTime: 30,
  callingDurationSec: 30,
  bedExitSuspendDuration: 900,
} as const;
