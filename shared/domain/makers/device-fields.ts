import { defaultsOf, type Fields, understood, type Values } from '../config/field.ts';
import type { SensorRecord } from '../sensor.ts';

/** The fields of a configuration as a device is told them: what was put, else the defaults, as far as its firmware goes. */
export const fieldsFor =
  ({ firmwareVersion }: SensorRecord) =>
  <F extends Fields>(fields: F, values: object | undefined) =>
    understood(fields, { ...defaultsOf(fields), ...values } as Values<F>, firmwareVersion);
