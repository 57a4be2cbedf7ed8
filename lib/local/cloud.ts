import type { IncomingMessage } from 'node:http';
import { groups } from '#functions/index.ts';
import { createRouter, type Route } from '#shared/api/http/router.ts';
import type { ApiHandler } from '#shared/api/serve.ts';
import { BASE_PATH } from '#shared/domain/base-path.ts';
import { log as standardLog } from '#shared/observability/log.ts';
import type { Runtime } from '#shared/runtime/deps.ts';
import type { Settings } from '#shared/runtime/env.ts';
import { store } from '#shared/store/store.ts';
import { type Clock, systemClock } from './clock.ts';
import type { CloudOptions } from './cloud-options.ts';
import { startConsumers } from './consumers/consumers.ts';
import { firstStart } from './first-start.ts';
import { FULL_DISK_LINE, fullDiskPages, lostLine, openOnceRoom } from './full-disk.ts';
import { createBackpressure } from './http/backpressure.ts';
import { createBodies } from './http/bodies.ts';
import { createBusy } from './http/busy.ts';
import { createCloser } from './http/connections.ts';
import type { ExportFolder } from './http/export-folder.ts';
import { createReader, withHostPages } from './http/host-pages.ts';
import { createHttpServer, type RequestHandler } from './http/http-server.ts';
import { largeBodies, messageCallsOf } from './http/large-bodies.ts';
import { isLoopback, listen, type Origins } from './http/listening.ts';
import type { Prometheus } from './http/prometheus.ts';
import { createApi } from './http/server.ts';
import { openTls, type Tls } from './http/tls.ts';
import { type AroundInvocation, loadHandler } from './lambda/load-handler.ts';
import { createRuntime, type OpenedQueues, openTable, startQueues } from './lambda/runtime.ts';
import { sendableHere } from './sendable.ts';
import { removeExpired } from './table/expiry.ts';
import { openStorage } from './table/storage.ts';

const loadHandlers = async (runtime: Runtime, around?: AroundInvocation): Promise<ReadonlyMap<string, ApiHandler>> => {
  const loaded = groups.map(
    async ({ name }): Promise<[string, ApiHandler]> => [name, await loadHandler(name, runtime, around)],
  );
  return new Map(await Promise.all(loaded));
};

/** Loads and creates the MQTT broker if an MQTT port is set. */
const startMqtt = async (
  { host = LOOPBACK, mqttPort, around, log = standardLog }: CloudOptions,
  connected: { clock: Clock; tls: Tls | null; kept: () => Promise<void> },
) => {
  if (mqttPort === undefined) return { rule: '', publish: undefined, open: async () => null, stop: async () => {} };
  const { createMqtt, LOCAL_RULE } = await import('./mqtt/host.ts');
  const { open, ...mqtt } = await createMqtt({ log, ...connected });
  return { ...mqtt, rule: LOCAL_RULE, open: (runtime: Runtime) => open(runtime, host, mqttPort, around) };
};

/** Loads the Home Assistant integration. Null without a broker. */
const loadHomeAssistant = async ({ homeAssistant, around, log = standardLog }: CloudOptions, clock: Clock) => {
  if (!homeAssistant) return null;
  const { createHomeAssistant } = await import('./home-assistant/home-assistant.ts');
  return createHomeAssistant(homeAssistant, { clock, log, around });
};

export const LOOPBACK = '127.0.0.1';

/** Adds the addresses to the settings. They are known only once the servers are listening. */
const settingsAt = (
  { settings, host = LOOPBACK, tableEndpoint = '', queueEndpoint = '', ...services }: CloudOptions,
  { others, all }: Origins,
  mqttRule: string,
): Settings => {
  const PUBLIC_URL = settings.PUBLIC_URL || others;
  return {
    ...settings,
    ...sendableHere({ ...settings, PUBLIC_URL }, services),
    PUBLIC_URL,
    TRUSTS_LOOPBACK: settings.PUBLIC_URL === '',
    ON_NETWORK: !isLoopback(host),
    OWN_URLS: [...settings.OWN_URLS, ...all, tableEndpoint, queueEndpoint],
    MQTT_RULE: mqttRule,
  };
};

type ApiParts = { opened: OpenedQueues; prometheus: Prometheus; exported: ExportFolder; clock: Clock };
/** Builds the API from the handlers and the API Gateway parts: routing, body limits, throttling. */
const apiOf = async (
  runtime: Runtime,
  { opened, prometheus, exported, clock }: ApiParts,
  { around, exceptions = () => 0 }: CloudOptions,
): Promise<RequestHandler> => {
  const { inProcess } = opened;
  const isForMessages = messageCallsOf(groups);
  const handlers = await loadHandlers(runtime, around);
  const reader = createReader(handlers, clock);
  prometheus.watch({ queues: inProcess, isHealthy: reader.isHealthy, exceptions, now: clock.now });
  const admit = inProcess ? createBackpressure(inProcess.queues, clock, createBusy(clock)) : async () => {};
  const backpressure = async (request: IncomingMessage, { resource, pathParameters }: Route) => {
    if (isForMessages(request, resource)) await admit(pathParameters?.sensorId ?? '');
  };
  const api = createApi({
    router: createRouter(groups),
    handlers,
    clock,
    onCall: prometheus.noteCall,
    bodies: createBodies(),
    mayBeLarge: largeBodies(isForMessages, runtime.table),
    backpressure,
    // The protocol that callers use. Behind a proxy, it is the one they use to reach the proxy.
    protocol: runtime.settings.PUBLIC_URL.startsWith('https:') ? 'https' : 'http',
  });
  return withHostPages({ reader, prometheus, settings: runtime.settings, exported }, api);
};

/** Starts the whole cloud in this process: the AWS contracts and handlers, on an embedded table and queues. */
export const startCloud = async (given: CloudOptions) => {
  const { host = LOOPBACK, clock = systemClock, wrap = (unwrapped) => unwrapped, log = standardLog } = given;
  const homeAssistant = await loadHomeAssistant(given, clock);
  const options = homeAssistant ? { ...given, around: homeAssistant.around } : given;
  const onError = (error: unknown) => log('error', 'a request failed', {}, error);
  const { freezes, say = () => {}, onLost = (error) => log('error', lostLine(error), {}, error) } = options;
  const tls = options.tls ? openTls(options.tls, clock, log) : null;
  const { SERVICE_VERSION: version, CORS_ORIGINS: corsOrigins } = options.settings;
  const server = createHttpServer({ version, corsOrigins, onError, tls });
  const close = createCloser(server.server);
  // The port must be known first, because responses contain the service address. The server responds with 503 until it
  // is opened.
  const origins = await listen(server.server, {
    host,
    port: options.port,
    scheme: tls ? 'https' : 'http',
    variable: 'PORT',
  });
  const onFull = (): void => {
    say(FULL_DISK_LINE);
    server.open(fullDiskPages(settingsAt(options, origins, ''), clock));
  };
  const storage = await openOnceRoom(options.dataDir, () => openStorage(options.dataDir, { onLost, freezes }), {
    clock,
    onFull,
  });
  const { kept } = storage.turns;
  const stopExpiry = removeExpired(storage, clock);
  const mqtt = await startMqtt(options, { clock, tls, kept });
  const settings = settingsAt(options, origins, mqtt.rule);
  const table = await openTable(options, storage, settings.TABLE_NAME, clock);
  const opened = await startQueues(options, storage, clock);
  const created = await createRuntime(options, { settings, storage, table, opened, clock, publish: mqtt.publish });
  const { prometheus, exported, valuesOf } = created;
  const wrapped = wrap(created.runtime);
  const runtime = homeAssistant?.observe(wrapped) ?? wrapped;
  const generated = await firstStart(store(created.runtime.table), options.first, created.runtime);
  const api = await apiOf(runtime, { opened, prometheus, exported, clock }, options);
  const consumers = await startConsumers(runtime, opened.waiting, clock, options);
  const mqttUrl = await mqtt.open(runtime);
  // The generated secrets are printed only once, so they must be on disk first.
  await kept();
  server.open(api, kept);
  await homeAssistant?.start(runtime, prometheus);
  return {
    /** The API URL on this machine, without a trailing slash. */
    url: origins.local + BASE_PATH,
    /** The URL where devices connect over MQTT. Null without MQTT. */
    mqttUrl,
    /** A line about what Home Assistant shows. Null without a Home Assistant broker. */
    homeAssistant: homeAssistant?.line() ?? null,
    runtime,
    waiting: opened.waiting,
    /** Returns a metric's latest values. */
    valuesOf,
    generated,
    sweep: consumers.sweep,
    /** Runs the check for user changes, which otherwise runs every few seconds. */
    checkChanges: consumers.checkChanges,
    idle: consumers.idle,
    /** Shuts down cleanly: finishes running work, and leaves pending tasks in the queues and the table. */
    stop: async () => {
      tls?.stop();
      await Promise.all([close(), mqtt.stop(), homeAssistant?.stop()]);
      await consumers.stop();
      created.closeMail();
      stopExpiry();
      await storage.close();
    },
  };
};
export type Cloud = Awaited<ReturnType<typeof startCloud>>;
