import type { QueueName } from '../queue/names.ts';
import type { StoreCall } from '../store/store.ts';

/** The MQTT topics of each device that functions publish to. */
export const deviceTopics = ['config', 'refused'] as const;
export type Topic = `topic/${(typeof deviceTopics)[number]}`;
export const isTopic = (resource: string): resource is Topic => resource.startsWith('topic/');

/**
 * Modules that a Lambda function loads on first use (lambda-runtime.ts). A module is bundled only with functions that
 * use it.
 */
export type Module =
  | 'activeAlarms'
  | 'alarmTopic'
  | 'exports'
  | 'kms'
  | 'mail'
  | 'messengers'
  | 'passwords'
  | 'people'
  | 'publish'
  | 'queues'
  | 'vault'
  | 'webhookClient';

/** The contexts of secrets of webhooks (their ids), of links, of push services and of the canary. */
const secretContexts = ['????????-????-????-????-????????????', 'acknowledge', 'push', 'canary'];

type CapabilityRow = {
  /** The resource that `actions` are allowed on. */
  resource?: 'mail' | 'sms' | 'key' | 'alarms' | 'alarm states' | 'exports' | Topic | QueueName;
  actions?: readonly string[];
  /** `actions` on the key are allowed only for secrets with one of these encryption contexts; `?` is any character. */
  contexts?: readonly string[];
  /** The modules that provide the capability. */
  modules?: readonly Module[];
};

/**
 * Every permission that a function can hold besides store calls. `uses` in a contract names rows of this list, which
 * become IAM actions (lib/aws/data/grants.ts) and dependencies of the handler (shared/runtime/deps.ts). Settings name
 * the capabilities whose functions get them (shared/settings/).
 */
export const capabilities = {
  /** Writing metrics, through the log. */
  measure: {},
  /** What `serve` itself needs for every operation. Its store calls are in shared/api/guard-calls.ts. */
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
  /** Handling the messages of a consumer's own queues. Its other permissions are in lib/aws/data/grants.ts. */
  consume: { resource: 'quarantine', actions: ['sqs:SendMessage'], modules: ['queues'] },
  /** Returning dead letters to their queues. Its permissions are in lib/aws/data/grants.ts. */
  redrive: { modules: ['queues'] },
  /**
   * Sending mails, as whole messages, from the address of the stage.
   * https://docs.aws.amazon.com/ses/latest/dg/control-user-access.html
   */
  'send:mail': { resource: 'mail', actions: ['ses:SendEmail', 'ses:SendRawEmail'], modules: ['mail'] },
  /**
   * Notifying people on their channels. It grants only SMS; mails also need `send:mail`, and push messages
   * `decrypt:secrets`.
   */
  'send:person': {
    resource: 'sms',
    actions: ['sms-voice:SendTextMessage'],
    modules: ['people', 'messengers', 'webhookClient'],
  },
  /** Knowing by which channels the host can notify people. */
  'know:channels': {},
  /** Knowing which targets the host allows for webhooks. */
  'know:targets': {},
  /** Computing the configuration that a device fetches. */
  'configure:devices': {},
  /** Knowing when a sensor counts as offline. */
  'watch:sensors': {},
  /** Knowing when an alarm counts as unnotified. */
  'watch:alarms': {},
  /** Knowing the quotas of customers. */
  'keep:quotas': {},
  /** Knowing the rate limits of devices. */
  'limit:devices': {},
  /** Allowing devices to connect over MQTT and to publish to the rule of this stage. */
  'admit:devices': {},
  /** Notifying devices over MQTT that their configuration has changed. */
  'notify:devices': { resource: 'topic/config', actions: ['iot:Publish'], modules: ['publish'] },
  /** Notifying devices over MQTT why a message was rejected. */
  'refuse:messages': { resource: 'topic/refused', actions: ['iot:Publish'], modules: ['publish'] },
  /**
   * Keeping published messages: Lambda sends those for which the function failed permanently, and the function sends
   * those that it postpones.
   */
  'keep:published': { resource: 'mqtt', actions: ['sqs:SendMessage'] },
  /** Calling webhooks. It needs no permissions in the account, only the settings about allowed targets. */
  'call:webhooks': {
    modules: ['webhookClient'],
  },
  /** Hashing passwords, which needs no permissions in the account. */
  'hash:passwords': { modules: ['passwords'] },
  /**
   * Encrypting secrets of webhooks, links, push and the canary, and decrypting them: two permissions, because few
   * functions may read secrets. Neither covers second factors.
   */
  'encrypt:secrets': {
    resource: 'key',
    actions: ['kms:Encrypt'],
    contexts: secretContexts,
    modules: ['vault', 'kms'],
  },
  'decrypt:secrets': {
    resource: 'key',
    actions: ['kms:Decrypt'],
    contexts: secretContexts,
    modules: ['vault', 'kms'],
  },
  /** Decrypting the key that signs links for acknowledging alarms, and no other secret. */
  'decrypt:link-keys': {
    resource: 'key',
    actions: ['kms:Decrypt'],
    contexts: ['acknowledge'],
    modules: ['vault', 'kms'],
  },
  /** Encrypting and decrypting the secrets of second factors, and no others. */
  'keep:otps': {
    resource: 'key',
    actions: ['kms:Encrypt', 'kms:Decrypt'],
    contexts: ['otp'],
    modules: ['vault', 'kms'],
  },
  /** Logging users in at the issuer of the stage. */
  'ask:issuer': {},
  /**
   * Reading the health of the host: its disk, its queues. It needs no permissions in AWS, where CloudWatch monitors
   * them.
   */
  'host:health': {},
  /**
   * Simulating falls of a test sensor through the device API, and calling an external address after each round trip.
   */
  'run:canary': {},
  /** Knowing the address for feedback to the maker. */
  'forward:feedback': {},
  /** Listing the subscribers of alarms. */
  'list:subscriptions': {
    resource: 'alarms',
    actions: ['sns:ListSubscriptionsByTopic'],
    modules: ['alarmTopic'],
  },
  /** Listing the alarms of the stage that are on. */
  'list:alarms': {
    resource: 'alarm states',
    actions: ['cloudwatch:DescribeAlarms'],
    modules: ['activeAlarms'],
  },
  /** Sending alarms that are already on to their subscribers. */
  'send:alarms': { resource: 'alarms', actions: ['sns:Publish'], modules: ['alarmTopic'] },
  /** Sending messages to the subscribers of alarms. */
  'notify:operators': { resource: 'alarms', actions: ['sns:Publish'], modules: ['alarmTopic'] },
  /** Writing and deleting files of exports. https://docs.aws.amazon.com/AmazonS3/latest/userguide/mpuoverview.html */
  'keep:exports': {
    resource: 'exports',
    actions: ['s3:AbortMultipartUpload', 's3:DeleteObject', 's3:PutObject'],
    modules: ['exports'],
  },
  /** Signing addresses from which an export can be downloaded for five minutes. */
  'share:exports': { resource: 'exports', actions: ['s3:GetObject'], modules: ['exports'] },
  'service:about': {},
} as const satisfies Record<string, CapabilityRow>;

export type Capability = keyof typeof capabilities;

/** What a contract may use: a capability, or a store call, whose permissions follow from its access pattern. */
export type Use = Capability | StoreCall;
export type DeclaresUses = { uses: readonly Use[] };
/** A contract as other code sees it. With an invalid `uses` it may use everything, so that `uses` is the only error. */
export type CheckedContract<C> = C extends DeclaresUses ? C : Omit<C, 'uses'> & DeclaresUses;
export const isStoreCall = (use: Use): use is StoreCall => use.includes('.');
export const isCapability = (use: Use): use is Capability => !isStoreCall(use);
export const capabilityOf = (name: Capability): CapabilityRow => capabilities[name];
