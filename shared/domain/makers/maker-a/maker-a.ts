import { criticalFields } from '../../config/critical.ts';
import { mountings, regionCounts } from '../../room-limits.ts';
import { deviceIdOf } from '../../sensor.ts';
import { fieldsFor } from '../device-fields.ts';
import type { Maker } from '../maker.ts';
import { newBasic, type StoredBasic, viewBasic } from './basic.ts';
import { basicFields, dryContactFields, firmwareFields, telemetryFields } from './config.ts';
import { decodeMakerA } from './decode.ts';

export const makerA: Maker = {
  // A MAC; its colons and case are free.
  hardwareId: /^[0-9a-f]{2}(:?)(?:[0-9a-f]{2}\1){4}[0-9a-f]{2}$/i,
  sensorIdOf: deviceIdOf,
  isIdOfHardware: true,
  decode: decodeMakerA,
  mountings: mountings.maker_a,
  regions: regionCounts.maker_a,
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
  hasLearningMode: true,
  getsFeedback: true,
};
