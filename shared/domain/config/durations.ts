import { integerField } from './field.ts';

// Separate from the other fields, because the state of each sensor follows from these.

/** The durations of the states of a fall. */
export const fallDurationFields = {
  durationUntilConfirmSec: integerField(
    52,
    'seconds in state detected before confirmed: this or energyDurationUntilConfirm, whichever is longer',
    { from: 40 },
  ),
  energyDurationUntilConfirm: integerField(
    30,
    'seconds at the fall location before confirmed; recommended: 60% of durationUntilConfirmSec',
    { from: 42 },
  ),
  confirmedToAlertTimeoutSec: integerField(
    40,
    'seconds in state confirmed before calling; lower values can cause false alarms',
  ),
  callingToFinishTime: integerField(30, 'seconds in state calling before finished', { until: 38 }),
  callingDurationSec: integerField(30, 'seconds in state calling before finished', { from: 38 }),
} as const;

/** The duration of what follows a bed exit. */
export const bedExitDurationFields = {
  bedExitSuspendDuration: integerField(900, 'seconds after a bed exit without further bed exit events', { from: 42 }),
} as const;
