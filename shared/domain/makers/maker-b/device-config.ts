import { fieldsFor } from '../device-fields.ts';
import type { DeviceConfigParts } from '../maker.ts';
import { basicFields, fallFields, vitalFields } from './config.ts';

export const configOfMakerB: DeviceConfigParts = {
  roomOf: () => ({}),
  configsOf: (sensor, stored) => {
    const told = fieldsFor(sensor);
    return {
      basic: told(basicFields, { ...stored.basic, name: sensor.name }),
      fall: told(fallFields, stored.fall),
      vitalData: told(vitalFields, stored['vital-data']),
    };
  },
};
