import type { FakeDevice } from '#lib/client/fake-device.ts';
import type { DeviceMessage } from '#openapi';

/** The connection of a sensor. `send` rejects when a message was not accepted. */
export type SensorConnection = { send: (message: DeviceMessage) => Promise<void>; end: () => Promise<void> };

/** Connects a sensor by MQTT when there is an address for it, and else over the HTTP that devices use. */
export const connectSensor = async (device: FakeDevice, mqttUrl: string | null): Promise<SensorConnection> => {
  if (mqttUrl !== null) return (await import('#lib/local/mqtt/device.ts')).connectDevice(mqttUrl, device);
  return { send: async (message) => void (await device.send(message)), end: async () => {} };
};
