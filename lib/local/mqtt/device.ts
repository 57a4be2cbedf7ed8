import { connectAsync } from 'mqtt';
import { topicsOf } from '#shared/ingest/topics.ts';

type Credentials = { sensorId: string; deviceToken: string };

/**
 * Connects a device by MQTT; the connection is restored when it breaks. `send` resolves once a message is
 * acknowledged, and rejects when it was refused. Only one call of `send` at a time is allowed.
 */
export const connectDevice = async (url: string, { sensorId, deviceToken: password }: Credentials) => {
  const client = await connectAsync(url, { clientId: sensorId, username: sensorId, password, protocolVersion: 4 });
  const { messages, refused } = topicsOf(sensorId);
  let reason: string | null = null;
  client.on('message', (_, payload) => {
    const text = payload.toString();
    // What was not wholly understood was taken all the same.
    if (JSON.parse(text).reason !== 'not_understood') reason = text;
  });
  // An error closes the connection, and the client then reconnects by itself.
  client.on('error', () => {});
  await client.subscribeAsync(refused, { qos: 1 });
  return {
    send: async (message: object): Promise<void> => {
      reason = null;
      await client.publishAsync(messages, JSON.stringify(message), { qos: 1 });
      if (reason !== null) throw new Error(`it was refused: ${reason}`);
    },
    end: () => client.endAsync(),
  };
};
