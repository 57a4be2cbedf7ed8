import { connectAsync } from 'mqtt';
import { topicsOf } from '#shared/ingest/topics.ts';

type Credentials = { sensorId: string; deviceToken: string };

/**
 * Connects a device over MQTT, and reconnects when the connection breaks. `send` resolves once a message is
 * acknowledged, and rejects if the service rejected it. Only one `send` call at a time is allowed.
 */
export const connectDevice = async (url: string, { sensorId, deviceToken: password }: Credentials) => {
  const client = await connectAsync(url, { clientId: sensorId, username: sensorId, password, protocolVersion: 4 });
  const { messages, refused } = topicsOf(sensorId);
  let reason: string | null = null;
  client.on('message', (_, payload) => {
    const text = payload.toString();
    // A partially understood message is still accepted.
    if (JSON.parse(text).reason !== 'not_understood') reason = text;
  });
  // After an error, the client reconnects automatically.
  client.on('error', () => {});
  await client.subscribeAsync(refused, { qos: 1 });
  return {
    send: async (message: object): Promise<void> => {
      reason = null;
      await client.publishAsync(messages, JSON.stringify(message), { qos: 1 });
      if (reason !== null) throw new Error(`the message was rejected: ${reason}`);
    },
    end: () => client.endAsync(),
  };
};
