import type { QueueName } from '../queue/names.ts';
import type { StoreCall } from '../store/store.ts';

/** MQTT topics that each device has for itself, and that functions publish to. */
export const topics = ['config', 'refused'] as const;
export type Topic = `topic/${(typeof topics)[number]}`;
export const isTopic = (resource: string): resource is Topic => resource.startsWith('topic/');

type Row = {
  /** The resource that `actions` are allowed on. */
  resource?: 'mail' | 'sms' | 'key' | 'alarms' | 'exports' | Topic | QueueName;
  actions?: readonly string[];
  /** The one secret that `actions` on the key are allowed for, by the context that seals it; without it: every secret. */
  context?: string;
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
  'enqueue:events': { resource: 'events', actions: ['sqs:SendMessage'] },
  'enqueue:timers': { resource: 'timers', actions: ['sqs:SendMessage'] },
  'enqueue:deliveries': { resource: 'deliveries', actions: ['sqs:SendMessage'] },
  'enqueue:retries': { resource: 'retries', actions: ['sqs:SendMessage'] },
  'enqueue:jobs': { resource: 'jobs', actions: ['sqs:SendMessage'] },
  /** What a consumer does with its own queues besides being invoked by them; its rights are in lib/aws/data/grants.ts. */
  consume: { resource: 'quarantine', actions: ['sqs:SendMessage'] },
  /** Putting dead letters back; its rights are in lib/aws/data/grants.ts. */
  redrive: {},
  /** Mails from the address of the stage. https://docs.aws.amazon.com/ses/latest/dg/control-user-access.html */
  'send:mail': { resource: 'mail', actions: ['ses:SendEmail'] },
  /**
   * Reaching people by their channels. Its own right is that of SMS; mails need `send:mail` beside it, and pushes
   * `open:secrets`.
   */
  'send:person': { resource: 'sms', actions: ['sms-voice:SendTextMessage'] },
  /** Knowing when a sensor counts as silent. */
  'watch:sensors': {},
  /** Knowing how much a customer can have at most. */
  'keep:quotas': {},
  /** Knowing how many calls and messages a device may send in a second. */
  'limit:devices': {},
  /** Allowing devices to connect by MQTT and to publish to the rule of this stage. */
  'admit:devices': {},
  /** Telling devices over MQTT that their configuration has changed. */
  'notify:devices': { resource: 'topic/config', actions: ['iot:Publish'] },
  /** Telling devices over MQTT why a message was refused. */
  'refuse:messages': { resource: 'topic/refused', actions: ['iot:Publish'] },
  /** Lambda puts an event that a function failed at for good on this queue. */
  'keep:failed': { resource: 'mqtt', actions: ['sqs:SendMessage'] },
  /** Calling webhooks. It needs no rights in the account, but the settings that say which targets are allowed. */
  'call:webhooks': {},
  /** Hashing passwords, which needs no rights in the account. */
  'hash:passwords': {},
  /** Sealing secrets of webhooks, and opening them: two rights, because few functions may read them. */
  'seal:secrets': { resource: 'key', actions: ['kms:Encrypt'] },
  'open:secrets': { resource: 'key', actions: ['kms:Decrypt'] },
  /** Opening the key that signs addresses for acknowledging, and no other secret. */
  'open:addresses': { resource: 'key', actions: ['kms:Decrypt'], context: 'acknowledge' },
  /** Sealing and opening the secrets of second factors, and no others. */
  'keep:otps': { resource: 'key', actions: ['kms:Encrypt', 'kms:Decrypt'], context: 'otp' },
  /** Logging people in at the issuer of the stage. */
  'ask:issuer': {},
  /** Knowing how the host itself is: its disk, its queues. It needs no rights in the account, where CloudWatch knows it. */
  'host:health': {},
  /** Letting a test sensor fall, over the API of the devices, and telling an address outside that this was told. */
  'run:canary': {},
  /** Knowing where feedback for the maker goes. */
  'forward:feedback': {},
  /** Knowing who is told of alarms. */
  'list:subscriptions': { resource: 'alarms', actions: ['sns:ListSubscriptionsByTopic'] },
  /** Writing and deleting what an export gives. https://docs.aws.amazon.com/AmazonS3/latest/userguide/mpuoverview.html */
  'keep:exports': { resource: 'exports', actions: ['s3:AbortMultipartUpload', 's3:DeleteObject', 's3:PutObject'] },
  /** Signing addresses by which an export is fetched for an hour. */
  'share:exports': { resource: 'exports', actions: ['s3:GetObject'] },
  'service:about': {},
} as const satisfies Record<string, Row>;

export type Capability = keyof typeof capabilities;

/** What a contract may use: a capability, or a call of the store, whose rights its access pattern tells. */
export type Use = Capability | StoreCall;
export type Checked = { uses: readonly Use[] };
/** A contract with the words in `uses` that mean something: what a misspelt one says is an error, and nothing else. */
export type Known<C extends { uses: readonly string[] }> = Omit<C, 'uses'> & {
  uses: readonly Extract<C['uses'][number], Use>[];
};
export const isStoreCall = (use: Use): use is StoreCall => use.includes('.');
export const isCapability = (use: Use): use is Capability => !isStoreCall(use);
export const capabilityOf = (name: Capability): Row => capabilities[name];
