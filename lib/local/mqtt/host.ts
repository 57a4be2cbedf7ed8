import { authorizer as authorizing } from '#functions/workers/authorizer/contract.ts';
import type { AuthorizerResponse } from '#functions/workers/authorizer/policy.ts';
import { ingesting } from '#functions/workers/ingest/contract.ts';
import { rejectPublished } from '#functions/workers/ingest/published.ts';
import { deviceNotifier } from '#shared/ingest/device-notifier.ts';
import type { Log } from '#shared/observability/log.ts';
import type { Called } from '#shared/queue/consumer.ts';
import type { Published } from '#shared/queue/mqtt.ts';
import type { Runtime } from '#shared/runtime/deps.ts';
import type { Clock } from '../clock.ts';
import type { Tls } from '../http/tls.ts';
import { lambdaContext } from '../lambda/invocation.ts';
import { type AroundInvocation, loadHandler } from '../lambda/load-handler.ts';
import { createBroker } from './broker.ts';
import { createSessions, createTurns } from './sessions.ts';

/** The name of the rule used by devices with Basic Ingest. */
export const LOCAL_RULE = 'sensor_cloud_local_messages';
/**
 * The number of base64 characters in the largest payload accepted by AWS IoT: 128 KiB.
 * https://docs.aws.amazon.com/general/latest/gr/iot-core.html
 */
const MAX_PAYLOAD = Math.ceil((128 * 1_024) / 3) * 4;

/** Returns a function that invokes a Lambda function as AWS IoT does. */
const invokerOf = async <R>(contract: Called, runtime: Runtime, clock: Clock, around?: AroundInvocation) => {
  const { name, timeoutSeconds } = contract;
  const handler = await loadHandler<object, R>(name, runtime, around);
  return (event: object): Promise<R> => handler(event, lambdaContext({ functionName: name, timeoutSeconds, clock }));
};

type MqttOptions = {
  clock: Clock;
  log: Log;
  tls: Tls | null;
  /** Awaited before a device gets a CONNACK or PUBACK. */
  kept: () => Promise<void>;
};

/**
 * Creates the MQTT broker on this host, with the same authorizer and ingest function as in AWS. `publish` exists before
 * these functions are loaded, because they use it. Connections wait until the functions are loaded.
 */
export const createMqtt = async ({ clock, log, tls, kept }: MqttOptions) => {
  const authorizer = Promise.withResolvers<(event: object) => Promise<AuthorizerResponse>>();
  const ingest = Promise.withResolvers<(event: object) => Promise<void>>();
  const authorize = async (event: object): Promise<AuthorizerResponse> => {
    const rights = await (await authorizer.promise)(event);
    await kept();
    return rights;
  };
  const sessions = createSessions(authorize, { clock, log });
  const take = async (event: Published): Promise<void> => {
    const { refuseMessage } = deviceNotifier(broker.publish, log);
    if (event.payload.length > MAX_PAYLOAD) return rejectPublished({ refuseMessage, log }, event, 'too_large');
    await (await ingest.promise)(event);
    await kept();
  };
  const broker = await createBroker(sessions, createTurns(take, clock.now), log, tls);
  return {
    publish: broker.publish,
    /** Loads the functions and listens on a host's port. Returns the URL. */
    open: async (runtime: Runtime, host: string, port: number, around?: AroundInvocation): Promise<string> => {
      authorizer.resolve(await invokerOf(authorizing, runtime, clock, around));
      ingest.resolve(await invokerOf(ingesting, runtime, clock, around));
      return broker.listen(host, port);
    },
    stop: broker.stop,
  };
};
