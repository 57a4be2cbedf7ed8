import { randomBytes } from 'node:crypto';
import type { Cipher } from '../auth/vault.ts';
import type { AlarmTopic } from '../aws/alarm-topic.ts';
import type { SendMail } from '../aws/mail.ts';
import type { Publish } from '../aws/publish.ts';
import { machine } from '../concurrency/machine.ts';
import type { WebhookClient } from '../delivery/webhook-client.ts';
import type { ExportStorage } from '../exports/exports.ts';
import { log } from '../observability/log.ts';
import { bufferMetrics, type Metrics, onlyShown } from '../observability/metrics.ts';
import type { Queues, sqsQueues } from '../queue/sqs-queues.ts';
import { createTable, documentClient } from '../store/engine/client.ts';
import type { Nouns } from '../store/store.ts';
import { storeFrom } from '../store/store-from.ts';
import type { Module } from './capabilities.ts';
import type { Runtime } from './deps.ts';
import { runtimeEnvironment, type Settings, settingsFromProcess } from './env.ts';

type Config = Pick<ReturnType<typeof runtimeEnvironment>, 'region' | 'credentials'> & { endpoint?: string };

type Modules = {
  queues: typeof import('../queue/sqs-queues.ts');
  webhookClient: typeof import('../delivery/webhook-client.ts');
  vault: typeof import('../auth/vault.ts');
  kms: typeof import('../auth/kms.ts');
  passwords: typeof import('../auth/password.ts');
  mail: typeof import('../aws/mail.ts');
  people: typeof import('./person-sender.ts');
  messengers: typeof import('./messengers.ts');
  publish: typeof import('../aws/publish.ts');
  alarmTopic: typeof import('../aws/alarm-topic.ts');
  activeAlarms: typeof import('../aws/active-alarms.ts');
  exports: typeof import('../exports/s3.ts');
};
/**
 * The store nouns and modules that a function's contract uses. The bundle entry imports them
 * (lib/aws/functions/entry.ts).
 */
export type FunctionParts = {
  nouns: Readonly<Partial<Nouns>>;
  load: { readonly [M in Module]?: () => Promise<Modules[M]> };
};

type Load = <M extends Module>(name: M) => Promise<Modules[M]>;

const loadFrom =
  ({ load }: FunctionParts): Load =>
  async (name) => {
    const module = load[name];
    if (!module)
      throw new Error(
        `the bundle of this function lacks the module ${name}, because its contract uses nothing that needs it`,
      );
    return module();
  };

/** Returns a function that loads something once, on the first call, so that a cold start does not have to. */
const lazy = <T>(load: () => Promise<T>): (() => Promise<T>) => {
  let loading: Promise<T> | undefined;
  return () => {
    loading ??= load();
    return loading;
  };
};

/** Returns a function whose module is loaded on the first call. */
const lazily = <A extends unknown[], R>(load: () => Promise<(...args: A) => Promise<R>>) => {
  const loaded = lazy(load);
  return async (...args: A): Promise<R> => (await loaded())(...args);
};

/** Returns the methods of an object that is loaded when any of them is first called. */
const lazyMethods = <T extends Record<keyof T, (...args: never[]) => Promise<unknown>>>(
  load: () => Promise<T>,
  names: Readonly<Record<keyof T, true>>,
): T => {
  const object = lazy(load);
  return Object.fromEntries(
    Object.keys(names).map((name) => [name, lazily(async () => (await object())[name as keyof T])]),
  ) as T;
};

const lazyWebhookClient = (load: Load, current: Settings): WebhookClient =>
  lazyMethods(async () => (await load('webhookClient')).createWebhookClient(current), {
    check: true,
    post: true,
    acquire: true,
  });

const lazyCipher = (load: Load, config: Config, keyArn: string): Cipher =>
  lazyMethods(async () => (await load('kms')).kmsCipher(config, keyArn), { encrypt: true, decrypt: true });

const lazyMail = (load: Load, config: Config, sender: string, configurationSet: string): SendMail => {
  const surroundings = { now: Date.now, random: randomBytes, configurationSet };
  const mail = lazily(async () => (await load('mail')).sesMail(config, sender, surroundings));
  return async (...message) => {
    if (sender === '') throw new Error('this stage has no address to send mails from');
    await mail(...message);
  };
};

const lazyPublish = (load: Load, config: Config): Publish =>
  lazily(async () => (await load('publish')).iotPublish(config));

const lazyAlarms = (load: Load, config: Config, topicArn: string): NonNullable<Runtime['alarms']> => ({
  ...lazyMethods<AlarmTopic>(async () => (await load('alarmTopic')).snsAlarmTopic(config, topicArn), {
    subscriptions: true,
    send: true,
    notify: true,
  }),
  active: lazily(async () => (await load('activeAlarms')).cloudWatchAlarms(config, topicArn)),
});

const lazyExports = (load: Load, config: Config, bucket: string): ExportStorage =>
  lazyMethods(async () => (await load('exports')).s3ExportStorage(config, bucket), {
    save: true,
    urlOf: true,
    remove: true,
  });

const lazyQueues = (load: Load, config: Config, urls: Parameters<typeof sqsQueues>[1]): Queues =>
  lazyMethods(async () => (await load('queues')).sqsQueues(config, urls, Date.now), {
    send: true,
    hide: true,
    redrive: true,
  });

const lazyMetrics = ({ METRICS_NAMESPACE, METRICS_SECONDS, DASHBOARD }: Settings): Metrics => {
  const publisher = lazy(async () => (await import('../observability/emf.ts')).emfPublisher(METRICS_NAMESPACE));
  return bufferMetrics(
    async (measured) => (await publisher())(measured),
    (error) => log('warn', 'could not write metrics', {}, error),
    { everyMs: METRICS_SECONDS * 1_000, now: Date.now, ...(!DASHBOARD && { leftOut: onlyShown }) },
  );
};

/** Creates the runtime for a Lambda function. Anything a cold start does not need is loaded on first use. */
export const lambdaRuntime = (parts: FunctionParts): Runtime => {
  const current = settingsFromProcess();
  const { region, credentials, endpoints } = runtimeEnvironment();
  const load = loadFrom(parts);
  const config = { region, credentials };
  const client = documentClient({ ...config, ...(endpoints.table && { endpoint: endpoints.table }) });
  const urls = {
    events: current.EVENTS_QUEUE_URL,
    timers: current.TIMERS_QUEUE_URL,
    deliveries: current.DELIVERIES_QUEUE_URL,
    retries: current.RETRIES_QUEUE_URL,
    jobs: current.JOBS_QUEUE_URL,
    mqtt: current.MQTT_QUEUE_URL,
    undeliverable: current.UNDELIVERABLE_QUEUE_URL,
    quarantine: current.QUARANTINE_QUEUE_URL,
  };
  const webhookClient = lazyWebhookClient(load, current);
  return {
    settings: current,
    table: createTable(client, current.TABLE_NAME),
    // The contract does not let the function use any other nouns.
    createStore: (table) => storeFrom(parts.nouns as Nouns, table),
    queues: lazyQueues(load, config, urls),
    webhookClient: async () => webhookClient,
    vault: lazy(async () => (await load('vault')).createVault(lazyCipher(load, config, current.SECRETS_KEY_ARN))),
    passwords: async () => (await load('passwords')).createPasswords(),
    mail: lazyMail(
      load,
      { ...config, ...(endpoints.mail && { endpoint: endpoints.mail }) },
      current.MAIL_SENDER,
      current.MAIL_CONFIGURATION_SET,
    ),
    createPersonSender: async (...services) => (await load('people')).peopleOf(...services),
    messengers: async () => (await load('messengers')).createMessengers(config, current, async () => webhookClient),
    exports: lazyExports(load, config, current.EXPORTS_BUCKET),
    ...(current.ALARM_TOPIC_ARN && { alarms: lazyAlarms(load, config, current.ALARM_TOPIC_ARN) }),
    ...(current.MQTT_RULE && { publish: lazyPublish(load, config) }),
    now: Date.now,
    pause: machine.sleep,
    random: randomBytes,
    log,
    metrics: lazyMetrics(current),
  };
};

type HostHandler<A extends unknown[], R> = { with: (runtime: Runtime) => (...call: A) => R };

/** Returns the handler that Lambda calls. The first call creates the runtime, which later calls share. */
export const lambdaHandler = <A extends unknown[], R>(
  handler: HostHandler<A, R>,
  parts: FunctionParts,
): ((...call: A) => R) => {
  let handle: ((...call: A) => R) | undefined;
  return (...call) => {
    handle ??= handler.with(lambdaRuntime(parts));
    return handle(...call);
  };
};
