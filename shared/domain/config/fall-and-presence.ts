import { defaultDurations as durations } from './durations.ts';
import { booleanField, choiceField, integerField } from './field.ts';

/** Fall detection, and how long each fall state lasts. */
export const criticalFallFields = {
  reportFallsToMqtt: booleanField(true, 'reports falls'),
  silentModeEnabled: booleanField(false, 'falls are recorded, but no rule notifies anybody'),
  demoModeEnabled: booleanField(false, 'for demonstrations only, not for production'),
  fallingSensitivity: choiceField([1, 2], 1, '1 low, 2 regular'),
  fallingTrigger: choiceField([0, 1], 0, 'opaque', { until: 34 }),
  maxTargetsForFallingTrigger: integerField(0, 'targets', { until: 29 }),
  durationUntilConfirmSec: integerField(
    durations.durationUntilConfirmSec,
    'seconds in state detected before confirmed: this or energyDurationUntilConfirm, whichever is longer',
    { from: 40 },
  ),
  energyDurationUntilConfirm: integerField(
    durations.energyDurationUntilConfirm,
    'seconds at the fall location before confirmed; recommended: 60% of durationUntilConfirmSec',
    { from: 42 },
  ),
  confirmedToAlertTimeoutSec: integerField(
    durations.confirmedToAlertTimeoutSec,
    'seconds in state confirmed before calling; lower values can cause false alarms',
  ),
  callingToFinishTime: integerField(durations.callingToFinishTime, 'seconds in state calling before finished', {
    until: 38,
  }),
  callingDurationSec: integerField(durations.callingDurationSec, 'seconds in state calling before finished', {
    from: 38,
  }),
  sensitivityModeEnabled: booleanField(true, 'detects falls with high sensitivity', { from: 38 }),
  sensitivityModeMinEvents: integerField(5, 'consecutive detections that raise the alert', { from: 38 }),
  sensitivityModeRequiredLoops: integerField(4, 'detections that must meet the criterion', { from: 38 }),
  sensitivityLevel: integerField(78, 'confidence above which a suspected fall counts as that of a person', {
    from: 38,
  }),
  fallingMitigatorThreshold: integerField(0, 'result of the mitigator below which there is no fall', { from: 42 }),
} as const;

/** Presence, doors and beds. */
export const criticalPresenceFields = {
  reportPresenceToMqtt: booleanField(true, 'reports presence'),
  targetPositionChangeThresholdCm: integerField(20, 'change of position that counts as motion, cm', { until: 29 }),
  presenceReportMinRateSec: integerField(60, 'seconds between presence messages that report no change'),
  presenceReportPeriodicEnabled: booleanField(true, 'reports presence periodically', { from: 42 }),
  doorEventsEnabled: booleanField(true, 'needs a door region', { from: 38 }),
  bedExitEnabled: booleanField(true, 'needs a bed region', { from: 38 }),
  bedExitSuspendDuration: integerField(
    durations.bedExitSuspendDuration,
    'seconds after a bed exit without further bed exit events',
    { from: 42 },
  ),
  bedExitPredictionThreshold: integerField(90, 'unused', { from: 42 }),
  bedExitFramesToReset: integerField(100, 'frames after a bed exit until the tracker is reset', { from: 42 }),
  bedExitSuspendTelemetryEnabled: booleanField(true, 'sends telemetry about that suspension', { from: 42 }),
  trackerTargetPolicy: choiceField([0, 1], 0, 'opaque', { from: 38, until: 41 }),
} as const;
