import * as z from 'zod';
import { configPair } from '#shared/api/device/config-pair.ts';
import { group } from '#shared/api/operation.ts';
import { criticalFields } from '#shared/domain/config/critical.ts';
import { schemaOf } from '#shared/domain/config/field.ts';
import {
  basicFields,
  dryContactFields,
  firmwareFields,
  telemetryFields,
} from '#shared/domain/makers/maker-a/config.ts';
import { SensorId } from '#shared/domain/sensor/sensor.ts';
import { millis } from '#shared/domain/values.ts';

const common = { maker: 'maker_a', params: z.object({ sensorId: SensorId }) } as const;
const same = <S>(schema: S) => ({ body: schema, response: schema });

const BasicUpdate = schemaOf(basicFields);
const Basic = BasicUpdate.extend({ learningModeEndDate: millis.nullable() }).meta({ id: 'MakerABasicConfig' });

const basic = configPair({ ...common, name: 'basic', may: 'manage_sensors', body: BasicUpdate, response: Basic });
const dryContact = configPair({
  ...common,
  name: 'dry-contact',
  may: 'edit_sensor_config',
  ...same(schemaOf(dryContactFields).meta({ id: 'MakerADryContactConfig' })),
});
const firmware = configPair({
  ...common,
  name: 'firmware',
  may: 'edit_sensor_config',
  ...same(schemaOf(firmwareFields).meta({ id: 'MakerAFirmwareConfig' })),
});
const telemetry = configPair({
  ...common,
  name: 'telemetry',
  may: 'edit_sensor_config',
  ...same(schemaOf(telemetryFields).meta({ id: 'MakerATelemetryConfig' })),
});
/** Its schema is made at its first use: that of so many fields would take some 5 ms of every start. */
const Critical = z.lazy(() => schemaOf(criticalFields).meta({ id: 'MakerACriticalConfig' }));
const critical = configPair({
  ...common,
  name: 'critical',
  may: 'system_admin',
  ...same(Critical),
  description:
    'Where a device says no more of a fall, time moves it on: it is confirmed after the larger of durationUntilConfirmSec and ' +
    'energyDurationUntilConfirm, called after confirmedToAlertTimeoutSec, and finished after callingDurationSec (before v0.38 ' +
    'callingToFinishTime), each from the firmware that supports it. Such an event has the date that these values give, and is ' +
    'told up to 3 s later, so that the word of the device comes first.',
});

export const makerAConfig = group({
  name: 'maker-a-config',
  about: 'Configurations of sensors of maker A',
  operations: {
    getMakerABasicConfig: basic.get,
    putMakerABasicConfig: basic.put,
    getMakerADryContactConfig: dryContact.get,
    putMakerADryContactConfig: dryContact.put,
    getMakerAFirmwareConfig: firmware.get,
    putMakerAFirmwareConfig: firmware.put,
    getMakerATelemetryConfig: telemetry.get,
    putMakerATelemetryConfig: telemetry.put,
    getMakerACriticalConfig: critical.get,
    putMakerACriticalConfig: critical.put,
  },
});
