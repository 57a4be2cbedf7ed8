import { criticalFields } from '#shared/domain/config/critical.ts';
import { fieldsFor } from '../device-fields.ts';
import type { DeviceConfigParts } from '../maker.ts';
import { basicView, newBasic, type StoredBasic } from './basic.ts';
import { basicFields, dryContactFields, firmwareFields, telemetryFields } from './config.ts';

export const configOfMakerA: DeviceConfigParts = {
  roomOf: ({ zMin, zMax, enterDuration, exitDuration }) => ({ zMin, zMax, enterDuration, exitDuration }),
  configsOf: (sensor, stored, now) => {
    const fields = fieldsFor(sensor);
    return {
      basic: fields(basicFields, basicView((stored.basic as StoredBasic | undefined) ?? newBasic, sensor, now)),
      dryContact: fields(dryContactFields, stored['dry-contact']),
      firmware: fields(firmwareFields, stored.firmware),
      telemetry: fields(telemetryFields, stored.telemetry),
      critical: fields(criticalFields, stored.critical),
    };
  },
};
