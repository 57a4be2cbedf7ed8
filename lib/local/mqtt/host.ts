import type { Rights } from '../../../functions/workers/authorizer/rights.ts';
import { refuse } from '../../../functions/workers/ingest/take.ts';
import type { Runtime } from '../../../shared/deps.ts';
import { teller } from '../../../shared/ingest/tell.ts';
import type { Log } from '../../../shared/log.ts';
import type { Published } from '../../../shared/queue/mqtt.ts';
import type { Clock } from '../clock.ts';
import { type Around, loadHandler } from '../load.ts';
import { lambdaContext } from '../pollers.ts';
import { createBroker } from './broker.ts';
import { createSessions, createTurns } from './sessions.ts';

/** The rule that devices name when they use Basic Ingest. */
export const LOCAL_RULE = 'sensor_cloud_local_messages';
/** Characters of base64 that stand for the bytes of a payload that AWS IoT takes: 128 KiB. https://docs.aws.amazon.com/general/latest/gr/iot-core.html */
const PAYLOAD = Math.ceil((128 * 1_024) / 3) * 4;

/** A function of the cloud, as AWS IoT calls it. */
const invoking = async <R>(name: string, runtime: Runtime, clock: Clock, around?: Around) => {
  const handler = await loadHandler<object, R>(name, runtime, around);
  return (event: object): Promise<R> =>
    handler(event, lambdaContext({ functionName: name, timeoutSeconds: 15, clock }));
};

/**
 * MQTT on this host: a broker with the authorizer and the worker of the cloud behind it. `publish` is there before the
 * functions are, for they have it; who connects earlier waits.
 */
export const createMqtt = async (clock: Clock, log: Log) => {
  const authorizer = Promise.withResolvers<(event: object) => Promise<Rights>>();
  const ingest = Promise.withResolvers<(event: object) => Promise<void>>();
  const sessions = createSessions(async (event) => (await authorizer.promise)(event), { clock, log });
  const take = async (event: Published): Promise<void> => {
    const { refuseMessage } = teller(broker.publish, log);
    if (event.payload.length > PAYLOAD) return refuse({ refuseMessage, log }, event, 'too_large');
    await (await ingest.promise)(event);
  };
  const broker = await createBroker(sessions, createTurns(take, clock.now), log);
  return {
    publish: broker.publish,
    /** Opens its door with the functions behind it; gives its address. */
    open: async (runtime: Runtime, port: number, around?: Around): Promise<string> => {
      authorizer.resolve(await invoking('authorizer', runtime, clock, around));
      ingest.resolve(await invoking('ingest', runtime, clock, around));
      return broker.listen(port);
    },
    stop: broker.stop,
  };
};
