/** The names under which sensor configurations are stored. Each belongs to one maker. */
export type ConfigName = 'basic' | 'dry-contact' | 'firmware' | 'telemetry' | 'critical' | 'fall' | 'vital-data';
