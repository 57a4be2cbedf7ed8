import {
  booleanField,
  type ConfigValues,
  choiceField,
  field,
  integerField,
  textField,
} from '#shared/domain/config/field.ts';
import { SENSOR_NAME_LENGTH } from '#shared/domain/sensor/sensor.ts';
import { int32 } from '#shared/domain/values.ts';

/**
 * The D1 O14 fields without `learningModeEndDate`, which only responses have. `name` and `optimizationEnabled` are
 * stored in the sensor.
 */
export const basicFields = {
  name: textField(SENSOR_NAME_LENGTH, 'Sensor 0A1B', 'sensor name; initially the last 4 digits of the hardware id'),
  volume: integerField(0, 'volume of the fall beep; 0 is off', { min: 0, max: 100 }),
  ledMode: choiceField([0, 1, 2], 0, '0 off, 1 on, 2 errors only'),
  learningModeEnabled: booleanField(
    false,
    'true starts the 14-day learning phase, which ends with the event `sensor/learning_completed`, and discards the ' +
      'active sensitivity map',
  ),
  testModeEnabled: booleanField(false, 'turns itself off after 24 h, and when the learning phase ends', { from: 31 }),
  fallingMitigatorEnabled: booleanField(false, 'fewer false alarms, at the risk of missing a few real falls', {
    from: 40,
  }),
  optimizationEnabled: booleanField(true, 'feedback may be used to improve detection'),
} as const;

/** The O14 request body. */
export type BasicUpdate = ConfigValues<typeof basicFields>;
/** The O14 response. `learningModeEndDate` (ms) is null outside a learning phase. */
export type Basic = BasicUpdate & { learningModeEndDate: number | null };

const mode = (contact: string) => choiceField([0, 1], 0, `${contact}: 0 active low, 1 active high`);
const policy = (contact: string) =>
  choiceField(
    [0, 1, 2, 3, 4, 6],
    0,
    `${contact}: 0 off, 1 fall, 2 out of bed, 3 sensitive fall, 4 any fall, 6 bed exit`,
  );

/** The D1 O15 fields. */
export const dryContactFields = {
  primaryMode: mode('primary contact'),
  primaryPolicy: policy('primary contact'),
  secondaryMode: mode('secondary contact'),
  secondaryPolicy: policy('secondary contact'),
  activationDurationSec: integerField(30, 'how long (s) the contact stays active after a fall', {
    min: 1,
    max: 300,
    from: 40,
  }),
} as const;

const logLevels = ['Disable', 'Verbose', 'Debug', 'QaDebug', 'Info', 'Warn', 'Error'] as const;

const pinned = field<number | null>(
  () => int32(1, 2_147_483_647).nullable(),
  null,
  'versionCode to install at the next start, regardless of the global version; null: the global version',
);

/** The D1 O16 fields. */
export const firmwareFields = {
  firmwareVersion: pinned,
  otaEnabled: booleanField(true, 'over-the-air updates', { until: 38 }),
  logLevel: choiceField([-1, 0, 1, 2, 3], 1, '-1 verbose, 0 debug, 1 info, 2 warning, 3 error'),
  mqttLogLevelLive: choiceField(logLevels, 'Info', 'lowest level of log messages sent at once', { from: 42 }),
  mqttLogLevelOnDemand: choiceField(logLevels, 'Debug', 'lowest level of log messages kept and sent on request', {
    from: 42,
  }),
} as const;

/** The D1 O17 fields. */
export const telemetryFields = {
  policy: choiceField([0, 1, 2], 2, '0 off, 1 always, 2 on fall'),
  transport: choiceField([0, 1, 2], 1, '0 MQTT QoS 0, 1 MQTT QoS 1, 2 HTTP'),
} as const;
