import { criticalFields } from '../../config/critical.ts';
import { fieldsFor } from '../device-fields.ts';
import type { DeviceConfigParts } from '../maker.ts';
import { newBasic, type StoredBasic, viewBasic } from './basic.ts';
import { basicFields, dryContactFields, firmwareFields, telemetryFields } from './config.ts';

export const configOfMakerA: DeviceConfigParts = {
  roomOf: ({ zMin, zMax, enterDuration, exitDuration }) => ({ zMin, zMax, enterDuration, exitDuration }),
  configsOf: (sensor, stored, now) => {
    const told = fieldsFor(sensor);
    return {
      basic: told(basicFields, viewBasic((stored.basic as StoredBasic | undefined) ?? newBasic, sensor, now)),
      dryContact: told(dryContactFields, stored['dry-contact']),
      firmware: told(firmwareFields, stored.firmware),
      telemetry: told(telemetryFields, stored.telemetry),
      critical: told(criticalFields, stored.critical),
    };
  },
};
