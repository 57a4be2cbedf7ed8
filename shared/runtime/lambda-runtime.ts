import { randomBytes } from 'node:crypto';
import type { Cipher } from '../auth/vault.ts';
import type { Mail } from '../aws/mail.ts';
import type { Publish } from '../aws/publish.ts';
import type { Subscriptions } from '../aws/subscriptions.ts';
import { machine } from '../concurrency/machine.ts';
import type { WebhookClient } from '../delivery/webhook-client.ts';
import { log } from '../observability/log.ts';
import { buffered, type Metrics } from '../observability/metrics.ts';
import type { Queues, queuesBySqs } from '../queue/send.ts';
import { createTable, documentClient } from '../store/engine/client.ts';
import type { Runtime } from './deps.ts';
import { runtimeEnvironment, type Settings, settings } from './env.ts';

type Config = Pick<ReturnType<typeof runtimeEnvironment>, 'region' | 'credentials'> & { endpoint?: string };

/** What is loaded at its first use, once: a cold start has no need of it yet. */
const lazy = <T>(load: () => Promise<T>): (() => Promise<T>) => {
  let loading: Promise<T> | undefined;
  return () => {
    loading ??= load();
    return loading;
  };
};

/** A function of a module that is loaded by its first call. */
const lazily = <A extends unknown[], R>(load: () => Promise<(...given: A) => Promise<R>>) => {
  const made = lazy(load);
  return async (...given: A): Promise<R> => (await made())(...given);
};

/** The methods of an object that is loaded by the first call of one. */
const lazyMethods = <T extends Record<keyof T, (...given: never[]) => Promise<unknown>>>(
  load: () => Promise<T>,
  names: Readonly<Record<keyof T, true>>,
): T => {
  const object = lazy(load);
  return Object.fromEntries(
    Object.keys(names).map((name) => [name, lazily(async () => (await object())[name as keyof T])]),
  ) as T;
};

const lazyWebhookClient = (given: Settings): WebhookClient =>
  lazyMethods(async () => (await import('../delivery/webhook-client.ts')).createWebhookClient(given), {
    check: true,
    post: true,
    acquire: true,
  });

const lazyCipher = (config: Config, keyArn: string): Cipher =>
  lazyMethods(async () => (await import('../auth/kms.ts')).kmsCipher(config, keyArn), { encrypt: true, decrypt: true });

const lazyMail = (config: Config, sender: string): Mail => {
  const mail = lazily(async () => (await import('../aws/mail.ts')).mailBySes(config, sender));
  return async (...letter) => {
    if (sender === '') throw new Error('this stage has no address to send mails from');
    await mail(...letter);
  };
};

const lazyPublish = (config: Config): Publish =>
  lazily(async () => (await import('../aws/publish.ts')).publishByIot(config));

const lazySubscriptions = (config: Config, topicArn: string): Subscriptions =>
  lazily(async () => (await import('../aws/subscriptions.ts')).subscriptionsBySns(config, topicArn));

const lazyQueues = (config: Config, urls: Parameters<typeof queuesBySqs>[1]): Queues =>
  lazyMethods(async () => (await import('../queue/send.ts')).queuesBySqs(config, urls, Date.now), {
    send: true,
    hide: true,
    redrive: true,
  });

const lazyMetrics = (namespace: string, everySeconds: number): Metrics => {
  const publisher = lazy(async () => (await import('../observability/emf.ts')).publisherIn(namespace));
  return buffered(
    async (measured) => (await publisher())(measured),
    (error) => log('warn', 'measurements were lost', {}, error),
    { everyMs: everySeconds * 1_000, now: Date.now },
  );
};

/** The runtime inside AWS Lambda: what a cold start has no need of is loaded by its first use. */
export const lambdaRuntime = (): Runtime => {
  const given = settings();
  const { region, credentials, endpoints } = runtimeEnvironment();
  const client = documentClient({ region, credentials, ...(endpoints.table && { endpoint: endpoints.table }) });
  const urls = {
    events: given.EVENTS_QUEUE_URL,
    timers: given.TIMERS_QUEUE_URL,
    deliveries: given.DELIVERIES_QUEUE_URL,
    retries: given.RETRIES_QUEUE_URL,
    jobs: given.JOBS_QUEUE_URL,
    mqtt: given.MQTT_QUEUE_URL,
    quarantine: given.QUARANTINE_QUEUE_URL,
  };
  const webhookClient = lazyWebhookClient(given);
  return {
    settings: given,
    table: createTable(client, given.TABLE_NAME),
    queues: lazyQueues({ region, credentials }, urls),
    webhookClient: async () => webhookClient,
    vault: lazy(async () =>
      (await import('../auth/vault.ts')).createVault(lazyCipher({ region, credentials }, given.SECRETS_KEY_ARN)),
    ),
    passwords: async () => (await import('../auth/password.ts')).passwordsAt(),
    mail: lazyMail({ region, credentials, ...(endpoints.mail && { endpoint: endpoints.mail }) }, given.MAIL_SENDER),
    messengers: async () =>
      (await import('./messengers.ts')).messengersOf({ region, credentials }, given, async () => webhookClient),
    exports: lazyMethods(
      async () => (await import('../exports/on-s3.ts')).exportsOnS3({ region, credentials }, given.EXPORTS_BUCKET),
      {
        save: true,
        urlOf: true,
        remove: true,
      },
    ),
    ...(given.ALARM_TOPIC_ARN && { subscriptions: lazySubscriptions({ region, credentials }, given.ALARM_TOPIC_ARN) }),
    ...(given.MQTT_RULE && { publish: lazyPublish({ region, credentials }) }),
    now: Date.now,
    pause: machine.sleep,
    random: randomBytes,
    log,
    metrics: lazyMetrics(given.METRICS_NAMESPACE, given.METRICS_SECONDS),
  };
};
