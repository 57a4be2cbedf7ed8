import { choice, flag, whole } from './field.ts';

/** Detection of falls, and the durations of their states. */
export const falling = {
  reportFallsToMqtt: flag(true, 'reports falls'),
  silentModeEnabled: flag(false, 'the sensor makes no sound'),
  demoModeEnabled: flag(false, 'for demonstrations only, not for production'),
  fallingSensitivity: choice([1, 2], 1, '1 low, 2 regular'),
  fallingTrigger: choice([0, 1], 0, 'opaque', { until: 34 }),
  maxTargetsForFallingTrigger: whole(0, 'targets', { until: 29 }),
  durationUntilConfirmSec: whole(
    52,
    'seconds in state detected before confirmed: this or energyDurationUntilConfirm, whichever is longer',
    { from: 40 },
  ),
  energyDurationUntilConfirm: whole(
    30,
    'seconds at the fall location before confirmed; recommended: 60% of durationUntilConfirmSec',
    { from: 42 },
  ),
  confirmedToAlertTimeoutSec: whole(
    40,
    'seconds in state confirmed before calling; lower values can cause false alarms',
  ),
  callingToFinishTime: whole(30, 'seconds in state calling before finished', { until: 38 }),
  callingDurationSec: whole(30, 'seconds in state calling before finished', { from: 38 }),
  sensitivityModeEnabled: flag(true, 'detects falls with high sensitivity', { from: 38 }),
  sensitivityModeMinEvents: whole(5, 'consecutive detections that raise the alert', { from: 38 }),
  sensitivityModeRequiredLoops: whole(4, 'detections that must meet the criterion', { from: 38 }),
  sensitivityLevel: whole(78, 'confidence above which a suspected fall counts as that of a person', { from: 38 }),
  fallingMitigatorThreshold: whole(0, 'result of the mitigator below which there is no fall', { from: 42 }),
} as const;

/** Presence, doors and beds. */
export const presence = {
  reportPresenceToMqtt: flag(true, 'reports presence'),
  targetPositionChangeThresholdCm: whole(20, 'change of position that counts as motion, cm', { until: 29 }),
  presenceReportMinRateSec: whole(60, 'seconds between presence messages that report no change'),
  presenceReportPeriodicEnabled: flag(true, 'reports presence periodically', { from: 42 }),
  doorEventsEnabled: flag(true, 'needs a door region', { from: 38 }),
  bedExitEnabled: flag(true, 'needs a bed region', { from: 38 }),
  bedExitSuspendDuration: whole(900, 'seconds after a bed exit without further bed exit events', { from: 42 }),
  bedExitPredictionThreshold: whole(90, 'unused', { from: 42 }),
  bedExitFramesToReset: whole(100, 'frames after a bed exit until the tracker is reset', { from: 42 }),
  bedExitSuspendTelemetryEnabled: flag(true, 'sends telemetry about that suspension', { from: 42 }),
  trackerTargetPolicy: choice([0, 1], 0, 'opaque', { from: 38, until: 41 }),
} as const;
