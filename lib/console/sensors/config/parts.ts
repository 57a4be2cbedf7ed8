import type { Needs } from '#lib/console/session/may.ts';
import type { paths, Sensor } from '#openapi';

type ConfigPath = Extract<keyof paths, `/sensors/{sensorId}/${string}/config/${string}`>;

/** A configuration of a sensor: the path at which it is read and written, and the permission that it needs. */
export type Part = { name: string; path: ConfigPath; needs: Needs };

const part = (path: ConfigPath, needs: Needs): Part => ({ name: path.split('/').at(-1) ?? '', path, needs });

export const parts: Readonly<Record<Sensor['manufacturer'], readonly Part[]>> = {
  maker_a: [
    part('/sensors/{sensorId}/maker_a/config/basic', 'manage_sensors'),
    part('/sensors/{sensorId}/maker_a/config/dry-contact', 'edit_sensor_config'),
    part('/sensors/{sensorId}/maker_a/config/firmware', 'edit_sensor_config'),
    part('/sensors/{sensorId}/maker_a/config/telemetry', 'edit_sensor_config'),
    part('/sensors/{sensorId}/maker_a/config/critical', 'system_admin'),
  ],
  maker_b: [
    part('/sensors/{sensorId}/maker_b/config/basic', 'manage_sensors'),
    part('/sensors/{sensorId}/maker_b/config/fall', 'manage_sensors'),
    part('/sensors/{sensorId}/maker_b/config/vital-data', 'manage_sensors'),
  ],
};
