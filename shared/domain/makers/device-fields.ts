import { type ConfigValues, defaultsOf, type Fields, supportedFields } from '../config/field.ts';
import type { SensorRecord } from '../sensor/sensor.ts';

/**
 * Returns a function that selects the configuration fields for a device: stored values or defaults, excluding fields
 * the firmware does not support.
 */
export const fieldsFor =
  ({ firmwareVersion }: SensorRecord) =>
  <F extends Fields>(fields: F, values: object | undefined) =>
    supportedFields(fields, { ...defaultsOf(fields), ...values } as ConfigValues<F>, firmwareVersion);
