import type { FakeDevice } from '#lib/client/fake-device.ts';
import type { DeviceMessage } from '#openapi';

/** A sensor connection. `send` rejects if a message is not accepted. */
export type SensorConnection = { send: (message: DeviceMessage) => Promise<void>; end: () => Promise<void> };

/** Connects a sensor over MQTT if there is an MQTT URL, otherwise over HTTP. */
export const connectSensor = async (device: FakeDevice, mqttUrl: string | null): Promise<SensorConnection> => {
  if (mqttUrl !== null) return (await import('#lib/local/mqtt/device.ts')).connectDevice(mqttUrl, device);
  return { send: async (message) => void (await device.send(message)), end: async () => {} };
};
