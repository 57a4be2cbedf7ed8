import type { Customer } from '#shared/domain/identity/customer.ts';
import type { Log } from '#shared/observability/log.ts';
import { composeDeps, type Runtime } from '#shared/runtime/deps.ts';
import type { Clock } from '../clock.ts';
import type { Prometheus } from '../http/prometheus.ts';
import { createAcknowledge } from './acknowledge.ts';
import { type ConnectionFailure, createConnection } from './connection.ts';
import { homeUses } from './home.ts';
import { createMirror, type Mirror } from './mirror.ts';
import { createPresentation } from './presentation.ts';
import { createPublisher, type Publisher } from './publisher.ts';
import type { RatesOfSensors } from './rates.ts';
import type { HomeAssistantSettings } from './settings.ts';
import { BIRTH, BIRTH_TOPIC, OFFLINE, ONLINE, type Topics, topicsOf } from './topics.ts';

type Parts = { runtime: Runtime; prometheus: Prometheus; clock: Clock; log: Log; rates: RatesOfSensors };

/** Logs the first failure in each broker outage, and each later failure with a different reason. */
const createOutageLog = (log: Log) => {
  let last: ConnectionFailure | null = null;
  return {
    fail: (reason: ConnectionFailure): void => {
      if (reason !== last) log('warn', 'there is no connection to the broker of Home Assistant', { reason });
      last = reason;
    },
    end: (): void => {
      last = null;
    },
  };
};

/** Republishes everything, because the broker or Home Assistant has restarted. */
const publishAnew = (topics: Topics, publisher: Publisher, mirror: Mirror): void => {
  publisher.forget();
  publisher.set(topics.availability, ONLINE);
  mirror.showAll();
};

/** Returns the handler for a Home Assistant button. Never rejects. */
const createButton = async (customerId: number, { broker }: HomeAssistantSettings, { runtime, log }: Parts) => {
  const acknowledge = await createAcknowledge(runtime, broker.host);
  return (sensorId: string): Promise<void> =>
    acknowledge(customerId, sensorId).catch((error: unknown) =>
      log('error', 'the button in Home Assistant could not acknowledge a fall', { customerId, sensorId }, error),
    );
};

/** Shows a customer's sensors until stopped. Nothing waits for the broker. */
export const showCustomer = async (
  { id: customerId }: Pick<Customer, 'id'>,
  settings: HomeAssistantSettings,
  parts: Parts,
) => {
  const { runtime, prometheus, clock, log, rates } = parts;
  const { canAcknowledge } = settings;
  const { SERVICE_NAME: name, SERVICE_VERSION: version, PUBLIC_URL: url } = runtime.settings;
  const topics = topicsOf(customerId);
  const { availability, anyState, anyAcknowledge } = topics;
  const outages = createOutageLog(log);
  const press = await createButton(customerId, settings, parts);
  let isStopping = false;
  const connection = createConnection(settings, {
    clock,
    // The id stays the same after a restart, so the broker ends a connection it still considers open.
    clientId: `sensor-cloud-${customerId}`,
    will: { topic: availability, payload: OFFLINE },
    subscriptions: [BIRTH_TOPIC, availability, anyState, ...(canAcknowledge ? [anyAcknowledge] : [])],
    onConnect: () => {
      outages.end();
      publishAnew(topics, publisher, mirror);
    },
    onMessage: (topic, payload, isRetained) => {
      const text = payload.toString('utf8');
      const read = topics.read(topic);
      if (topic === BIRTH_TOPIC && text === BIRTH && !isRetained) publishAnew(topics, publisher, mirror);
      // The last will from an earlier connection may arrive late.
      if (topic === availability && text === OFFLINE && !isStopping) publisher.repeat(topic, ONLINE);
      if (read?.kind === 'state' && isRetained) mirror.noteKept(read.sensorId, text);
      // A retained message may be from a time when other falls were shown, so it is ignored.
      if (read?.kind === 'acknowledge' && !isRetained && mirror.has(read.sensorId)) void press(read.sensorId);
    },
    onFailure: (reason) => {
      outages.fail(reason);
      prometheus.noteBrokerFailure(reason);
    },
  });
  const publisher = createPublisher(connection);
  const service = { name, version, url, canAcknowledge };
  const mirror = createMirror({
    deps: await composeDeps(runtime, homeUses),
    clock,
    log,
    customerId,
    presentation: createPresentation({ topics, publisher, rates, service }),
    onFailure: () => prometheus.noteBrokerFailure('read_failed'),
  });
  prometheus.watchBroker(connection.isOpen);
  mirror.start();
  void connection.open();
  return {
    mirror,
    stop: async (): Promise<void> => {
      isStopping = true;
      await mirror.stop();
      await connection.stop({ topic: availability, payload: OFFLINE });
    },
  };
};
export type ShownCustomer = Awaited<ReturnType<typeof showCustomer>>;
