import type { SecureContext } from 'node:tls';
import { createPasswords } from '#shared/auth/password.ts';
import { createVault } from '#shared/auth/vault.ts';
import type { Publish } from '#shared/aws/publish.ts';
import { createTelegram, type SendTelegram } from '#shared/delivery/targets/telegram.ts';
import { createWebhookClient } from '#shared/delivery/webhook-client.ts';
import { log as standardLog } from '#shared/observability/log.ts';
import { isFifo } from '#shared/queue/names.ts';
import { type Queues, sqsQueues } from '#shared/queue/sqs-queues.ts';
import type { Runtime } from '#shared/runtime/deps.ts';
import type { Settings } from '#shared/runtime/env.ts';
import type { Messengers } from '#shared/runtime/messengers.ts';
import { peopleOf } from '#shared/runtime/person-sender.ts';
import { createTable, documentClient, type TableClient } from '#shared/store/engine/client.ts';
import { store } from '#shared/store/store.ts';
import type { Clock } from '../clock.ts';
import type { CloudOptions } from '../cloud-options.ts';
import type { QueueSet } from '../consumers/consumers.ts';
import { ensureQueues } from '../consumers/sqs.ts';
import { createExportFolder } from '../http/export-folder.ts';
import { createHealth } from '../http/health.ts';
import type { Prometheus } from '../http/prometheus.ts';
import { noJournal } from '../queue/journal.ts';
import { journalsIn } from '../queue/queue-file.ts';
import { openQueues, queuesOf } from '../queue/queues.ts';
import { tableClient } from '../table/client.ts';
import { clientConfig, ensureTable } from '../table/endpoint.ts';
import type { Storage } from '../table/storage.ts';
import { keepingTurns } from '../table/turns.ts';
import { contextTrusting } from '../trusted-roots.ts';
import { createHostCipher } from './cipher.ts';
import { createMetrics } from './metrics.ts';
import { createMailFolder, createMessageFolder } from './outbox.ts';
import { pooledBytes } from './pooled-bytes.ts';
import { createSmsGateway } from './sms-gateway.ts';
import { whenKept } from './when-kept.ts';

/**
 * Waits for the first response from an external engine. If there is none, the error names the variable with the
 * engine's address.
 */
const reaching = <T>(variable: string, endpoint: string, first: Promise<T>): Promise<T> =>
  first.catch((cause: unknown) => {
    const { message, name } = cause as Error;
    throw new Error(`${variable}: no response from ${endpoint} (${message || name})`, { cause });
  });

/** Opens the table in this process, or at an endpoint if there is one. */
export const openTable = async (
  { tableEndpoint, queueEndpoint, client }: CloudOptions,
  { rows, turns }: Storage,
  name: string,
  clock: Clock,
): Promise<TableClient> => {
  if (!tableEndpoint) return client ?? tableClient(rows, queueEndpoint ? keepingTurns(turns) : turns, name, clock.now);
  await reaching('AWS_ENDPOINT_URL_DYNAMODB', tableEndpoint, ensureTable(tableEndpoint, name));
  return client ?? documentClient(clientConfig(tableEndpoint));
};

/** Opens the queues. `inProcess` is null if they are at an endpoint. */
export const startQueues = async (
  { queueEndpoint, tableEndpoint, dataDir }: CloudOptions,
  { database, turns }: Storage,
  clock: Clock,
) => {
  if (queueEndpoint) {
    const waiting: QueueSet = await reaching(
      'AWS_ENDPOINT_URL_SQS',
      queueEndpoint,
      ensureQueues(queueEndpoint, isFifo),
    );
    const queues: Queues = sqsQueues(clientConfig(queueEndpoint), waiting.urls, clock.now);
    return { waiting, inProcess: null, queues };
  }
  const journals = { database, turns: tableEndpoint ? keepingTurns(turns) : turns };
  const waiting = openQueues(dataDir === ':memory:' ? noJournal : journalsIn(journals), clock);
  return { waiting, inProcess: waiting, queues: queuesOf(waiting.queues) };
};
export type OpenedQueues = Awaited<ReturnType<typeof startQueues>>;

/** Creates the connections to the mail server. Null without one. */
const smtpOf = async (
  { smtp }: CloudOptions,
  { settings, prometheus, ...more }: Pick<Runtime, 'settings' | 'now' | 'random'> & { prometheus: Prometheus },
) => {
  if (!smtp) return null;
  const { createSmtp } = await import('../mail/smtp.ts');
  return createSmtp(smtp, {
    sender: settings.MAIL_SENDER,
    deadlineMs: settings.DELIVERY_DEADLINE_SECONDS * 1_000,
    onFailure: ({ reason }) => prometheus.noteMailFailure(reason),
    ...more,
  });
};

type Parts = {
  storage: Storage;
  settings: Settings;
  table: TableClient;
  opened: OpenedQueues;
  clock: Clock;
  publish: Publish | undefined;
};

/** Fails, because this host has neither a mail server nor an outbox. The failure is counted and logged. */
const noMail: Runtime['mail'] = async () => {
  throw new Error('this host sends no mails: SMTP_URL is not set');
};

type Targets = { secureContext: SecureContext | undefined; file: (to: string, text: string) => Promise<void> };

/**
 * Returns the senders for SMS, chat messages and push messages. Messages without a configured service are written to
 * files.
 */
const messengersOf = ({ sms }: CloudOptions, settings: Settings, { secureContext, file }: Targets): Messengers => {
  const { TELEGRAM_TOKEN, OUTBOX_KINDS, DELIVERY_DEADLINE_SECONDS } = settings;
  const deadlineMs = DELIVERY_DEADLINE_SECONDS * 1_000;
  const agentOptions = secureContext ? { secureContext } : {};
  // Public services need publicly trusted certificates, so private authorities are not trusted here.
  const publicClient = createWebhookClient(settings);
  const asFile: SendTelegram = async (...message) => {
    await file(...message);
    return 'accepted';
  };
  return {
    ...(sms ? { smsGateway: createSmsGateway(sms, { deadlineMs, agentOptions }) } : { sms: file }),
    telegram: TELEGRAM_TOKEN ? createTelegram(async () => publicClient, TELEGRAM_TOKEN) : asFile,
    ...(OUTBOX_KINDS.includes('push') && { pushFile: file }),
  };
};

/** Creates the handlers' runtime on this host, with metrics and the export folder. */
export const createRuntime = async (
  options: CloudOptions,
  { settings, storage, table, opened, clock, publish }: Parts,
) => {
  const { dataDir, random = pooledBytes(), log = standardLog, meter, say = () => {}, exceptions = () => 0 } = options;
  const { now } = clock;
  const secureContext = options.extraCaFile ? contextTrusting(options.extraCaFile) : undefined;
  const webhookClient = createWebhookClient(settings, {
    allowLoopback: settings.ON_NETWORK ? 'named' : true,
    secureContext,
  });
  const outbox = { dataDir, now, say };
  const messengers = messengersOf(options, settings, { secureContext, file: createMessageFolder(outbox) });
  const passwords = createPasswords(options.passwordCost, random);
  const vault = createVault(await createHostCipher(options, random));
  const { metrics, prometheus, valuesOf } = createMetrics();
  const smtp = await smtpOf(options, { settings, now, random, prometheus });
  const { watched, health } = createHealth({
    dataDir,
    waiting: opened.inProcess?.queues ?? null,
    mail: () => smtp?.state() ?? null,
    clock,
    exceptions,
    isFull: storage.turns.isFull,
  });
  const exported = createExportFolder({ dataDir, publicUrl: settings.PUBLIC_URL, now, random });
  const runtime: Runtime = {
    settings,
    now,
    random,
    log,
    metrics,
    hostHealth: health,
    table: createTable(table, settings.TABLE_NAME, meter),
    createStore: store,
    queues: watched(opened.queues),
    exclusiveSince: options.tableEndpoint || options.queueEndpoint ? 0 : now(),
    webhookClient: async () => webhookClient,
    mail: smtp?.mail ?? (options.hasOutbox ? createMailFolder(settings.MAIL_SENDER, outbox) : noMail),
    createPersonSender: peopleOf,
    chatPauses: new Map(),
    messengers: async () => messengers,
    exports: exported.exports,
    ...(publish && { publish }),
    vault: async () => vault,
    passwords: async () => passwords,
    pause: (ms) => new Promise<void>((resolve) => void clock.after(ms, resolve)),
  };
  return {
    runtime: whenKept(storage.turns.kept, runtime),
    prometheus,
    exported,
    valuesOf,
    closeMail: () => smtp?.close(),
  };
};
