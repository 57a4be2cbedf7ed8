import type { Passwords } from '../auth/password.ts';
import { KeysUnavailable } from '../auth/unavailable.ts';
import type { Vault } from '../auth/vault.ts';
import type { Mail } from '../aws/mail.ts';
import type { Publish } from '../aws/publish.ts';
import type { Subscriptions } from '../aws/subscriptions.ts';
import { isOver } from '../concurrency/endable.ts';
import type { SendToPerson } from '../delivery/targets/person.ts';
import type { WebhookClient } from '../delivery/webhook-client.ts';
import { OTP_CONTEXT } from '../domain/identity/credential.ts';
import type { Quotas } from '../domain/identity/quota.ts';
import { type ChannelKind, PUSH_KEY } from '../domain/people/channel.ts';
import { ADDRESS_KEY } from '../domain/rule/acknowledgement.ts';
import { longestGap, SWEEP_SECONDS } from '../domain/sensor/sensor-state.ts';
import { type HostHealth, unknownHost } from '../domain/service-health.ts';
import { type Exports, nowhere } from '../exports/exports.ts';
import { type Teller, teller } from '../ingest/tell.ts';
import { type Log, traceHere } from '../observability/log.ts';
import { type Measure, type Metrics, unmeasured } from '../observability/metrics.ts';
import { encode, queueOf } from '../queue/encode.ts';
import { type WorkQueue, workQueues } from '../queue/names.ts';
import type { Queues } from '../queue/send.ts';
import type { Task, TaskOf } from '../queue/task.ts';
import { QueueUnavailable } from '../queue/unavailable.ts';
import type { VariableOf } from '../settings/environment.ts';
import type { Table } from '../store/engine/client.ts';
import type { Store, StoreCall, StoreOf } from '../store/store.ts';
import { type Capability, isCapability, isStoreCall, type Use } from './capabilities.ts';
import type { Settings } from './env.ts';
import type { Failpoint } from './failpoints.ts';
import type { Messengers } from './messengers.ts';
import type { peopleOf } from './people.ts';

/** What a host provides: the table, the queues, clients for other services, the clock and random bytes. */
export type Runtime = {
  settings: Settings;
  table: Table;
  /** Creates the store on a table, with the nouns that the host has. */
  createStore: (table: Table) => Store;
  queues: Queues;
  webhookClient: () => Promise<WebhookClient>;
  mail: Mail;
  /** Creates what reaches people, from the services of a host. */
  peopleOf: typeof peopleOf;
  /** Missing where there is no service for short messages. */
  messengers?: () => Promise<Messengers>;
  /** Publishes to devices that are connected by MQTT. Missing where the host has no MQTT. */
  publish?: Publish;
  /** Where the results of exports are kept. */
  exports?: Exports;
  /** Who is to be told of alarms. Missing where there is no topic of alarms. */
  subscriptions?: Subscriptions;
  vault: () => Promise<Vault>;
  passwords: () => Promise<Passwords>;
  now: () => number;
  /** Resolves after so many ms. */
  pause: (ms: number) => Promise<void>;
  random: (bytes: number) => Uint8Array;
  log: Log;
  /** Where metrics go; without it nothing is measured. */
  metrics?: Metrics;
  /** Since when (ms) this process is the only one on its table and queues; 0: other processes may work on them too. */
  aloneSince?: number;
  /** Seconds between two sweeps; as in AWS if missing. */
  sweepSeconds?: number;
  /** How the host itself is. Missing where it does not know. */
  hostHealth?: () => Promise<HostHealth>;
  /** Called at each place where a process might die. Tests throw there. */
  failpoint?: (name: Failpoint) => void;
};

/** What every handler is given: clock, random bytes and log are arguments, never globals. */
type Basics = Required<Pick<Runtime, 'now' | 'pause' | 'random' | 'log' | 'failpoint'>>;

/**
 * Puts tasks on their queue, after a delay of whole seconds (at most MAX_DELAY_SECONDS) if one is given, but not after
 * `until` (ms). Throws QueueUnavailable when any was not taken. SQS drops a task with the `deduplicationId` of another of the last 5 minutes.
 */
type Enqueue<T extends Task> = (
  tasks: readonly T[],
  more?: { delaySeconds?: number; deduplicationId?: string; until?: number },
) => Promise<void>;

/** The settings of a capability: a handler with that capability can read no others. */
export type SettingsOf<C extends Capability> = Pick<Settings, VariableOf<C>>;

type ByCapability = {
  measure: { measure: Measure };
  guard: { settings: SettingsOf<'guard'> };
  'limit:devices': { settings: SettingsOf<'limit:devices'> };
  'admit:devices': { rule: SettingsOf<'admit:devices'>['MQTT_RULE'] };
  'notify:devices': Pick<Teller, 'notify'>;
  'refuse:messages': Pick<Teller, 'refuseMessage'>;
  'keep:failed': object;
  /** These five together decide which tasks `enqueue` takes: see Enqueuing. */
  'enqueue:events': object;
  'enqueue:timers': object;
  'enqueue:deliveries': object;
  'enqueue:retries': object;
  'enqueue:jobs': object;
  consume: object;
  /** Puts the dead letters of all queues back into their queues. Never fails: an alarm is on while there are any. */
  redrive: { redrive: () => Promise<void> };
  /** Never fails: the caller must not learn whether there is a user with that address. */
  'send:mail': { mail: Mail };
  /** `channelKinds`: what this stage has a service for. Letters that were not taken are counted. */
  'send:person': { person: SendToPerson; channelKinds: readonly ChannelKind[] };
  /** The longest gap (ms) between sweeps that is no outage: silence of sensors during an outage does not count. */
  'watch:sensors': { settings: SettingsOf<'watch:sensors'>; longestGap: () => number };
  'keep:quotas': { quotas: Quotas };
  'call:webhooks': { webhookClient: WebhookClient; settings: SettingsOf<'call:webhooks'>; aloneSince: number };
  'hash:passwords': { passwords: Passwords };
  'seal:secrets': { sealSecret: Vault['seal'] };
  'open:secrets': { openSecret: Vault['open'] };
  'open:addresses': { openAddressKey: (sealed: string) => Promise<string> };
  'ask:issuer': { settings: SettingsOf<'ask:issuer'> };
  'keep:otps': { sealOtp: (secret: string) => Promise<string>; openOtp: (sealed: string) => Promise<string> };
  'host:health': { hostHealth: () => Promise<HostHealth>; settings: SettingsOf<'host:health'> };
  'run:canary': { settings: SettingsOf<'run:canary'> };
  'forward:feedback': { settings: SettingsOf<'forward:feedback'> };
  'list:subscriptions': { subscriptions: Subscriptions; settings: SettingsOf<'list:subscriptions'> };
  'keep:exports': { exports: Pick<Exports, 'save' | 'remove'>; settings: SettingsOf<'keep:exports'> };
  'share:exports': { urlOfExport: Exports['urlOf'] };
  'service:about': { settings: SettingsOf<'service:about'> };
};

type Intersection<U> = (U extends unknown ? (one: U) => void : never) extends (all: infer I) => void ? I : never;

type Stored<C extends StoreCall> = [C] extends [never] ? unknown : { store: StoreOf<C> };

type QueuesOf<U> = U extends `enqueue:${infer Q extends WorkQueue}` ? Q : never;
type Enqueuing<Q extends WorkQueue> = [Q] extends [never] ? unknown : { enqueue: Enqueue<TaskOf<Q>> };

/** The second argument of a handler: exactly what its contract `uses`. */
export type Deps<U extends Use> = Basics &
  Intersection<ByCapability[Extract<U, Capability>]> &
  Enqueuing<QueuesOf<U>> &
  Stored<Extract<U, StoreCall>>;

const enqueueing = async ({ queues, now }: Runtime) => ({
  enqueue: async (tasks: readonly Task[], more: Parameters<Enqueue<Task>>[1] = {}) => {
    const { delaySeconds = 0, deduplicationId, until } = more;
    if (isOver() || (until !== undefined && now() > until)) throw new QueueUnavailable('it is too late to send it');
    const encoded = (task: Task) => encode({ ...traceHere(), ...task }, delaySeconds, deduplicationId);
    for (const [queue, ofQueue] of Map.groupBy(tasks, queueOf))
      await queues
        .send(
          queue,
          ofQueue.map((task) => ({ ...encoded(task), ...(until !== undefined && { until }) })),
        )
        .catch((cause: unknown) => {
          throw new QueueUnavailable(`${queue} did not take its tasks`, { cause });
        });
  },
});

const keysAway = (cause: unknown): never => {
  throw new KeysUnavailable('a secret could not be sealed or opened', { cause });
};

/** Opens the one secret with this context. */
const openingOf =
  ({ vault }: Runtime, context: string) =>
  async (sealed: string) =>
    (await vault()).open(sealed, context).catch(keysAway);

const knowing = async ({ settings }: Runtime) => ({ settings });

const providers: { [C in Capability]: (runtime: Runtime) => Promise<ByCapability[C]> } = {
  measure: async ({ metrics = unmeasured }) => ({ measure: metrics.measure }),
  guard: knowing,
  'enqueue:events': enqueueing,
  'enqueue:timers': enqueueing,
  'enqueue:deliveries': enqueueing,
  'enqueue:retries': enqueueing,
  'enqueue:jobs': enqueueing,
  consume: async () => ({}),
  redrive: async ({ queues, log }) => ({
    redrive: async () => {
      // SQS refuses to move dead letters of a queue while an earlier move goes on.
      const ordered = workQueues.map((name) =>
        queues.redrive(name).catch((error: unknown) => log('warn', 'dead letters stay for now', { name }, error)),
      );
      await Promise.all(ordered);
    },
  }),
  'send:mail': async ({ mail, log, metrics = unmeasured }) => ({
    mail: (...letter) =>
      mail(...letter).catch((error: unknown) => {
        log('error', 'a mail was not sent', {}, error);
        metrics.measure('MailsFailed');
      }),
  }),
  'send:person': async (runtime) => runtime.peopleOf(runtime, openingOf(runtime, PUSH_KEY)),
  'watch:sensors': async ({ settings, sweepSeconds = SWEEP_SECONDS }) => ({
    settings,
    longestGap: () => longestGap(sweepSeconds, settings.SENSOR_INACTIVE_AFTER_SECONDS),
  }),
  'limit:devices': knowing,
  'admit:devices': async ({ settings }) => ({ rule: settings.MQTT_RULE }),
  'notify:devices': async ({ publish, log }) => teller(publish, log),
  'refuse:messages': async ({ publish, log }) => teller(publish, log),
  'keep:failed': async () => ({}),
  'keep:quotas': async ({ settings }) => ({ quotas: settings.QUOTAS }),
  'call:webhooks': async ({ webhookClient, settings, aloneSince = 0 }) => ({
    webhookClient: await webhookClient(),
    settings,
    aloneSince,
  }),
  'hash:passwords': async ({ passwords }) => ({ passwords: await passwords() }),
  'seal:secrets': async ({ vault }) => ({
    sealSecret: async (...given) => (await vault()).seal(...given).catch(keysAway),
  }),
  'open:secrets': async ({ vault }) => ({
    openSecret: async (...given) => (await vault()).open(...given).catch(keysAway),
  }),
  'open:addresses': async (runtime) => ({ openAddressKey: openingOf(runtime, ADDRESS_KEY) }),
  'ask:issuer': knowing,
  'keep:otps': async (runtime) => ({
    sealOtp: async (secret) => (await runtime.vault()).seal(secret, OTP_CONTEXT).catch(keysAway),
    openOtp: openingOf(runtime, OTP_CONTEXT),
  }),
  'host:health': async ({ hostHealth = async () => unknownHost, settings }) => ({ hostHealth, settings }),
  'run:canary': knowing,
  'forward:feedback': knowing,
  'list:subscriptions': async ({ subscriptions = async () => [], settings }) => ({ subscriptions, settings }),
  'keep:exports': async ({ exports = nowhere, settings }) => ({ exports, settings }),
  'share:exports': async ({ exports = nowhere }) => ({ urlOfExport: exports.urlOf }),
  'service:about': knowing,
};

/** The part of a store that makes these calls, and no others. */
const partOf = (store: Store, calls: readonly StoreCall[]): object => {
  const whole: Record<string, Record<string, unknown>> = store;
  const kept: typeof whole = {};
  for (const call of calls) {
    const [noun = '', name = ''] = call.split('.');
    kept[noun] = { ...kept[noun], [name]: whole[noun]?.[name] };
  }
  return kept;
};

/** Makes the second argument of a handler from what its contract uses. */
export const compose = async <U extends Use>(runtime: Runtime, uses: readonly U[]): Promise<Deps<U>> => {
  const { now, pause, random, log, failpoint = () => {} } = runtime;
  const all: readonly Use[] = uses;
  const parts = await Promise.all(all.filter(isCapability).map((name) => providers[name](runtime)));
  const calls = all.filter(isStoreCall);
  const stored = calls.length > 0 && { store: partOf(runtime.createStore(runtime.table), calls) };
  return Object.assign({ now, pause, random, log, failpoint }, stored, ...parts);
};
