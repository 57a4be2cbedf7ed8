import { randomBytes } from 'node:crypto';
import { type Passwords, passwordsAt } from './auth/password.ts';
import { type Cipher, createVault, type Vault } from './auth/vault.ts';
import { type Capability, isCapability, isStoreCall, type Use, type WorkQueue, workQueues } from './capabilities.ts';
import type { Callee } from './delivery/callee.ts';
import type { Quotas } from './domain/quota.ts';
import { longestGap, SWEEP_SECONDS } from './domain/sensor-state.ts';
import { runtimeEnvironment, type Settings, settings } from './env.ts';
import { type Log, log } from './log.ts';
import type { Mail, mailBySes } from './mail.ts';
import type { Queues, queuesBySqs } from './queue/send.ts';
import { encode, queueOf, type Task, type TaskOf } from './queue/task.ts';
import { QueueUnavailable } from './queue/unavailable.ts';
import type { StoreCall } from './store/access-pattern.ts';
import { createTable, documentClient, type Table } from './store/client.ts';
import { type StoreOf, storeOf } from './store/store.ts';

/** What a host gives: the table, the queues, calls to the world, time and chance. */
export type Runtime = {
  settings: Settings;
  table: Table;
  queues: Queues;
  callee: () => Promise<Callee>;
  mail: Mail;
  vault: Vault;
  passwords: Passwords;
  now: () => number;
  /** Resolves after so many ms. */
  pause: (ms: number) => Promise<void>;
  random: (bytes: number) => Uint8Array;
  log: Log;
  /** Since when (ms) no other process works on this table and these queues; 0: there may be any number. */
  aloneSince?: number;
  /** Seconds between two sweeps; as in the cloud unless told otherwise. */
  sweepSeconds?: number;
  /** Called where a process might die, by the number of the place: tests let it. */
  crashpoint?: (place: number) => void;
};

/** What every handler may use: time and chance are arguments, never read from the world. */
type Basics = Required<Pick<Runtime, 'now' | 'pause' | 'random' | 'log' | 'crashpoint'>>;

/**
 * Puts tasks on their queue, after a delay of whole seconds (at most MAX_DELAY_SECONDS) if one is given. Throws
 * QueueUnavailable when any was not taken. `deduplicationId`: of tasks that SQS shall take once in 5 minutes.
 */
export type Enqueue<T extends Task> = (
  tasks: readonly T[],
  more?: { delaySeconds?: number; deduplicationId?: string },
) => Promise<void>;

type ByCapability = {
  guard: { settings: Settings };
  /** What may be enqueued follows from all of them: see Enqueuing. */
  'enqueue:events': object;
  'enqueue:timers': object;
  'enqueue:deliveries': object;
  'enqueue:retries': object;
  consume: object;
  /** Puts the dead letters of all queues back into them. Never fails: an alarm tells as long as there are any. */
  redrive: { redrive: () => Promise<void> };
  /** Never fails: whoever asked must not learn from it whether there is somebody to write to. */
  'send:mail': { mail: Mail };
  /** How long (ms) nothing may be heard of the service itself before its sensors' silence is no longer theirs. */
  'watch:sensors': { settings: Settings; longestGap: () => number };
  'keep:quotas': { quotas: Quotas };
  'call:webhooks': { callee: Callee; settings: Settings; aloneSince: number };
  'hash:passwords': { passwords: Passwords };
  'seal:secrets': { sealSecret: Vault['seal'] };
  'open:secrets': { openSecret: Vault['open'] };
  'service:about': { settings: Settings };
};

type Intersection<U> = (U extends unknown ? (one: U) => void : never) extends (all: infer I) => void ? I : never;

type Stored<C extends StoreCall> = [C] extends [never] ? unknown : { store: StoreOf<C> };

type QueuesOf<U> = U extends `enqueue:${infer Q extends WorkQueue}` ? Q : never;
type Enqueuing<Q extends WorkQueue> = [Q] extends [never] ? unknown : { enqueue: Enqueue<TaskOf<Q>> };

/** What a handler receives: exactly what its operation `uses`. */
export type Deps<U extends Use> = Basics &
  Intersection<ByCapability[Extract<U, Capability>]> &
  Enqueuing<QueuesOf<U>> &
  Stored<Extract<U, StoreCall>>;

const enqueueing = async ({ queues }: Runtime) => ({
  enqueue: async (tasks: readonly Task[], { delaySeconds = 0, deduplicationId }: Parameters<Enqueue<Task>>[1] = {}) => {
    for (const [queue, ofQueue] of Map.groupBy(tasks, queueOf))
      await queues
        .send(
          queue,
          ofQueue.map((task) => encode(task, delaySeconds, deduplicationId)),
        )
        .catch((cause: unknown) => {
          throw new QueueUnavailable(`${queue} did not take its tasks`, { cause });
        });
  },
});

const providers: { [C in Capability]: (runtime: Runtime) => Promise<ByCapability[C]> } = {
  guard: async ({ settings }) => ({ settings }),
  'enqueue:events': enqueueing,
  'enqueue:timers': enqueueing,
  'enqueue:deliveries': enqueueing,
  'enqueue:retries': enqueueing,
  consume: async () => ({}),
  redrive: async ({ queues, log }) => ({
    redrive: async () => {
      // A queue of which dead letters are on their way already takes no second order.
      const ordered = workQueues.map((name) =>
        queues.redrive(name).catch((error: unknown) => log('warn', 'dead letters stay for now', { name }, error)),
      );
      await Promise.all(ordered);
    },
  }),
  'send:mail': async ({ mail, log }) => ({
    mail: (...letter) => mail(...letter).catch((error: unknown) => log('error', 'a mail was not sent', {}, error)),
  }),
  'watch:sensors': async ({ settings, sweepSeconds = SWEEP_SECONDS }) => ({
    settings,
    longestGap: () => longestGap(sweepSeconds, settings.SENSOR_INACTIVE_AFTER_SECONDS),
  }),
  'keep:quotas': async ({ settings }) => ({ quotas: settings.QUOTAS }),
  'call:webhooks': async ({ callee, settings, aloneSince = 0 }) => ({ callee: await callee(), settings, aloneSince }),
  'hash:passwords': async ({ passwords }) => ({ passwords }),
  'seal:secrets': async ({ vault }) => ({ sealSecret: vault.seal }),
  'open:secrets': async ({ vault }) => ({ openSecret: vault.open }),
  'service:about': async ({ settings }) => ({ settings }),
};

/** Composes what the uses of an operation stand for. */
export const compose = async <U extends Use>(runtime: Runtime, uses: readonly U[]): Promise<Deps<U>> => {
  const { now, pause, random, log, crashpoint = () => {} } = runtime;
  const all: readonly Use[] = uses;
  const parts = await Promise.all(all.filter(isCapability).map((name) => providers[name](runtime)));
  const calls = all.filter(isStoreCall);
  const stored = calls.length > 0 && { store: storeOf(runtime.table, calls) };
  return Object.assign({ now, pause, random, log, crashpoint }, stored, ...parts);
};

/** The way out to the world, loaded at the first call: a cold start has nothing to call yet. */
const lazyCallee = (given: Settings): Callee => {
  let loading: Promise<Callee> | undefined;
  const load = (): Promise<Callee> => {
    loading ??= import('./delivery/callee.ts').then(({ createCallee }) => createCallee(given));
    return loading;
  };
  return {
    check: async (url) => (await load()).check(url),
    post: async (request) => (await load()).post(request),
    enter: async (key, patience) => (await load()).enter(key, patience),
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

/** The runtime inside AWS Lambda. Queues and callee load only where a function uses them. */
export const lambdaRuntime = (): Runtime => {
  const given = settings();
  const { region, credentials, endpoints } = runtimeEnvironment();
  const client = documentClient({ region, credentials, ...(endpoints.table && { endpoint: endpoints.table }) });
  const urls = {
    events: given.EVENTS_QUEUE_URL,
    timers: given.TIMERS_QUEUE_URL,
    deliveries: given.DELIVERIES_QUEUE_URL,
    retries: given.RETRIES_QUEUE_URL,
    quarantine: given.QUARANTINE_QUEUE_URL,
  };
  return {
    settings: given,
    table: createTable(client, given.TABLE_NAME),
    queues: lazyQueues({ region, credentials }, urls),
    callee: async () => lazyCallee(given),
    vault: createVault(lazyCipher({ region, credentials }, given.SECRETS_KEY_ARN)),
    passwords: passwordsAt(),
    mail: lazyMail({ region, credentials, ...(endpoints.mail && { endpoint: endpoints.mail }) }, given.MAIL_SENDER),
    now: Date.now,
    pause: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
    random: randomBytes,
    log,
  };
};
