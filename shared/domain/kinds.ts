/**
 * All the events that rules can watch for, by situation. `code` is the D2 Custom 1 eventType. Events without a code
 * reach webhooks in every other format.
 */
export const kinds = {
  fall_detected: { type: 'fall', action: 'fall_detected', code: 1 },
  fall_suspected: { type: 'fall', action: 'fall_suspected', code: 2 },
  empty_room: { type: 'presence', action: 'empty_room', code: 5 },
  occupied_room: { type: 'presence', action: 'occupied_room', code: 6 },
  sensor_inactive: { type: 'sensor', action: 'inactive', code: 7 },
  sensor_active: { type: 'sensor', action: 'active', code: 8 },
  region_entered: { type: 'region', action: 'entered', code: 10 },
  region_left: { type: 'region', action: 'left', code: 11 },
  fall_detected_sensitive: { type: 'fall', action: 'fall_detected_sensitive', code: 20 },
  fall_loop: { type: 'fall', action: 'fall_loop', code: 21 },
  bed_left: { type: 'bed', action: 'left', code: 30 },
  bed_entered: { type: 'bed', action: 'entered', code: 31 },
  fall_confirmed: { type: 'fall', action: 'confirmed', code: null },
  fall_canceled: { type: 'fall', action: 'canceled', code: null },
  fall_finished: { type: 'fall', action: 'finished', code: null },
  fall_suspected_sensitive: { type: 'fall', action: 'fall_suspected_sensitive', code: null },
  door_entered: { type: 'door', action: 'entered', code: null },
  door_left: { type: 'door', action: 'left', code: null },
  sitting_up_in_bed: { type: 'posture', action: 'sitting_up_in_bed', code: null },
  respiration_high: { type: 'vital', action: 'respiration_high', code: null },
  respiration_low: { type: 'vital', action: 'respiration_low', code: null },
  apnea: { type: 'vital', action: 'apnea', code: null },
  heart_rate_high: { type: 'vital', action: 'heart_rate_high', code: null },
  heart_rate_low: { type: 'vital', action: 'heart_rate_low', code: null },
  vital_signs_weak: { type: 'vital', action: 'vital_signs_weak', code: null },
  sensor_weak_signal: { type: 'sensor', action: 'weak_signal', code: null },
  sensor_tilted: { type: 'sensor', action: 'tilted', code: null },
  sensor_clock_wrong: { type: 'sensor', action: 'clock_wrong', code: null },
} as const satisfies Record<string, { type: string; action: string; code: number | null }>;

export type Situation = keyof typeof kinds;

/**
 * Whether a situation can occur in a region. Situations that concern the whole room, the sensor or vital signs cannot.
 */
export const hasRegions = (situation: Situation): boolean =>
  !['presence', 'sensor', 'vital'].includes(kinds[situation].type);
