import { IoTDataPlaneClient, type IoTDataPlaneClientConfig, PublishCommand } from './publish-sdk.ts';
import { requestHandlerOptions, withFreshSockets } from './transport.ts';

/** Publishes a string to an MQTT topic. Rejects if the broker did not accept it. */
export type Publish = (topic: string, payload: string) => Promise<void>;

/** Timeouts (ms). They are short, because publications may be lost. */
const TIMEOUTS = { connect: 500, answer: 1_000 };

/** Returns a function that publishes with QoS 1 through AWS IoT Core, at the account data endpoint in this region. */
export const iotPublish = (config: IoTDataPlaneClientConfig): Publish => {
  const client = withFreshSockets(
    new IoTDataPlaneClient({ maxAttempts: 2, requestHandler: requestHandlerOptions(TIMEOUTS), ...config }),
  );
  return async (topic, payload) => {
    await client.send(new PublishCommand({ topic, qos: 1, payload: Buffer.from(payload) }));
  };
};
