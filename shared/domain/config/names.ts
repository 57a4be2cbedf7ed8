/** The configurations of a sensor, by the name under which they are kept; each maker has those of its own. */
export type ConfigName = 'basic' | 'dry-contact' | 'firmware' | 'telemetry' | 'critical' | 'fall' | 'vital-data';
