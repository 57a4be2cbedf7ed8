import { apiClient } from './client.ts';
import type { DemoSensor } from './seed.ts';

/** How a sensor speaks. `send` rejects when a message was not taken. */
export type Voice = { send: (message: object) => Promise<void>; end: () => Promise<void> };

/** A sensor that speaks over MQTT where there is an address for it, else over the same HTTP that devices use. */
export const voiceOf = async (base: string, mqttUrl: string | null, sensor: DemoSensor): Promise<Voice> => {
  if (mqttUrl !== null) return (await import('../mqtt/device.ts')).connectDevice(mqttUrl, sensor);
  const api = apiClient(base, sensor.deviceToken);
  const send = async (message: object) => void (await api.post(`/devices/${sensor.sensorId}/messages`, message));
  return { send, end: async () => {} };
};
