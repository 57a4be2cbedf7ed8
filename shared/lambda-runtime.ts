import { randomBytes } from 'node:crypto';
import { passwordsAt } from './auth/password.ts';
import { type Cipher, createVault } from './auth/vault.ts';
import { machine } from './concurrency/machine.ts';
import type { WebhookClient } from './delivery/webhook-client.ts';
import type { Runtime } from './deps.ts';
import { runtimeEnvironment, type Settings, settings } from './env.ts';
import { log } from './log.ts';
import type { Mail, mailBySes } from './mail.ts';
import { buffered, type Metrics } from './metrics.ts';
import type { Publish, publishByIot } from './publish.ts';
import type { Queues, queuesBySqs } from './queue/send.ts';
import { createTable, documentClient } from './store/client.ts';

/** The way out to the world, loaded at the first call: a cold start has nothing to call yet. */
const lazyWebhookClient = (given: Settings): WebhookClient => {
  let loading: Promise<WebhookClient> | undefined;
  const load = (): Promise<WebhookClient> => {
    loading ??= import('./delivery/webhook-client.ts').then(({ createWebhookClient }) => createWebhookClient(given));
    return loading;
  };
  return {
    check: async (url) => (await load()).check(url),
    post: async (request) => (await load()).post(request),
    acquire: async (key, acquireTimeout) => (await load()).acquire(key, acquireTimeout),
  };
};

/** KMS, loaded when there is something to seal or to open. */
const lazyCipher = (config: { region: string; credentials: Credentials }, keyArn: string): Cipher => {
  let loading: Promise<Cipher> | undefined;
  const load = (): Promise<Cipher> => {
    loading ??= import('./auth/kms.ts').then(({ kmsCipher }) => kmsCipher(config, keyArn));
    return loading;
  };
  return {
    encrypt: async (...given) => (await load()).encrypt(...given),
    decrypt: async (...given) => (await load()).decrypt(...given),
  };
};
type Credentials = ReturnType<typeof runtimeEnvironment>['credentials'];

/** The way to SES, loaded by the first mail. */
const lazyMail = (config: Parameters<typeof mailBySes>[0], sender: string): Mail => {
  let loading: Promise<Mail> | undefined;
  return async (...letter) => {
    if (sender === '') throw new Error('this stage has no address to send mails from');
    loading ??= import('./mail.ts').then((bySes) => bySes.mailBySes(config, sender));
    await (await loading)(...letter);
  };
};

/** AWS IoT, loaded when there is something to publish. */
const lazyPublish = (...given: Parameters<typeof publishByIot>): Publish => {
  let loading: Promise<Publish> | undefined;
  return async (...message) => {
    loading ??= import('./publish.ts').then((byIot) => byIot.publishByIot(...given));
    await (await loading)(...message);
  };
};

/** SQS, loaded when there is something to send. */
const lazyQueues = (...given: Parameters<typeof queuesBySqs>): Queues => {
  let loading: Promise<Queues> | undefined;
  const load = (): Promise<Queues> => {
    loading ??= import('./queue/send.ts').then((bySqs) => bySqs.queuesBySqs(...given));
    return loading;
  };
  return {
    send: async (...message) => (await load()).send(...message),
    hide: async (...messages) => (await load()).hide(...messages),
    redrive: async (queue) => (await load()).redrive(queue),
  };
};

/** Powertools, loaded when an invocation that measured something ends. */
const lazyMetrics = (namespace: string): Metrics => {
  let loading: Promise<(all: Parameters<Parameters<typeof buffered>[0]>[0]) => void> | undefined;
  const publish: Parameters<typeof buffered>[0] = async (measured) => {
    loading ??= import('./emf.ts').then(({ publisherIn }) => publisherIn(namespace));
    (await loading)(measured);
  };
  return buffered(publish, (error) => log('warn', 'measurements were lost', {}, error));
};

/** The runtime inside AWS Lambda. Queues and webhookClient load only where a function uses them. */
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
  return {
    settings: given,
    table: createTable(client, given.TABLE_NAME),
    queues: lazyQueues({ region, credentials }, urls),
    webhookClient: async () => lazyWebhookClient(given),
    vault: createVault(lazyCipher({ region, credentials }, given.SECRETS_KEY_ARN)),
    passwords: passwordsAt(),
    mail: lazyMail({ region, credentials, ...(endpoints.mail && { endpoint: endpoints.mail }) }, given.MAIL_SENDER),
    ...(given.MQTT_RULE && { publish: lazyPublish({ region, credentials }) }),
    now: Date.now,
    pause: machine.sleep,
    random: randomBytes,
    log,
    metrics: lazyMetrics(given.METRICS_NAMESPACE),
  };
};
