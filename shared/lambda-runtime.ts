import { randomBytes } from 'node:crypto';
import type { Cipher } from './auth/vault.ts';
import { machine } from './concurrency/machine.ts';
import type { Telegram } from './delivery/targets/telegram.ts';
import type { WebhookClient } from './delivery/webhook-client.ts';
import type { Runtime } from './deps.ts';
import { runtimeEnvironment, type Settings, settings } from './env.ts';
import { log } from './log.ts';
import type { Mail } from './mail.ts';
import { buffered, type Metrics } from './metrics.ts';
import type { Publish } from './publish.ts';
import type { Queues, queuesBySqs } from './queue/send.ts';
import type { Sms } from './sms.ts';
import { createTable, documentClient } from './store/client.ts';
import type { Subscriptions } from './subscriptions.ts';

type Config = Pick<ReturnType<typeof runtimeEnvironment>, 'region' | 'credentials'> & { endpoint?: string };

/** What is loaded at its first use, once: a cold start has no need of it yet. */
const lazy = <T>(load: () => Promise<T>): (() => Promise<T>) => {
  let loading: Promise<T> | undefined;
  return () => {
    loading ??= load();
    return loading;
  };
};

const lazyWebhookClient = (given: Settings): WebhookClient => {
  const client = lazy(async () => (await import('./delivery/webhook-client.ts')).createWebhookClient(given));
  return {
    check: async (url) => (await client()).check(url),
    post: async (request) => (await client()).post(request),
    acquire: async (key, acquireTimeout) => (await client()).acquire(key, acquireTimeout),
  };
};

const lazyCipher = (config: Config, keyArn: string): Cipher => {
  const cipher = lazy(async () => (await import('./auth/kms.ts')).kmsCipher(config, keyArn));
  return {
    encrypt: async (...given) => (await cipher()).encrypt(...given),
    decrypt: async (...given) => (await cipher()).decrypt(...given),
  };
};

const lazyMail = (config: Config, sender: string): Mail => {
  const mail = lazy(async () => (await import('./mail.ts')).mailBySes(config, sender));
  return async (...letter) => {
    if (sender === '') throw new Error('this stage has no address to send mails from');
    await (await mail())(...letter);
  };
};

const lazySms = (config: Config, origin: string): Sms => {
  const sms = lazy(async () => (await import('./sms.ts')).smsByAws(config, origin));
  return async (...message) => (await sms())(...message);
};

const lazyTelegram = (client: Runtime['webhookClient'], token: string): Telegram => {
  const telegram = lazy(async () => (await import('./delivery/targets/telegram.ts')).telegramAs(client, token));
  return async (...message) => (await telegram())(...message);
};

const lazyPublish = (config: Config): Publish => {
  const publish = lazy(async () => (await import('./publish.ts')).publishByIot(config));
  return async (...message) => (await publish())(...message);
};

const lazySubscriptions = (config: Config, topicArn: string): Subscriptions => {
  const subscriptions = lazy(async () => (await import('./subscriptions.ts')).subscriptionsBySns(config, topicArn));
  return async () => (await subscriptions())();
};

const lazyQueues = (config: Config, urls: Parameters<typeof queuesBySqs>[1]): Queues => {
  const queues = lazy(async () => (await import('./queue/send.ts')).queuesBySqs(config, urls, Date.now));
  return {
    send: async (...message) => (await queues()).send(...message),
    hide: async (...messages) => (await queues()).hide(...messages),
    redrive: async (queue) => (await queues()).redrive(queue),
  };
};

const lazyMetrics = (namespace: string, everySeconds: number): Metrics => {
  const publisher = lazy(async () => (await import('./emf.ts')).publisherIn(namespace));
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
    mqtt: given.MQTT_QUEUE_URL,
    quarantine: given.QUARANTINE_QUEUE_URL,
  };
  const webhookClient = lazyWebhookClient(given);
  const sms = { region, credentials, ...(endpoints.sms && { endpoint: endpoints.sms }) };
  return {
    settings: given,
    table: createTable(client, given.TABLE_NAME),
    queues: lazyQueues({ region, credentials }, urls),
    webhookClient: async () => webhookClient,
    vault: lazy(async () =>
      (await import('./auth/vault.ts')).createVault(lazyCipher({ region, credentials }, given.SECRETS_KEY_ARN)),
    ),
    passwords: async () => (await import('./auth/password.ts')).passwordsAt(),
    mail: lazyMail({ region, credentials, ...(endpoints.mail && { endpoint: endpoints.mail }) }, given.MAIL_SENDER),
    ...(given.SMS_ORIGIN && { sms: lazySms(sms, given.SMS_ORIGIN) }),
    ...(given.TELEGRAM_TOKEN && { telegram: lazyTelegram(async () => webhookClient, given.TELEGRAM_TOKEN) }),
    ...(given.ALARM_TOPIC_ARN && { subscriptions: lazySubscriptions({ region, credentials }, given.ALARM_TOPIC_ARN) }),
    ...(given.MQTT_RULE && { publish: lazyPublish({ region, credentials }) }),
    now: Date.now,
    pause: machine.sleep,
    random: randomBytes,
    log,
    metrics: lazyMetrics(given.METRICS_NAMESPACE, given.METRICS_SECONDS),
  };
};
