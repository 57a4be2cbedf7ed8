import { booleanField, type ConfigValues, choiceField, integerField, textField } from '#shared/domain/config/field.ts';
import { SENSOR_NAME_LENGTH } from '#shared/domain/sensor/sensor.ts';

/** The D1 O19 fields. */
export const basicFields = {
  name: textField(SENSOR_NAME_LENGTH, 'Sensor 0A1B', 'sensor name; initially the last 4 digits of the hardware id'),
  workingMode: choiceField([3, 7, 11, 15], 15, 'bits: 1 and 2 people and track, 4 fall, 8 vital signs'),
} as const;

/** The D1 O20 fields. */
export const fallFields = {
  alarmTime: integerField(60, 'seconds', { min: 0, max: 250 }),
  sittingAlarmEnabled: booleanField(false, 'alarm for sitting on the ground; turns posture detection on'),
  sittingUpAlarmEnabled: booleanField(false, 'alarm for sitting up in bed; turns posture detection on'),
  postureDetectionEnabled: booleanField(true, 'posture detection'),
  sitDownAlarmTime: integerField(60, 'seconds', { min: 0, max: 100 }),
} as const;

/** The D1 O21 fields. An upper rate must not be below the lower rate. */
export const vitalFields = {
  respirationRateUpper: integerField(20, 'breaths per minute', { min: 10, max: 100 }),
  respirationRateLower: integerField(10, 'breaths per minute', { min: 1, max: 20 }),
  heartRateUpper: integerField(80, 'beats per minute', { min: 10, max: 255 }),
  heartRateLower: integerField(60, 'beats per minute', { min: 1, max: 100 }),
  continuousDetectionEnabled: booleanField(false, 'continuous detection'),
  weakVitalSignThresholdMinutes: integerField(10, 'minutes', { min: 1, max: 15 }),
  weakVitalSignSensitivity: integerField(5, 'sensitivity to weak vital signs', { min: 1, max: 99 }),
} as const;

/** The O19 configuration as stored. The name is stored in the sensor. */
export type StoredBasic = Pick<ConfigValues<typeof basicFields>, 'workingMode'>;
export const newBasic: StoredBasic = { workingMode: basicFields.workingMode.byDefault };

const FALL_BIT = 4;
/** Whether a sensor in this working mode detects falls. */
export const detectsFalls = (workingMode: number): boolean => (workingMode & FALL_BIT) !== 0;

/** Turns posture detection on if an enabled alarm needs it. */
export const withPosture = (values: ConfigValues<typeof fallFields>): ConfigValues<typeof fallFields> => ({
  ...values,
  postureDetectionEnabled: values.postureDetectionEnabled || values.sittingAlarmEnabled || values.sittingUpAlarmEnabled,
});
