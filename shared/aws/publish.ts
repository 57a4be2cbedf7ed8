import { IoTDataPlaneClient, type IoTDataPlaneClientConfig, PublishCommand } from './publish-sdk.ts';
import { transport, withFreshSockets } from './transport.ts';

/** Publishes a text to an MQTT topic; rejects when the broker did not take it. */
export type Publish = (topic: string, payload: string) => Promise<void>;

/** Timeouts in ms. They are short, because what is published may be lost. */
const TIMEOUTS = { connect: 500, answer: 1_000 };

/** Publishes with QoS 1 by AWS IoT Core, at the data endpoint of this account and region. */
export const publishByIot = (config: IoTDataPlaneClientConfig): Publish => {
  const client = withFreshSockets(
    new IoTDataPlaneClient({ maxAttempts: 2, requestHandler: transport(TIMEOUTS), ...config }),
  );
  return async (topic, payload) => {
    await client.send(new PublishCommand({ topic, qos: 1, payload: Buffer.from(payload) }));
  };
};
