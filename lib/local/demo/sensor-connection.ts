import { apiClient } from './client.ts';
import type { DemoSensor } from './seed.ts';

/** The connection of a sensor. `send` rejects when a message was not accepted. */
export type SensorConnection = { send: (message: object) => Promise<void>; end: () => Promise<void> };

/** Connects a sensor by MQTT when there is an address for it, and else over the HTTP that devices use. */
export const connectSensor = async (
  base: string,
  mqttUrl: string | null,
  sensor: DemoSensor,
): Promise<SensorConnection> => {
  if (mqttUrl !== null) return (await import('../mqtt/device.ts')).connectDevice(mqttUrl, sensor);
  const api = apiClient(base, sensor.deviceToken);
  const send = async (message: object) => void (await api.post(`/devices/${sensor.sensorId}/messages`, message));
  return { send, end: async () => {} };
};
