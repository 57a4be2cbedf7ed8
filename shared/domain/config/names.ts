/** The names under which configurations of sensors are stored. Each maker has its own. */
export type ConfigName = 'basic' | 'dry-contact' | 'firmware' | 'telemetry' | 'critical' | 'fall' | 'vital-data';
