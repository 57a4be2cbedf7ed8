import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import type { IncomingMessage, Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { groups } from '../../functions/index.ts';
import { BASE_PATH } from '../../shared/api/operation.ts';
import type { ApiHandler } from '../../shared/api/serve.ts';
import { type Cost, passwordsAt } from '../../shared/auth/password.ts';
import { cipherOf, createVault } from '../../shared/auth/vault.ts';
import { isFifo } from '../../shared/capabilities.ts';
import { createWebhookClient } from '../../shared/delivery/webhook-client.ts';
import type { Runtime } from '../../shared/deps.ts';
import type { Settings } from '../../shared/env.ts';
import { type Log, log as standardLog } from '../../shared/log.ts';
import type { Publish } from '../../shared/publish.ts';
import { type Queues, queuesBySqs } from '../../shared/queue/send.ts';
import { createTable, type Meter } from '../../shared/store/client.ts';
import { store } from '../../shared/store/store.ts';
import { createBackpressure } from './backpressure.ts';
import { createBodies } from './bodies.ts';
import { type Clock, systemClock } from './clock.ts';
import { closerOf } from './connections.ts';
import { startConsumers, type Waiting } from './consumers.ts';
import { startTableEngine } from './engines.ts';
import { type FirstStart, firstStart } from './first-start.ts';
import { createFrontDoor } from './front-door.ts';
import { secretsKey } from './key-file.ts';
import { largeBodies, messageCallsOf } from './large-bodies.ts';
import { type AroundInvocation, loadHandler } from './load-handler.ts';
import { createMailFolder } from './mail-folder.ts';
import { createMetrics } from './metrics.ts';
import { openQueues, queuesOf, refuseOldFolder } from './queues.ts';
import { createRouter, type Route } from './router.ts';
import { createApi } from './server.ts';
import { ensureQueues } from './sqs.ts';
import { clientConfig, ensureTable, type localDocumentClient, tableClient } from './table.ts';

type DocumentClient = ReturnType<typeof localDocumentClient>;
export type CloudOptions = {
  /** The port of the API; 0 stands for any free port. */
  port: number;
  /** The folder for all data, or ':memory:'. */
  dataDir: string;
  settings: Settings;
  first: FirstStart;
  /** The port for MQTT, 0 for any free port. Without it there is no MQTT. */
  mqttPort?: number;
  /** The endpoint of a DynamoDB that runs already. Without it the embedded engine is started. */
  tableEndpoint?: string;
  /** An SQS endpoint. Without it the queues are in this process. */
  queueEndpoint?: string;
  clock?: Clock;
  /** The interval (s) of the schedules, 5 by default and at most 60, which is the interval in AWS. */
  sweepSeconds?: number;
  random?: (bytes: number) => Uint8Array;
  /** The cost of new password hashes. Tests make it cheap. */
  passwordCost?: Cost;
  log?: Log;
  meter?: Meter;
  /** Prints a line on the console, for example a mail when there is no data folder. */
  say?: (line: string) => void;
  /** Wraps the runtime. Tests use it to inject faults. */
  wrap?: (runtime: Runtime) => Runtime;
  /** Runs each invocation of a function. Tests use it to know which function makes a call. */
  around?: AroundInvocation;
  /**
   * Gets the client of the table, which is then one of the SDK, before its first call. Tests use it to inject errors
   * of DynamoDB.
   */
  onClient?: (client: DocumentClient, endpoint: string) => void;
};

const listen = async (server: Server, port: number): Promise<string> => {
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
};

const loadHandlers = async (runtime: Runtime, around?: AroundInvocation): Promise<ReadonlyMap<string, ApiHandler>> => {
  const loaded = groups.map(
    async ({ name }): Promise<[string, ApiHandler]> => [name, await loadHandler(name, runtime, around)],
  );
  return new Map(await Promise.all(loaded));
};

const startEngine = async ({ tableEndpoint, dataDir, log = standardLog }: CloudOptions) =>
  tableEndpoint
    ? { endpoint: tableEndpoint, stop: async () => {} }
    : startTableEngine({ dataDir, onExit: (error) => log('error', 'the table engine ended', {}, error) });

const startQueues = async ({ queueEndpoint, dataDir }: CloudOptions, clock: Clock) => {
  if (queueEndpoint) {
    const waiting: Waiting = await ensureQueues(queueEndpoint, isFifo);
    const queues: Queues = queuesBySqs(clientConfig(queueEndpoint), waiting.urls);
    return { waiting, queues, close: () => {} };
  }
  const { queues, dead, close } = openQueues(dataDir, clock);
  const waiting: Waiting = { queues, dead };
  return { waiting, queues: queuesOf(queues), close };
};

const runtimeOf = async (
  options: CloudOptions,
  settings: Settings,
  endpoint: string,
  queues: Queues,
  clock: Clock,
  publish: Publish | undefined,
): Promise<Runtime> => {
  const { dataDir, random = randomBytes, log = standardLog, meter, say = () => {} } = options;
  const webhookClient = createWebhookClient(settings, { allowLoopback: true });
  const pause = (ms: number) => new Promise<void>((resolve) => void clock.after(ms, resolve));
  const table = createTable(tableClient(options, endpoint), settings.TABLE_NAME, meter);
  const { now } = clock;
  const mail = createMailFolder({ dataDir, sender: settings.MAIL_SENDER, now, say });
  const passwords = passwordsAt(options.passwordCost, random);
  const vault = createVault(cipherOf(await secretsKey(dataDir, random), random));
  const aloneSince = options.tableEndpoint || options.queueEndpoint ? 0 : now();
  return {
    settings,
    table,
    queues,
    aloneSince,
    webhookClient: async () => webhookClient,
    mail,
    ...(publish && { publish }),
    vault: async () => vault,
    passwords: async () => passwords,
    now,
    pause,
    random,
    log,
  };
};

/** Loads and creates the broker when there is a port for MQTT. */
const startMqtt = async ({ mqttPort, around, log = standardLog }: CloudOptions, clock: Clock) => {
  if (mqttPort === undefined) return { rule: '', publish: undefined, open: async () => null, stop: async () => {} };
  const { createMqtt, LOCAL_RULE } = await import('./mqtt/host.ts');
  const { open, ...mqtt } = await createMqtt(clock, log);
  return { ...mqtt, rule: LOCAL_RULE, open: (runtime: Runtime) => open(runtime, mqttPort, around) };
};

/** Completes the settings with the addresses, which are known only once the servers listen. */
const settingsAt = (
  { settings, queueEndpoint = '' }: CloudOptions,
  origin: string,
  endpoint: string,
  MQTT_RULE: string,
): Settings => ({
  ...settings,
  PUBLIC_URL: settings.PUBLIC_URL || origin,
  OWN_URLS: [...settings.OWN_URLS, origin, endpoint, queueEndpoint],
  MQTT_RULE,
});

/** The protocol that callers use, which may be that of a proxy in front. */
const protocolOf = ({ PUBLIC_URL }: Settings): 'http' | 'https' => (PUBLIC_URL.startsWith('https:') ? 'https' : 'http');

/** Starts the whole cloud in this process, with the same contracts and handlers as in AWS, on embedded engines. */
export const startCloud = async (options: CloudOptions) => {
  const { clock = systemClock, wrap = (runtime) => runtime } = options;
  const log = options.log ?? standardLog;
  if (options.dataDir !== ':memory:') refuseOldFolder(options.dataDir);
  const onError = (error: unknown) => log('error', 'a request failed', {}, error);
  const door = createFrontDoor({ version: options.settings.SERVICE_VERSION, onError });
  const close = closerOf(door.server);
  // The port must be known first, because the service gives its own address in answers. Until the server is opened,
  // it answers 503.
  const [engine, origin] = await Promise.all([startEngine(options), listen(door.server, options.port)]);
  const mqtt = await startMqtt(options, clock);
  const settings = settingsAt(options, origin, engine.endpoint, mqtt.rule);
  await ensureTable(engine.endpoint, settings.TABLE_NAME);
  const { waiting, queues, close: closeQueues } = await startQueues(options, clock);
  const { metrics, valuesOf } = createMetrics();
  const base = { ...(await runtimeOf(options, settings, engine.endpoint, queues, clock, mqtt.publish)), metrics };
  const runtime = wrap(base);
  const generated = await firstStart(store(base.table), options.first, base);
  const handlers = await loadHandlers(runtime, options.around);
  const isForMessages = messageCallsOf(groups);
  const mayBeLarge = largeBodies(isForMessages, runtime.table);
  const admit = 'queues' in waiting ? createBackpressure(waiting.queues.events, clock) : async () => {};
  const backpressure = async (request: IncomingMessage, { resource, pathParameters }: Route) => {
    if (isForMessages(request, resource)) await admit(pathParameters?.sensorId ?? '');
  };
  const limits = { bodies: createBodies(), mayBeLarge, backpressure, protocol: protocolOf(settings) };
  const api = createApi({ router: createRouter(groups), handlers, clock, ...limits });
  const consumers = await startConsumers(runtime, waiting, clock, options);
  const mqttUrl = await mqtt.open(runtime);
  door.open(api);
  return {
    /** The URL of the API, without a final slash. */
    url: origin + BASE_PATH,
    /** The URL where devices connect by MQTT; null when there is no MQTT. */
    mqttUrl,
    runtime,
    waiting,
    /** Gives the latest values of a metric. */
    valuesOf,
    generated,
    sweep: consumers.sweep,
    idle: consumers.idle,
    /** Stops cleanly: running work is finished, and waiting tasks stay in the queues and the table. */
    stop: async () => {
      await Promise.all([close(), mqtt.stop()]);
      await consumers.stop();
      closeQueues();
      await engine.stop();
    },
  };
};
export type Cloud = Awaited<ReturnType<typeof startCloud>>;
