import { randomBytes } from 'node:crypto';
import { type Passwords, passwordsAt } from './auth/password.ts';
import { type Cipher, createVault, type Vault } from './auth/vault.ts';
import { type Capability, isCapability, isStoreCall, type QueueName, type Use } from './capabilities.ts';
import type { Callee } from './delivery/callee.ts';
import type { Quotas } from './domain/quota.ts';
import { longestGap, SWEEP_SECONDS } from './domain/sensor-state.ts';
import { runtimeEnvironment, type Settings, settings } from './env.ts';
import { type Log, log } from './log.ts';
import type { Mail, mailBySes } from './mail.ts';
import {
  type Bell,
  type DeliveryBell,
  type EventBell,
  groupOf,
  type JobBell,
  MAX_DELAY_SECONDS,
} from './queue/bell.ts';
import type { Send } from './queue/send.ts';
import type { StoreCall } from './store/access-pattern.ts';
import { createTable, documentClient, type Table } from './store/client.ts';
import { type StoreOf, storeOf } from './store/store.ts';

/** What a host gives: the table, the queues, calls to the world, time and chance. */
export type Runtime = {
  settings: Settings;
  table: Table;
  send: Send;
  callee: () => Promise<Callee>;
  mail: Mail;
  vault: Vault;
  passwords: Passwords;
  now: () => number;
  /** Resolves after so many ms. */
  pause: (ms: number) => Promise<void>;
  random: (bytes: number) => Uint8Array;
  log: Log;
  /** Seconds between two sweeps; as in the cloud unless told otherwise. */
  sweepSeconds?: number;
  /** Called where a process might die, by the number of the place: tests let it. */
  crashpoint?: (place: number) => void;
};

/** What every handler may use: time and chance are arguments, never read from the world. */
type Basics = Required<Pick<Runtime, 'now' | 'pause' | 'random' | 'log' | 'crashpoint'>>;

type ByCapability = {
  guard: { settings: Settings };
  /** Rings for messages, after a delay as below if need be. Never fails: what was not rung for, the sweeper rings for. */
  'ring:events': { ringEvents: (bells: readonly EventBell[], delaySeconds?: number) => Promise<void> };
  'ring:deliveries': { ringDeliveries: (bells: readonly DeliveryBell[]) => Promise<void> };
  /** Rings after a delay of whole seconds, at most MAX_DELAY_SECONDS. */
  'ring:retries': { ringRetries: (bells: readonly (DeliveryBell | JobBell)[], delaySeconds: number) => Promise<void> };
  /** Never fails: whoever asked must not learn from it whether there is somebody to write to. */
  'send:mail': { mail: Mail };
  /** How long (ms) nothing may be heard of the service itself before its sensors' silence is no longer theirs. */
  'watch:sensors': { settings: Settings; longestGap: () => number };
  'keep:quotas': { quotas: Quotas };
  'call:webhooks': { callee: Callee; settings: Settings };
  'hash:passwords': { passwords: Passwords };
  'seal:secrets': { sealSecret: Vault['seal'] };
  'open:secrets': { openSecret: Vault['open'] };
  'service:about': { settings: Settings };
};

type Intersection<U> = (U extends unknown ? (one: U) => void : never) extends (all: infer I) => void ? I : never;

type Stored<C extends StoreCall> = [C] extends [never] ? unknown : { store: StoreOf<C> };

/** What a handler receives: exactly what its operation `uses`. */
export type Deps<U extends Use> = Basics &
  Intersection<ByCapability[Extract<U, Capability>]> &
  Stored<Extract<U, StoreCall>>;

const ringer =
  ({ send, log }: Runtime, queue: QueueName) =>
  async (bells: readonly Bell[]): Promise<void> => {
    try {
      if (bells.length > 0) await send(queue, bells);
    } catch (error) {
      log('warn', 'bells not rung, the sweeper will', { queue, bells: bells.length }, error);
    }
  };
const bell = (one: { c: number; w?: string }, delaySeconds = 0): Bell => ({
  body: JSON.stringify(one),
  groupId: groupOf(one),
  delaySeconds: Math.min(MAX_DELAY_SECONDS, Math.max(0, Math.ceil(delaySeconds))),
});

const providers: { [C in Capability]: (runtime: Runtime) => Promise<ByCapability[C]> } = {
  guard: async ({ settings }) => ({ settings }),
  'ring:events': async (runtime) => {
    const ring = ringer(runtime, 'events');
    return { ringEvents: (bells, delay) => ring(bells.map((one) => bell(one, delay))) };
  },
  'ring:deliveries': async (runtime) => {
    const ring = ringer(runtime, 'deliveries');
    return { ringDeliveries: (bells) => ring(bells.map((one) => bell(one))) };
  },
  'ring:retries': async (runtime) => {
    const ring = ringer(runtime, 'retries');
    return { ringRetries: (bells, delay) => ring(bells.map((one) => bell(one, delay))) };
  },
  'send:mail': async ({ mail, log }) => ({
    mail: (...letter) => mail(...letter).catch((error: unknown) => log('error', 'a mail was not sent', {}, error)),
  }),
  'watch:sensors': async ({ settings, sweepSeconds = SWEEP_SECONDS }) => ({
    settings,
    longestGap: () => longestGap(sweepSeconds, settings.SENSOR_INACTIVE_AFTER_SECONDS),
  }),
  'keep:quotas': async ({ settings }) => ({ quotas: settings.QUOTAS }),
  'call:webhooks': async ({ callee, settings }) => ({ callee: await callee(), settings }),
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

/** The runtime inside AWS Lambda. Queues and callee load only where a function uses them. */
export const lambdaRuntime = (): Runtime => {
  const given = settings();
  const { region, credentials, endpoints } = runtimeEnvironment();
  const client = documentClient({ region, credentials, ...(endpoints.table && { endpoint: endpoints.table }) });
  const urls = {
    events: given.EVENTS_QUEUE_URL,
    deliveries: given.DELIVERIES_QUEUE_URL,
    retries: given.RETRIES_QUEUE_URL,
  };
  let send: Promise<Send> | undefined;
  const connect = async () => (await import('./queue/send.ts')).sendBySqs({ region, credentials }, urls);
  return {
    settings: given,
    table: createTable(client, given.TABLE_NAME),
    send: async (queue, bells) => {
      send ??= connect();
      await (await send)(queue, bells);
    },
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
