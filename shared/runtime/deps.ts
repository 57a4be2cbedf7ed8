import type { Passwords } from '../auth/password.ts';
import { KeysUnavailable } from '../auth/unavailable.ts';
import type { Vault } from '../auth/vault.ts';
import type { ListActiveAlarms } from '../aws/active-alarms.ts';
import type { AlarmTopic } from '../aws/alarm-topic.ts';
import type { SendMail } from '../aws/mail.ts';
import type { Publish } from '../aws/publish.ts';
import { isWorkEnded } from '../concurrency/endable-work.ts';
import type { SendToPerson } from '../delivery/targets/person.ts';
import type { ChatPauses } from '../delivery/targets/telegram.ts';
import type { WebhookClient } from '../delivery/webhook-client.ts';
import { OTP_CONTEXT } from '../domain/identity/credential.ts';
import type { Quotas } from '../domain/identity/quota.ts';
import { PUSH_KEY_CONTEXT } from '../domain/people/channel.ts';
import { LINK_KEY_CONTEXT } from '../domain/rule/acknowledgement.ts';
import { maxHeartbeatGap, SWEEP_SECONDS } from '../domain/sensor/sensor-state.ts';
import { type HostHealth, unknownHost } from '../domain/service-health.ts';
import { type ExportStorage, noExportStorage } from '../exports/exports.ts';
import { type DeviceNotifier, deviceNotifier } from '../ingest/device-notifier.ts';
import { currentTrace, type Log } from '../observability/log.ts';
import { type Measure, type Metrics, noMetrics } from '../observability/metrics.ts';
import { encodeTask, queueOf } from '../queue/encode.ts';
import type { Published } from '../queue/mqtt.ts';
import { type WorkQueue, workQueues } from '../queue/names.ts';
import type { Queues } from '../queue/sqs-queues.ts';
import type { Task, TaskOf } from '../queue/task.ts';
import { QueueUnavailable } from '../queue/unavailable.ts';
import type { VariableName } from '../settings/environment.ts';
import type { Table } from '../store/engine/client.ts';
import type { Store, StoreCall, StoreOf } from '../store/store.ts';
import { type Capability, isCapability, isStoreCall, type Use } from './capabilities.ts';
import type { Settings } from './env.ts';
import type { Failpoint } from './failpoints.ts';
import type { Messengers } from './messengers.ts';
import type { peopleOf } from './person-sender.ts';

/** The alarm topic, and a list of the active alarms. */
type Alarms = AlarmTopic & { active: ListActiveAlarms };
/** The alarms on a host without an alarm topic. */
export const noAlarms: Alarms = {
  subscriptions: async () => [],
  active: async () => [],
  send: async () => {},
  notify: async () => {},
};

/** What a host provides: the table, the queues, clients for other services, the clock and random bytes. */
export type Runtime = {
  settings: Settings;
  table: Table;
  /** Creates the store on a table, with the nouns available on the host. */
  createStore: (table: Table) => Store;
  queues: Queues;
  webhookClient: () => Promise<WebhookClient>;
  mail: SendMail;
  /** Creates the function that notifies people through the services of a host. */
  createPersonSender: typeof peopleOf;
  /** The pauses Telegram asked for, by chat. Missing if only one handler calls Telegram. */
  chatPauses?: ChatPauses;
  /** Missing if there is no service for SMS or chats. */
  messengers?: () => Promise<Messengers>;
  /** Publishes to devices over MQTT. Missing if the host has no MQTT. */
  publish?: Publish;
  /** The storage for exported files. */
  exports?: ExportStorage;
  /** The service alarms and their subscribers. Missing if there is no alarm topic. */
  alarms?: Alarms;
  vault: () => Promise<Vault>;
  passwords: () => Promise<Passwords>;
  now: () => number;
  /** Resolves after `ms`. */
  pause: (ms: number) => Promise<void>;
  random: (bytes: number) => Uint8Array;
  log: Log;
  /** The metrics destination. Without it, nothing is measured. */
  metrics?: Metrics;
  /** The time (ms) since which no other process has used the table and queues; 0 if others may be using them. */
  exclusiveSince?: number;
  /** Seconds between two sweeps. Defaults to the interval in AWS. */
  sweepSeconds?: number;
  /** Reports host health. Missing if unknown. */
  hostHealth?: () => Promise<HostHealth>;
  /** Called wherever a process might die. Tests throw there. */
  failpoint?: (name: Failpoint) => void;
};

/** What every handler gets. Clock, random bytes and log are arguments, never globals. */
type Basics = Required<Pick<Runtime, 'now' | 'pause' | 'random' | 'log' | 'failpoint'>>;

/**
 * Sends tasks to their queues, delayed by whole seconds (at most MAX_DELAY_SECONDS) if requested, but not after `until`
 * (ms). Throws QueueUnavailable if any task was not accepted. SQS drops a task with the same `deduplicationId` as
 * another task from the last 5 minutes.
 */
type Enqueue<T extends Task> = (
  tasks: readonly T[],
  more?: { delaySeconds?: number; deduplicationId?: string; until?: number },
) => Promise<void>;

/** The settings for a capability. A handler cannot read any others. */
export type SettingsOf<C extends Capability> = Pick<Settings, VariableName<C>>;

type ByCapability = {
  measure: { measure: Measure };
  guard: { settings: SettingsOf<'guard'> };
  'limit:devices': { settings: SettingsOf<'limit:devices'> };
  'admit:devices': { rule: SettingsOf<'admit:devices'>['MQTT_RULE'] };
  'notify:devices': Pick<DeviceNotifier, 'notify'>;
  'refuse:messages': Pick<DeviceNotifier, 'refuseMessage'>;
  /** Puts a published message into the queue of this function, from which it is received after a delay (s). */
  'keep:published': { postpone: (published: Published, seconds: number) => Promise<void> };
  /** These five together decide which tasks `enqueue` accepts (see Enqueuing). */
  'enqueue:events': object;
  'enqueue:timers': object;
  'enqueue:deliveries': object;
  'enqueue:retries': object;
  'enqueue:jobs': object;
  consume: object;
  /**
   * Moves dead-lettered messages back to their queues. Never fails, because an alarm stays active as long as there are
   * any.
   */
  redrive: { redrive: () => Promise<void> };
  /**
   * Sends an email, and returns whether it was accepted. Never rejects, because callers must not learn whether a user
   * has that address.
   */
  'send:mail': { mail: (...message: Parameters<SendMail>) => Promise<boolean>; settings: SettingsOf<'send:mail'> };
  /** Counts notifications that were not accepted. */
  'send:person': { person: SendToPerson };
  'know:channels': { settings: SettingsOf<'know:channels'> };
  'know:targets': { settings: SettingsOf<'know:targets'> };
  'configure:devices': { settings: SettingsOf<'configure:devices'> };
  /** `longestGap` (ms) between sweeps. A longer one is an outage, during which no sensor counts as offline. */
  'watch:sensors': { settings: SettingsOf<'watch:sensors'>; longestGap: () => number };
  'watch:alarms': { settings: SettingsOf<'watch:alarms'> };
  'keep:quotas': { quotas: Quotas };
  'call:webhooks': { webhookClient: WebhookClient; settings: SettingsOf<'call:webhooks'>; aloneSince: number };
  'hash:passwords': { passwords: Passwords };
  'encrypt:secrets': { encryptSecret: Vault['seal'] };
  'decrypt:secrets': { decryptSecret: Vault['open'] };
  'decrypt:link-keys': { decryptLinkKey: (encrypted: string) => Promise<string> };
  'ask:issuer': { settings: SettingsOf<'ask:issuer'> };
  'keep:otps': { encryptOtp: (secret: string) => Promise<string>; decryptOtp: (encrypted: string) => Promise<string> };
  'host:health': { hostHealth: () => Promise<HostHealth>; settings: SettingsOf<'host:health'> };
  'run:canary': { settings: SettingsOf<'run:canary'> };
  'forward:feedback': { settings: SettingsOf<'forward:feedback'> };
  'list:subscriptions': Pick<Alarms, 'subscriptions'> & { settings: SettingsOf<'list:subscriptions'> };
  'list:alarms': { activeAlarms: Alarms['active'] };
  'send:alarms': { sendAlarm: Alarms['send'] };
  'notify:operators': { notifyOperators: Alarms['notify']; settings: SettingsOf<'notify:operators'> };
  'keep:exports': { exports: Pick<ExportStorage, 'save' | 'remove'>; settings: SettingsOf<'keep:exports'> };
  'share:exports': { urlOfExport: ExportStorage['urlOf'] };
  'service:about': { settings: SettingsOf<'service:about'> };
};

type Intersection<U> = (U extends unknown ? (one: U) => void : never) extends (all: infer I) => void ? I : never;

type Stored<C extends StoreCall> = [C] extends [never] ? unknown : { store: StoreOf<C> };

type QueuesOf<U> = U extends `enqueue:${infer Q extends WorkQueue}` ? Q : never;
type Enqueuing<Q extends WorkQueue> = [Q] extends [never] ? unknown : { enqueue: Enqueue<TaskOf<Q>> };

/** The second argument to a handler, with exactly what the contract `uses`. */
export type Deps<U extends Use> = Basics &
  Intersection<ByCapability[Extract<U, Capability>]> &
  Enqueuing<QueuesOf<U>> &
  Stored<Extract<U, StoreCall>>;

const enqueueing = async ({ queues, now }: Runtime) => ({
  enqueue: async (tasks: readonly Task[], more: Parameters<Enqueue<Task>>[1] = {}) => {
    const { delaySeconds = 0, deduplicationId, until } = more;
    if (isWorkEnded() || (until !== undefined && now() > until))
      throw new QueueUnavailable('the deadline for sending has passed');
    const encoded = (task: Task) => encodeTask({ ...currentTrace(), ...task }, delaySeconds, deduplicationId);
    for (const [queue, ofQueue] of Map.groupBy(tasks, queueOf))
      await queues
        .send(
          queue,
          ofQueue.map((task) => ({ ...encoded(task), ...(until !== undefined && { until }) })),
        )
        .catch((cause: unknown) => {
          throw new QueueUnavailable(`the queue ${queue} did not accept its tasks`, { cause });
        });
  },
});

const throwUnavailable = (cause: unknown): never => {
  throw new KeysUnavailable('a secret could not be encrypted or decrypted', { cause });
};

/** Returns a function that decrypts the only secret with this context. */
const decryptorOf =
  ({ vault }: Runtime, context: string) =>
  async (encrypted: string) =>
    (await vault()).open(encrypted, context).catch(throwUnavailable);

const settingsOnly = async ({ settings }: Runtime) => ({ settings });

const providers: { [C in Capability]: (runtime: Runtime) => Promise<ByCapability[C]> } = {
  measure: async ({ metrics = noMetrics }) => ({ measure: metrics.measure }),
  guard: settingsOnly,
  'enqueue:events': enqueueing,
  'enqueue:timers': enqueueing,
  'enqueue:deliveries': enqueueing,
  'enqueue:retries': enqueueing,
  'enqueue:jobs': enqueueing,
  consume: async () => ({}),
  redrive: async ({ queues, log }) => ({
    redrive: async () => {
      // SQS refuses to move messages out of a dead-letter queue while an earlier move is running.
      const redriven = workQueues.map((name) =>
        queues.redrive(name).catch((error: unknown) => log('warn', 'could not redrive dead letters', { name }, error)),
      );
      await Promise.all(redriven);
    },
  }),
  'send:mail': async ({ settings, mail, log, metrics = noMetrics }) => ({
    settings,
    mail: (...message) =>
      mail(...message).then(
        () => true,
        (error: unknown) => {
          log('error', 'could not send a mail', {}, error);
          metrics.measure('MailsFailed');
          return false;
        },
      ),
  }),
  'send:person': async (runtime) => runtime.createPersonSender(runtime, decryptorOf(runtime, PUSH_KEY_CONTEXT)),
  'know:channels': settingsOnly,
  'know:targets': settingsOnly,
  'configure:devices': settingsOnly,
  'watch:sensors': async ({ settings, sweepSeconds = SWEEP_SECONDS }) => ({
    settings,
    longestGap: () => maxHeartbeatGap(sweepSeconds, settings.SENSOR_INACTIVE_AFTER_SECONDS),
  }),
  'watch:alarms': settingsOnly,
  'limit:devices': settingsOnly,
  'admit:devices': async ({ settings }) => ({ rule: settings.MQTT_RULE }),
  'notify:devices': async ({ publish, log }) => deviceNotifier(publish, log),
  'refuse:messages': async ({ publish, log }) => deviceNotifier(publish, log),
  'keep:published': async ({ queues }) => ({
    postpone: (published, delaySeconds) =>
      queues.send('mqtt', [{ body: JSON.stringify(published), groupId: published.sensorId, delaySeconds }]),
  }),
  'keep:quotas': async ({ settings }) => ({ quotas: settings.QUOTAS }),
  'call:webhooks': async ({ webhookClient, settings, exclusiveSince: aloneSince = 0 }) => ({
    webhookClient: await webhookClient(),
    settings,
    aloneSince,
  }),
  'hash:passwords': async ({ passwords }) => ({ passwords: await passwords() }),
  'encrypt:secrets': async ({ vault }) => ({
    encryptSecret: async (...args) => (await vault()).seal(...args).catch(throwUnavailable),
  }),
  'decrypt:secrets': async ({ vault }) => ({
    decryptSecret: async (...args) => (await vault()).open(...args).catch(throwUnavailable),
  }),
  'decrypt:link-keys': async (runtime) => ({ decryptLinkKey: decryptorOf(runtime, LINK_KEY_CONTEXT) }),
  'ask:issuer': settingsOnly,
  'keep:otps': async (runtime) => ({
    encryptOtp: async (secret) => (await runtime.vault()).seal(secret, OTP_CONTEXT).catch(throwUnavailable),
    decryptOtp: decryptorOf(runtime, OTP_CONTEXT),
  }),
  'host:health': async ({ hostHealth = async () => unknownHost, settings }) => ({ hostHealth, settings }),
  'run:canary': settingsOnly,
  'forward:feedback': settingsOnly,
  'list:subscriptions': async ({ alarms = noAlarms, settings }) => ({ subscriptions: alarms.subscriptions, settings }),
  'list:alarms': async ({ alarms = noAlarms }) => ({ activeAlarms: alarms.active }),
  'send:alarms': async ({ alarms = noAlarms }) => ({ sendAlarm: alarms.send }),
  'notify:operators': async ({ alarms = noAlarms, settings }) => ({ notifyOperators: alarms.notify, settings }),
  'keep:exports': async ({ exports = noExportStorage, settings }) => ({ exports, settings }),
  'share:exports': async ({ exports = noExportStorage }) => ({ urlOfExport: exports.urlOf }),
  'service:about': settingsOnly,
};

/** Returns the part of a store with only these calls. */
const partOf = (store: Store, calls: readonly StoreCall[]): object => {
  const whole: Record<string, Record<string, unknown>> = store;
  const part: typeof whole = {};
  for (const call of calls) {
    const [noun = '', name = ''] = call.split('.');
    part[noun] = { ...part[noun], [name]: whole[noun]?.[name] };
  }
  return part;
};

/** Creates the second argument to a handler from what the contract uses. */
export const composeDeps = async <U extends Use>(runtime: Runtime, uses: readonly U[]): Promise<Deps<U>> => {
  const { now, pause, random, log, failpoint = () => {} } = runtime;
  const allUses: readonly Use[] = uses;
  const parts = await Promise.all(allUses.filter(isCapability).map((name) => providers[name](runtime)));
  const calls = allUses.filter(isStoreCall);
  const stored = calls.length > 0 && { store: partOf(runtime.createStore(runtime.table), calls) };
  return Object.assign({ now, pause, random, log, failpoint }, stored, ...parts);
};
