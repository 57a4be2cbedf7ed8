import { randomBytes } from 'node:crypto';
import { passwordsAt } from '../../shared/auth/password.ts';
import { cipherOf, createVault } from '../../shared/auth/vault.ts';
import { isFifo } from '../../shared/capabilities.ts';
import { createWebhookClient } from '../../shared/delivery/webhook-client.ts';
import type { Runtime } from '../../shared/deps.ts';
import type { Settings } from '../../shared/env.ts';
import { log as standardLog } from '../../shared/log.ts';
import type { Publish } from '../../shared/publish.ts';
import { type Queues, queuesBySqs } from '../../shared/queue/send.ts';
import { createTable } from '../../shared/store/client.ts';
import type { Clock } from './clock.ts';
import type { CloudOptions } from './cloud-options.ts';
import type { Waiting } from './consumers.ts';
import { startTableEngine } from './engines.ts';
import { createHealth } from './health.ts';
import { secretsKey } from './key-file.ts';
import { createMailFolder } from './mail-folder.ts';
import { createMetrics } from './metrics.ts';
import { openQueues, queuesOf } from './queues.ts';
import { ensureQueues } from './sqs.ts';
import { clientConfig, tableClient } from './table.ts';

export const startEngine = async ({ tableEndpoint, dataDir, log = standardLog }: CloudOptions) =>
  tableEndpoint
    ? { endpoint: tableEndpoint, stop: async () => {} }
    : startTableEngine({ dataDir, onExit: (error) => log('error', 'the table engine ended', {}, error) });

/** Waits for the first answer of an engine elsewhere. Without one, the error names the variable with its address. */
export const reaching = <T>(variable: string, endpoint: string, first: Promise<T>): Promise<T> =>
  first.catch((cause: unknown) => {
    const { message, name } = cause as Error;
    throw new Error(`${variable}: no engine answers at ${endpoint} (${message || name})`, { cause });
  });

/** Opens the queues. `inProcess` are those of this process, null when they are at an endpoint. */
export const startQueues = async ({ queueEndpoint, dataDir }: CloudOptions, clock: Clock) => {
  if (queueEndpoint) {
    const waiting: Waiting = await reaching('AWS_ENDPOINT_URL_SQS', queueEndpoint, ensureQueues(queueEndpoint, isFifo));
    const queues: Queues = queuesBySqs(clientConfig(queueEndpoint), waiting.urls, clock.now);
    return { waiting, inProcess: null, queues, close: () => {} };
  }
  const { queues, dead, close } = openQueues(dataDir, clock);
  const waiting = { queues, dead };
  return { waiting, inProcess: waiting, queues: queuesOf(queues), close };
};
export type OpenedQueues = Awaited<ReturnType<typeof startQueues>>;

type Parts = {
  settings: Settings;
  /** The address of the table's engine. */
  endpoint: string;
  opened: Awaited<ReturnType<typeof startQueues>>;
  clock: Clock;
  publish: Publish | undefined;
};

/** Makes the runtime of the handlers on this host, and the metrics that they leave. */
export const createRuntime = async (options: CloudOptions, { settings, endpoint, opened, clock, publish }: Parts) => {
  const { dataDir, random = randomBytes, log = standardLog, meter, say = () => {}, exceptions = () => 0 } = options;
  const { now } = clock;
  const webhookClient = createWebhookClient(settings, { allowLoopback: true });
  const passwords = passwordsAt(options.passwordCost, random);
  const vault = createVault(cipherOf(await secretsKey(dataDir, random), random));
  const { watched, health } = createHealth({ dataDir, waiting: opened.inProcess?.queues ?? null, clock, exceptions });
  const { metrics, prometheus, valuesOf } = createMetrics();
  const runtime: Runtime = {
    ...{ settings, now, random, log, metrics, hostHealth: health },
    table: createTable(tableClient(options, endpoint), settings.TABLE_NAME, meter),
    queues: watched(opened.queues),
    aloneSince: options.tableEndpoint || options.queueEndpoint ? 0 : now(),
    webhookClient: async () => webhookClient,
    mail: createMailFolder({ dataDir, sender: settings.MAIL_SENDER, now, say }),
    ...(publish && { publish }),
    vault: async () => vault,
    passwords: async () => passwords,
    pause: (ms) => new Promise<void>((resolve) => void clock.after(ms, resolve)),
  };
  return { runtime, prometheus, valuesOf };
};
