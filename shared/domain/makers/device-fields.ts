import { defaultsOf, type Fields, understood, type Values } from '../config/field.ts';
import type { SensorRecord } from '../sensor/sensor.ts';

/**
 * Returns a function that selects the fields of a configuration for a device: stored values or defaults, without fields
 * that the firmware does not support.
 */
export const fieldsFor =
  ({ firmwareVersion }: SensorRecord) =>
  <F extends Fields>(fields: F, values: object | undefined) =>
    understood(fields, { ...defaultsOf(fields), ...values } as Values<F>, firmwareVersion);
