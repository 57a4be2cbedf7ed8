/** The names that sensor configurations are stored under. Each belongs to one maker. */
export type ConfigName = 'basic' | 'dry-contact' | 'firmware' | 'telemetry' | 'critical' | 'fall' | 'vital-data';
