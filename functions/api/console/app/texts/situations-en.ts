import type { RuleHit } from 'openapi';

export type Situation = RuleHit['situation'];

/** The English name of each situation. */
export const situations: Record<Situation, string> = {
  fall_detected: 'Fall',
  fall_suspected: 'Fall suspected',
  empty_room: 'Room empty',
  occupied_room: 'Room occupied',
  sensor_inactive: 'Sensor silent',
  sensor_active: 'Sensor online',
  region_entered: 'Region entered',
  region_left: 'Region left',
  fall_detected_sensitive: 'Fall (sensitive)',
  fall_loop: 'Falls again and again',
  bed_left: 'Bed left',
  bed_entered: 'Bed entered',
  fall_confirmed: 'Fall confirmed',
  fall_canceled: 'Fall cancelled',
  fall_finished: 'Fall ended',
  fall_suspected_sensitive: 'Fall suspected (sensitive)',
  door_entered: 'Door region entered',
  door_left: 'Door region left',
  sitting_up_in_bed: 'Sitting up in bed',
  respiration_high: 'Breathing fast',
  respiration_low: 'Breathing slowly',
  apnea: 'No breathing',
  heart_rate_high: 'Heart rate high',
  heart_rate_low: 'Heart rate low',
  vital_signs_weak: 'Vital signs weak',
  sensor_weak_signal: 'Sensor signal weak',
  sensor_tilted: 'Sensor tilted',
  sensor_clock_wrong: 'Clock of the sensor wrong',
};
