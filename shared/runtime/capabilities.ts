import type { QueueName } from '../queue/names.ts';
import type { StoreCall } from '../store/store.ts';

/** MQTT topics that each device has for itself, and that functions publish to. */
export const topics = ['config', 'refused'] as const;
export type Topic = `topic/${(typeof topics)[number]}`;
export const isTopic = (resource: string): resource is Topic => resource.startsWith('topic/');

/** What a function in AWS loads when it first needs it (lambda-runtime.ts). Only bundles of functions that use it have it. */
export type Module =
  | 'exports'
  | 'kms'
  | 'mail'
  | 'messengers'
  | 'passwords'
  | 'people'
  | 'publish'
  | 'queues'
  | 'subscriptions'
  | 'vault'
  | 'webhookClient';

type Row = {
  /** The resource that `actions` are allowed on. */
  resource?: 'mail' | 'sms' | 'key' | 'alarms' | 'exports' | Topic | QueueName;
  actions?: readonly string[];
  /** The one secret that `actions` on the key are allowed for, by the context that seals it; without it: every secret. */
  context?: string;
  /** The modules that provide it. */
  modules?: readonly Module[];
};

/**
 * Every right that a Lambda can hold beside calls of the store. `uses` in a contract names rows of this list; the row
 * becomes IAM actions (lib/aws/data/grants.ts) and the dependencies of the handler (shared/runtime/deps.ts). Settings name the
 * capabilities whose functions get them (shared/settings/).
 */
export const capabilities = {
  /** Writing metrics, which leave by the log. */
  measure: {},
  /** What `serve` itself needs for every operation; its calls of the store are in shared/api/guard-calls.ts. */
  guard: {},
  'enqueue:events': {
    resource: 'events',
    actions: ['sqs:SendMessage'],
    modules: ['queues'],
  },
  'enqueue:timers': {
    resource: 'timers',
    actions: ['sqs:SendMessage'],
    modules: ['queues'],
  },
  'enqueue:deliveries': {
    resource: 'deliveries',
    actions: ['sqs:SendMessage'],
    modules: ['queues'],
  },
  'enqueue:retries': {
    resource: 'retries',
    actions: ['sqs:SendMessage'],
    modules: ['queues'],
  },
  'enqueue:jobs': { resource: 'jobs', actions: ['sqs:SendMessage'], modules: ['queues'] },
  /** What a consumer does with its own queues besides being invoked by them; its rights are in lib/aws/data/grants.ts. */
  consume: { resource: 'quarantine', actions: ['sqs:SendMessage'], modules: ['queues'] },
  /** Putting dead letters back; its rights are in lib/aws/data/grants.ts. */
  redrive: { modules: ['queues'] },
  /** Mails from the address of the stage. https://docs.aws.amazon.com/ses/latest/dg/control-user-access.html */
  'send:mail': { resource: 'mail', actions: ['ses:SendEmail'], modules: ['mail'] },
  /**
   * Reaching people by their channels. Its own right is that of SMS; mails need `send:mail` beside it, and pushes
   * `open:secrets`.
   */
  'send:person': {
    resource: 'sms',
    actions: ['sms-voice:SendTextMessage'],
    modules: ['people', 'messengers', 'webhookClient'],
  },
  /** Knowing when a sensor counts as silent. */
  'watch:sensors': {},
  /** Knowing how much a customer can have at most. */
  'keep:quotas': {},
  /** Knowing how many calls and messages a device may send in a second. */
  'limit:devices': {},
  /** Allowing devices to connect by MQTT and to publish to the rule of this stage. */
  'admit:devices': {},
  /** Telling devices over MQTT that their configuration has changed. */
  'notify:devices': { resource: 'topic/config', actions: ['iot:Publish'], modules: ['publish'] },
  /** Telling devices over MQTT why a message was refused. */
  'refuse:messages': { resource: 'topic/refused', actions: ['iot:Publish'], modules: ['publish'] },
  /** Lambda puts an event that a function failed at for good on this queue. */
  'keep:failed': { resource: 'mqtt', actions: ['sqs:SendMessage'] },
  /** Calling webhooks. It needs no rights in the account, but the settings that say which targets are allowed. */
  'call:webhooks': {
    modules: ['webhookClient'],
  },
  /** Hashing passwords, which needs no rights in the account. */
  'hash:passwords': { modules: ['passwords'] },
  /** Sealing secrets of webhooks, and opening them: two rights, because few functions may read them. */
  'seal:secrets': { resource: 'key', actions: ['kms:Encrypt'], modules: ['vault', 'kms'] },
  'open:secrets': { resource: 'key', actions: ['kms:Decrypt'], modules: ['vault', 'kms'] },
  /** Opening the key that signs addresses for acknowledging, and no other secret. */
  'open:addresses': {
    resource: 'key',
    actions: ['kms:Decrypt'],
    context: 'acknowledge',
    modules: ['vault', 'kms'],
  },
  /** Sealing and opening the secrets of second factors, and no others. */
  'keep:otps': {
    resource: 'key',
    actions: ['kms:Encrypt', 'kms:Decrypt'],
    context: 'otp',
    modules: ['vault', 'kms'],
  },
  /** Logging people in at the issuer of the stage. */
  'ask:issuer': {},
  /** Knowing how the host itself is: its disk, its queues. It needs no rights in the account, where CloudWatch knows it. */
  'host:health': {},
  /** Letting a test sensor fall, over the API of the devices, and telling an address outside that this was told. */
  'run:canary': {},
  /** Knowing where feedback for the maker goes. */
  'forward:feedback': {},
  /** Knowing who is told of alarms. */
  'list:subscriptions': {
    resource: 'alarms',
    actions: ['sns:ListSubscriptionsByTopic'],
    modules: ['subscriptions'],
  },
  /** Writing and deleting what an export gives. https://docs.aws.amazon.com/AmazonS3/latest/userguide/mpuoverview.html */
  'keep:exports': {
    resource: 'exports',
    actions: ['s3:AbortMultipartUpload', 's3:DeleteObject', 's3:PutObject'],
    modules: ['exports'],
  },
  /** Signing addresses by which an export is fetched for an hour. */
  'share:exports': { resource: 'exports', actions: ['s3:GetObject'], modules: ['exports'] },
  'service:about': {},
} as const satisfies Record<string, Row>;

export type Capability = keyof typeof capabilities;

/** What a contract may use: a capability, or a call of the store, whose rights its access pattern tells. */
export type Use = Capability | StoreCall;
export type Checked = { uses: readonly Use[] };
/** A contract as other code sees it. With a wrong word in `uses` it may use everything, so that the word is the only error. */
export type Known<C> = C extends Checked ? C : Omit<C, 'uses'> & Checked;
export const isStoreCall = (use: Use): use is StoreCall => use.includes('.');
export const isCapability = (use: Use): use is Capability => !isStoreCall(use);
export const capabilityOf = (name: Capability): Row => capabilities[name];
