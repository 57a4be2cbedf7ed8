import { choice, flag, whole } from './field.ts';

/** How falls are detected, and how long a fall stays in each state. */
export const falling = {
  reportFallsToMqtt: flag(true, 'falls are reported'),
  silentModeEnabled: flag(false, 'the sensor stays silent'),
  demoModeEnabled: flag(false, 'for demonstrations, not for productive use'),
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
    'seconds at the fall location before confirmed; 60% of durationUntilConfirmSec is advised',
    { from: 42 },
  ),
  confirmedToAlertTimeoutSec: whole(40, 'seconds in state confirmed before calling; lower values risk false alarms'),
  callingToFinishTime: whole(30, 'seconds in state calling before finished', { until: 38 }),
  callingDurationSec: whole(30, 'seconds in state calling before finished', { from: 38 }),
  sensitivityModeEnabled: flag(true, 'sensitive falls', { from: 38 }),
  sensitivityModeMinEvents: whole(5, 'detections in a row that raise the alert', { from: 38 }),
  sensitivityModeRequiredLoops: whole(4, 'detections that must meet the criterion', { from: 38 }),
  sensitivityLevel: whole(78, 'confidence above which a suspected fall is a human one', { from: 38 }),
  fallingMitigatorThreshold: whole(0, 'a result of the mitigator below it means no fall', { from: 42 }),
} as const;

/** Presence, doors and beds. */
export const presence = {
  reportPresenceToMqtt: flag(true, 'presence is reported'),
  targetPositionChangeThresholdCm: whole(20, 'movement that counts as motion, cm', { until: 29 }),
  presenceReportMinRateSec: whole(60, 'seconds between presence messages, besides those on a change'),
  presenceReportPeriodicEnabled: flag(true, 'presence is reported periodically', { from: 42 }),
  doorEventsEnabled: flag(true, 'needs a door region', { from: 38 }),
  bedExitEnabled: flag(true, 'needs a bed region', { from: 38 }),
  bedExitSuspendDuration: whole(900, 'seconds without bed exit events after one', { from: 42 }),
  bedExitPredictionThreshold: whole(90, 'unused', { from: 42 }),
  bedExitFramesToReset: whole(100, 'frames after a bed exit until the tracker is reset', { from: 42 }),
  bedExitSuspendTelemetryEnabled: flag(true, 'telemetry of the suspension', { from: 42 }),
  trackerTargetPolicy: choice([0, 1], 0, 'opaque', { from: 38, until: 41 }),
} as const;
