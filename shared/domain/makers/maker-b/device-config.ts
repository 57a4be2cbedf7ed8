import { fieldsFor } from '../device-fields.ts';
import type { DeviceConfigParts } from '../maker.ts';
import { basicFields, fallFields, vitalFields } from './config.ts';

export const configOfMakerB: DeviceConfigParts = {
  roomOf: () => ({}),
  configsOf: (sensor, stored) => {
    const fields = fieldsFor(sensor);
    return {
      basic: fields(basicFields, { ...stored.basic, name: sensor.name }),
      fall: fields(fallFields, stored.fall),
      vitalData: fields(vitalFields, stored['vital-data']),
    };
  },
};
