/** The names under which configurations of sensors are stored. Each belongs to one maker. */
export type ConfigName = 'basic' | 'dry-contact' | 'firmware' | 'telemetry' | 'critical' | 'fall' | 'vital-data';
