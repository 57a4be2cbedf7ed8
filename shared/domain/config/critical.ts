import * as z from 'zod';
import { criticalFallFields, criticalPresenceFields } from './fall-and-presence.ts';
import { booleanField, choiceField, field, hostField, integerField, textField } from './field.ts';

const MAC = /^([0-9a-fA-F]{2}(:[0-9a-fA-F]{2}){5}|[0-9a-fA-F]{12})$/;
const macList = field<string[]>(
  () => z.array(z.string().regex(MAC)).max(64),
  [],
  'MAC addresses of the beacons to scan for; all other devices are ignored',
  { from: 42 },
);
const mustBeTrue = field<true>(() => z.literal(true), true, 'cannot be turned off');

/** Radar and product type. */
const radar = {
  regulationZone: choiceField(['WW', 'JP'], 'WW', 'radio regulation; JP is required in Japan', { from: 42 }),
  bandwidth: choiceField(['BW500', 'BW2500'], 'BW500', 'transmission bandwidth, MHz', { from: 42 }),
  functionType: choiceField(['Falling', 'BedExit', 'Bathroom'], 'Falling', 'product type', { from: 42 }),
  functionAlgorithm: choiceField(['Falling', 'Tracking'], 'Falling', 'algorithm profile', { from: 42 }),
  heatupEnabled: booleanField(true, 'warm-up at start; recommended', { from: 38 }),
  agcEnabled: booleanField(true, 'gain calibration before monitoring; recommended', { from: 38 }),
  radarMode: choiceField([0, 1], 0, 'opaque', { from: 34, until: 39 }),
} as const;

/** Service, logs and recordings. */
const service = {
  enableAnalytics: mustBeTrue,
  offlineModeEnabled: booleanField(false, 'works without a connection', { from: 38 }),
  httpLogEnabled: booleanField(true, 'keeps logs and uploads them on reboot', { from: 42 }),
  ntpServerPrimary: hostField('europe.pool.ntp.org', 'used if the provisioned time server fails', { from: 42 }),
  ntpServerSecondary: hostField('us.pool.ntp.org', 'used if the primary fails', { from: 42 }),
  subscriptionExpired: booleanField(false, 'the subscription has expired', { until: 29 }),
  dspRecordReportingEnabled: booleanField(false, 'reports recordings', { from: 38 }),
  dspRecordMaxLatency: integerField(10, 'maximum seconds before recorded data is sent', { from: 42 }),
} as const;

/** Bluetooth and WiFi. */
const network = {
  bleBeaconScannerEnabled: booleanField(false, 'scans for beacons', { from: 42 }),
  bleBeaconRssiThreshold: integerField(-80, 'signal strength below which beacons are ignored, dBm', { from: 42 }),
  bleBeaconMacAddr: macList,
  bleServerType: choiceField(['MakerAApp', 'Custom1'], 'MakerAApp', 'operational BLE', { from: 42 }),
  bleDeviceName: textField([1, 64], 'VC000', 'name of the BLE server', { from: 42 }),
  wifiRssiMonitorEnabled: booleanField(false, 'monitors the WiFi signal strength', { from: 42 }),
  wifiRssiMonitorThreshold: integerField(-70, 'average RSSI below which a better access point is searched for, dBm', {
    from: 42,
  }),
  wifiRssiMonitorRequiredSamples: integerField(30, 'samples required for the average', { from: 42 }),
  wifiHealthMonitorEnabled: booleanField(false, 'restarts WiFi when a condition is met', { from: 42 }),
  wifiHealthMonitorRestartDuration: integerField(240, 'seconds of interruption after which WiFi restarts', {
    from: 42,
  }),
  wifiHealthMonitorBurstLimit: integerField(15, 'bursts above which another access point is searched for', {
    from: 42,
  }),
  wifiHealthMonitorMaxDisconnects: integerField(
    15,
    'disconnects per hour above which another access point is searched for',
    {
      from: 42,
    },
  ),
} as const;

/** The critical configuration (D1 O18), which only a system admin may read and write. */
export const criticalFields = {
  ...criticalFallFields,
  ...criticalPresenceFields,
  ...radar,
  ...service,
  ...network,
} as const;
