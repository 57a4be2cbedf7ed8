import type { QueueName } from '../queue/names.ts';
import type { StoreCall } from '../store/store.ts';

/** The per-device MQTT topics to which functions publish. */
export const deviceTopics = ['config', 'refused'] as const;
export type Topic = `topic/${(typeof deviceTopics)[number]}`;
export const isTopic = (resource: string): resource is Topic => resource.startsWith('topic/');

/**
 * Modules loaded by a Lambda function on first use (lambda-runtime.ts). A module is bundled only with functions that
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

/** The encryption contexts for secrets: webhooks (their ids), links, push services and the canary. */
const secretContexts = ['????????-????-????-????-????????????', 'acknowledge', 'push', 'canary'];

type CapabilityRow = {
  /** The resource on which `actions` are allowed. */
  resource?: 'mail' | 'sms' | 'key' | 'alarms' | 'alarm states' | 'exports' | Topic | QueueName;
  actions?: readonly string[];
  /** `actions` on the key are allowed only for secrets with one of these encryption contexts. `?` is any character. */
  contexts?: readonly string[];
  /** The modules that provide the capability. */
  modules?: readonly Module[];
};

/**
 * Every permission a function can hold besides store calls. `uses` in a contract names rows in this list, which become
 * IAM actions (lib/aws/data/grants.ts) and handler dependencies (shared/runtime/deps.ts). Settings name the
 * capabilities whose functions get them (shared/settings/).
 */
export const capabilities = {
  /** Writing metrics, through the log. */
  measure: {},
  /** What `serve` itself needs for every operation. For store calls, see shared/api/guard-calls.ts. */
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
  /** Handling the messages in the queues of a consumer. For the other permissions, see lib/aws/data/grants.ts. */
  consume: { resource: 'quarantine', actions: ['sqs:SendMessage'], modules: ['queues'] },
  /** Returning messages from dead-letter queues to their queues. For the permissions, see lib/aws/data/grants.ts. */
  redrive: { modules: ['queues'] },
  /**
   * Sending emails, as whole messages, from the stage address.
   * https://docs.aws.amazon.com/ses/latest/dg/control-user-access.html
   */
  'send:mail': { resource: 'mail', actions: ['ses:SendEmail', 'ses:SendRawEmail'], modules: ['mail'] },
  /**
   * Notifying people on their channels. This grants only SMS. Emails also need `send:mail`, and push messages
   * `decrypt:secrets`.
   */
  'send:person': {
    resource: 'sms',
    actions: ['sms-voice:SendTextMessage'],
    modules: ['people', 'messengers', 'webhookClient'],
  },
  /** Knowing which channels the host can use to notify people. */
  'know:channels': {},
  /** Knowing which targets the host allows for webhooks. */
  'know:targets': {},
  /** Computing the configuration fetched by a device. */
  'configure:devices': {},
  /** Knowing when a sensor counts as offline. */
  'watch:sensors': {},
  /** Knowing when an alarm counts as unnotified. */
  'watch:alarms': {},
  /** Knowing the customer quotas. */
  'keep:quotas': {},
  /** Knowing the device rate limits. */
  'limit:devices': {},
  /** Allowing devices to connect over MQTT and to publish to the rule for the stage. */
  'admit:devices': {},
  /** Notifying devices over MQTT that their configuration has changed. */
  'notify:devices': { resource: 'topic/config', actions: ['iot:Publish'], modules: ['publish'] },
  /** Notifying devices over MQTT why a message was rejected. */
  'refuse:messages': { resource: 'topic/refused', actions: ['iot:Publish'], modules: ['publish'] },
  /**
   * Keeping published messages. Lambda sends those for which the function failed permanently, and the function sends
   * those it postpones.
   */
  'keep:published': { resource: 'mqtt', actions: ['sqs:SendMessage'] },
  /** Calling webhooks. This does not need any permissions in the account, only the settings for allowed targets. */
  'call:webhooks': {
    modules: ['webhookClient'],
  },
  /** Hashing passwords. This does not need any permissions in the account. */
  'hash:passwords': { modules: ['passwords'] },
  /**
   * Encrypting webhook, link, push and canary secrets, and decrypting them. These are separate permissions, because few
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
  /** Decrypting the key that signs alarm acknowledgement links, and no other secret. */
  'decrypt:link-keys': {
    resource: 'key',
    actions: ['kms:Decrypt'],
    contexts: ['acknowledge'],
    modules: ['vault', 'kms'],
  },
  /** Encrypting and decrypting second-factor secrets, and no other secrets. */
  'keep:otps': {
    resource: 'key',
    actions: ['kms:Encrypt', 'kms:Decrypt'],
    contexts: ['otp'],
    modules: ['vault', 'kms'],
  },
  /** Logging users in through an identity provider. */
  'ask:issuer': {},
  /**
   * Reading host health: disk and queues. This does not need any permissions in AWS, where CloudWatch monitors both.
   */
  'host:health': {},
  /**
   * Simulating falls for a test sensor through the device API, and calling an external address after each round trip.
   */
  'run:canary': {},
  /** Knowing the address for feedback to the maker. */
  'forward:feedback': {},
  /** Listing the alarm subscribers. */
  'list:subscriptions': {
    resource: 'alarms',
    actions: ['sns:ListSubscriptionsByTopic'],
    modules: ['alarmTopic'],
  },
  /** Listing the active alarms in the stage. */
  'list:alarms': {
    resource: 'alarm states',
    actions: ['cloudwatch:DescribeAlarms'],
    modules: ['activeAlarms'],
  },
  /** Sending already active alarms to their subscribers. */
  'send:alarms': { resource: 'alarms', actions: ['sns:Publish'], modules: ['alarmTopic'] },
  /** Sending messages to the alarm subscribers. */
  'notify:operators': { resource: 'alarms', actions: ['sns:Publish'], modules: ['alarmTopic'] },
  /** Writing and deleting export files. https://docs.aws.amazon.com/AmazonS3/latest/userguide/mpuoverview.html */
  'keep:exports': {
    resource: 'exports',
    actions: ['s3:AbortMultipartUpload', 's3:DeleteObject', 's3:PutObject'],
    modules: ['exports'],
  },
  /** Signing URLs from which an export can be downloaded for five minutes. */
  'share:exports': { resource: 'exports', actions: ['s3:GetObject'], modules: ['exports'] },
  'service:about': {},
} as const satisfies Record<string, CapabilityRow>;

export type Capability = keyof typeof capabilities;

/** What a contract may use: a capability, or a store call, whose permissions follow from its access pattern. */
export type Use = Capability | StoreCall;
export type DeclaresUses = { uses: readonly Use[] };
/**
 * A contract as other code sees it. With an invalid `uses`, everything is allowed, so that `uses` is the only error.
 */
export type CheckedContract<C> = C extends DeclaresUses ? C : Omit<C, 'uses'> & DeclaresUses;
export const isStoreCall = (use: Use): use is StoreCall => use.includes('.');
export const isCapability = (use: Use): use is Capability => !isStoreCall(use);
export const capabilityOf = (name: Capability): CapabilityRow => capabilities[name];
