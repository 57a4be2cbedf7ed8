import * as z from 'zod';
import { choice, type Field, flag, hostField, whole, words } from './field.ts';

const MAC = z.string().regex(/^[0-9a-fA-F]{2}(:?)(?:[0-9a-fA-F]{2}\1){4}[0-9a-fA-F]{2}$/);
const macList: Field<string[]> = {
  schema: z.array(MAC).max(64),
  byDefault: [],
  from: 42,
  note: 'MAC addresses of the beacons that are looked for; all other devices are ignored',
};
const mustBeTrue: Field<true> = { schema: z.literal(true), byDefault: true, note: 'must not be deactivated' };

/** How a fall is found, and how long it stays in each state. */
const falling = {
  reportFallsToMqtt: flag(true, 'falls are reported'),
  silentModeEnabled: flag(false, 'the sensor stays silent'),
  demoModeEnabled: flag(false, 'for demonstrations, not for productive use'),
  fallingSensitivity: choice([1, 2], 1, '1 low, 2 regular'),
  fallingTrigger: choice([0, 1], 0, 'opaque', { until: 34 }),
  maxTargetsForFallingTrigger: whole(0, 'targets', { until: 29 }),
  durationUntilConfirmSec: whole(52, 'seconds in state detected before confirmed', { from: 40 }),
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

/** Presence, doors, beds. */
const presence = {
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

/** The radar and the product that it makes of the sensor. */
const radar = {
  regulationZone: choice(['WW', 'JP'], 'WW', 'radio regulation; JP is required in Japan', { from: 42 }),
  bandwidth: choice(['BW500', 'BW2500'], 'BW500', 'transmission bandwidth, MHz', { from: 42 }),
  functionType: choice(['Falling', 'BedExit', 'Bathroom'], 'Falling', 'product type', { from: 42 }),
  functionAlgorithm: choice(['Falling', 'Tracking'], 'Falling', 'algorithm profile', { from: 42 }),
  heatupEnabled: flag(true, 'warm-up at the start; advised', { from: 38 }),
  agcEnabled: flag(true, 'gain calibration before monitoring; advised', { from: 38 }),
  radarMode: choice([0, 1], 0, 'opaque', { from: 34, until: 39 }),
} as const;

/** Service, logs and recordings. */
const service = {
  enableAnalytics: mustBeTrue,
  offlineModeEnabled: flag(false, 'works without a connection', { from: 38 }),
  httpLogEnabled: flag(true, 'logs are kept and sent on reboot', { from: 42 }),
  ntpServerPrimary: hostField('europe.pool.ntp.org', 'asked when the provisioned time server fails', { from: 42 }),
  ntpServerSecondary: hostField('us.pool.ntp.org', 'asked when the primary fails', { from: 42 }),
  subscriptionExpired: flag(false, 'the subscription has ended', { until: 29 }),
  dspRecordReportingEnabled: flag(false, 'recordings are reported', { from: 38 }),
  dspRecordMaxLatency: whole(10, 'seconds that data may wait before it is sent', { from: 42 }),
} as const;

/** Bluetooth and WiFi. */
const network = {
  bleBeaconScannerEnabled: flag(false, 'beacons are looked for', { from: 42 }),
  bleBeaconRssiThreshold: whole(-80, 'weaker beacons are ignored, dBm', { from: 42 }),
  bleBeaconMacAddr: macList,
  bleServerType: choice(['MakerAApp', 'Custom1'], 'MakerAApp', 'operational BLE', { from: 42 }),
  bleDeviceName: words(1, 64, 'VC000', 'name of the BLE server', { from: 42 }),
  wifiRssiMonitorEnabled: flag(false, 'WiFi RSSI monitor', { from: 42 }),
  wifiRssiMonitorThreshold: whole(-70, 'average RSSI at which a better access point is looked for, dBm', { from: 42 }),
  wifiRssiMonitorRequiredSamples: whole(30, 'samples needed for that', { from: 42 }),
  wifiHealthMonitorEnabled: flag(false, 'restarts WiFi when a condition is met', { from: 42 }),
  wifiHealthMonitorRestartDuration: whole(240, 'seconds of interruption that restart WiFi', { from: 42 }),
  wifiHealthMonitorBurstLimit: whole(15, 'bursts above which another access point is looked for', { from: 42 }),
  wifiHealthMonitorMaxDisconnects: whole(15, 'disconnections an hour above which another access point is looked for', {
    from: 42,
  }),
} as const;

/** D1 O18: only a system admin reads and writes it. */
export const criticalFields = { ...falling, ...presence, ...radar, ...service, ...network } as const;
