import * as z from 'zod';
import { configOperations } from '#shared/api/device/config-operations.ts';
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
const bodyAndResponse = <S>(schema: S) => ({ body: schema, response: schema });

const BasicUpdate = schemaOf(basicFields);
const Basic = BasicUpdate.extend({ learningModeEndDate: millis.nullable() }).meta({ id: 'MakerABasicConfig' });

const basic = configOperations({ ...common, name: 'basic', may: 'manage_sensors', body: BasicUpdate, response: Basic });
const dryContact = configOperations({
  ...common,
  name: 'dry-contact',
  may: 'edit_sensor_config',
  ...bodyAndResponse(schemaOf(dryContactFields).meta({ id: 'MakerADryContactConfig' })),
});
const firmware = configOperations({
  ...common,
  name: 'firmware',
  may: 'edit_sensor_config',
  ...bodyAndResponse(schemaOf(firmwareFields).meta({ id: 'MakerAFirmwareConfig' })),
});
const telemetry = configOperations({
  ...common,
  name: 'telemetry',
  may: 'edit_sensor_config',
  ...bodyAndResponse(schemaOf(telemetryFields).meta({ id: 'MakerATelemetryConfig' })),
});
/** Built on first use, because all the fields would add 5 ms to every cold start. */
const Critical = z.lazy(() => schemaOf(criticalFields).meta({ id: 'MakerACriticalConfig' }));
const critical = configOperations({
  ...common,
  name: 'critical',
  may: 'system_admin',
  ...bodyAndResponse(Critical),
  description:
    'If a device stops reporting on a fall, timers advance the fall: it is confirmed after the larger of ' +
    '`durationUntilConfirmSec` and `energyDurationUntilConfirm`, called after `confirmedToAlertTimeoutSec`, and ' +
    'finished after `callingDurationSec` (before v0.38 `callingToFinishTime`), each only if the firmware supports ' +
    'the setting. Such an event is dated according to these values, and is sent up to 3 s later, so that a device ' +
    'report takes precedence.',
});

export const makerAConfig = group({
  name: 'maker-a-config',
  about: 'Configurations of maker A sensors',
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
