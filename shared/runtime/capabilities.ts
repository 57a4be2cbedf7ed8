import type { QueueName } from '../queue/names.ts';
import type { StoreCall } from '../store/store.ts';

const queueUrls = [
  'EVENTS_QUEUE_URL',
  'TIMERS_QUEUE_URL',
  'DELIVERIES_QUEUE_URL',
  'RETRIES_QUEUE_URL',
  'JOBS_QUEUE_URL',
  'MQTT_QUEUE_URL',
  'QUARANTINE_QUEUE_URL',
] as const;

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
  /** Environment variables that it needs. */
  env: readonly string[];
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
 * becomes IAM actions and environment (lib/aws/data/grants.ts) and the dependencies of the handler (shared/runtime/deps.ts).
 */
export const capabilities = {
  /** Writing metrics, which leave by the log. */
  measure: { env: ['METRICS_NAMESPACE', 'METRICS_SECONDS'] },
  /** What `serve` itself needs for every operation; its calls of the store are in shared/api/guard-calls.ts. */
  guard: {
    env: [
      'RATE_LIMIT_PER_SECOND',
      'SERVICE_VERSION',
      'METRICS_NAMESPACE',
      'METRICS_SECONDS',
      'CREDENTIALS_SINCE',
      'CORS_ORIGINS',
      'TRUSTED_PROXY_HEADER',
      'TRUSTED_PROXY_SECRET_HEADER',
      'TRUSTED_PROXY_SECRET',
    ],
  },
  'enqueue:events': {
    env: ['EVENTS_QUEUE_URL'],
    resource: 'events',
    actions: ['sqs:SendMessage'],
    modules: ['queues'],
  },
  'enqueue:timers': {
    env: ['TIMERS_QUEUE_URL'],
    resource: 'timers',
    actions: ['sqs:SendMessage'],
    modules: ['queues'],
  },
  'enqueue:deliveries': {
    env: ['DELIVERIES_QUEUE_URL'],
    resource: 'deliveries',
    actions: ['sqs:SendMessage'],
    modules: ['queues'],
  },
  'enqueue:retries': {
    env: ['RETRIES_QUEUE_URL'],
    resource: 'retries',
    actions: ['sqs:SendMessage'],
    modules: ['queues'],
  },
  'enqueue:jobs': { env: ['JOBS_QUEUE_URL'], resource: 'jobs', actions: ['sqs:SendMessage'], modules: ['queues'] },
  /** What a consumer does with its own queues besides being invoked by them; its rights are in lib/aws/data/grants.ts. */
  consume: { env: queueUrls, resource: 'quarantine', actions: ['sqs:SendMessage'], modules: ['queues'] },
  /** Putting dead letters back; its rights are in lib/aws/data/grants.ts. */
  redrive: { env: queueUrls, modules: ['queues'] },
  /** Mails from the address of the stage. https://docs.aws.amazon.com/ses/latest/dg/control-user-access.html */
  'send:mail': { env: ['MAIL_SENDER'], resource: 'mail', actions: ['ses:SendEmail'], modules: ['mail'] },
  /**
   * Reaching people by their channels. Its own right is that of SMS; mails need `send:mail` beside it, and pushes
   * `open:secrets`.
   */
  'send:person': {
    env: [
      'MAIL_SENDER',
      'SMS_ORIGIN',
      'TELEGRAM_TOKEN',
      'ALLOW_PRIVATE_TARGETS',
      'ALLOWED_TARGET_RANGES',
      'DELIVERY_DEADLINE_SECONDS',
      'PUBLIC_URL',
      'OWN_URLS',
      'CANARY',
    ],
    resource: 'sms',
    actions: ['sms-voice:SendTextMessage'],
    modules: ['people', 'messengers', 'webhookClient'],
  },
  /** Knowing when a sensor counts as silent. */
  'watch:sensors': { env: ['SENSOR_INACTIVE_AFTER_SECONDS'] },
  /** Knowing how much a customer can have at most. */
  'keep:quotas': { env: ['QUOTAS'] },
  /** Knowing how many calls and messages a device may send in a second. */
  'limit:devices': { env: ['RATE_LIMIT_PER_SECOND', 'QUOTAS'] },
  /** Allowing devices to connect by MQTT and to publish to the rule of this stage. */
  'admit:devices': { env: ['MQTT_RULE'] },
  /** Telling devices over MQTT that their configuration has changed. */
  'notify:devices': { env: ['MQTT_RULE'], resource: 'topic/config', actions: ['iot:Publish'], modules: ['publish'] },
  /** Telling devices over MQTT why a message was refused. */
  'refuse:messages': { env: ['MQTT_RULE'], resource: 'topic/refused', actions: ['iot:Publish'], modules: ['publish'] },
  /** Lambda puts an event that a function failed at for good on this queue. */
  'keep:failed': { env: [], resource: 'mqtt', actions: ['sqs:SendMessage'] },
  /** Calling webhooks. It needs no rights in the account, but the settings that say which targets are allowed. */
  'call:webhooks': {
    env: [
      'ALLOW_PRIVATE_TARGETS',
      'ALLOWED_TARGET_RANGES',
      'RETRY_SCHEDULE',
      'DELIVERY_DEADLINE_SECONDS',
      'GONE_AFTER_SECONDS',
      'MAIL_SENDER',
      'PUBLIC_URL',
      'OWN_URLS',
      'CANARY',
      'SERVICE_NAME',
      'SERVICE_VERSION',
    ],
    modules: ['webhookClient'],
  },
  /** Hashing passwords, which needs no rights in the account. */
  'hash:passwords': { env: [], modules: ['passwords'] },
  /** Sealing secrets of webhooks, and opening them: two rights, because few functions may read them. */
  'seal:secrets': { env: ['SECRETS_KEY_ARN'], resource: 'key', actions: ['kms:Encrypt'], modules: ['vault', 'kms'] },
  'open:secrets': { env: ['SECRETS_KEY_ARN'], resource: 'key', actions: ['kms:Decrypt'], modules: ['vault', 'kms'] },
  /** Opening the key that signs addresses for acknowledging, and no other secret. */
  'open:addresses': {
    env: ['SECRETS_KEY_ARN'],
    resource: 'key',
    actions: ['kms:Decrypt'],
    context: 'acknowledge',
    modules: ['vault', 'kms'],
  },
  /** Sealing and opening the secrets of second factors, and no others. */
  'keep:otps': {
    env: ['SECRETS_KEY_ARN'],
    resource: 'key',
    actions: ['kms:Encrypt', 'kms:Decrypt'],
    context: 'otp',
    modules: ['vault', 'kms'],
  },
  /** Logging people in at the issuer of the stage. */
  'ask:issuer': {
    env: [
      'OIDC_ISSUER',
      'OIDC_CLIENT_ID',
      'OIDC_CLIENT_SECRET',
      'OIDC_NAME',
      'OIDC_SCOPES',
      'OIDC_RULES',
      'PUBLIC_URL',
    ],
  },
  /** Knowing how the host itself is: its disk, its queues. It needs no rights in the account, where CloudWatch knows it. */
  'host:health': { env: ['TRUSTED_PROXY_HEADER', 'CANARY'] },
  /** Letting a test sensor fall, over the API of the devices, and telling an address outside that this was told. */
  'run:canary': { env: ['HEARTBEAT_URL', 'PUBLIC_URL', 'DEVICE_URL'] },
  /** Knowing where feedback for the maker goes. */
  'forward:feedback': { env: ['MAKER_A_FEEDBACK_URL'] },
  /** Knowing who is told of alarms. */
  'list:subscriptions': {
    env: ['ALARM_TOPIC_ARN', 'MAIL_SENDER', 'PUBLIC_URL', 'RUNBOOK_URL', 'SERVICE_NAME'],
    resource: 'alarms',
    actions: ['sns:ListSubscriptionsByTopic'],
    modules: ['subscriptions'],
  },
  /** Writing and deleting what an export gives. https://docs.aws.amazon.com/AmazonS3/latest/userguide/mpuoverview.html */
  'keep:exports': {
    env: ['EXPORTS_BUCKET', 'BACKUP_DAYS', 'LOG_DAYS'],
    resource: 'exports',
    actions: ['s3:AbortMultipartUpload', 's3:DeleteObject', 's3:PutObject'],
    modules: ['exports'],
  },
  /** Signing addresses by which an export is fetched for an hour. */
  'share:exports': { env: ['EXPORTS_BUCKET'], resource: 'exports', actions: ['s3:GetObject'], modules: ['exports'] },
  'service:about': { env: ['PUBLIC_URL', 'DEVICE_URL', 'SERVICE_NAME', 'SERVICE_VERSION', 'MAIL_SENDER'] },
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
/** The environment variables that a use needs. */
export const variablesOf = (use: Use): readonly string[] =>
  isCapability(use) ? capabilityOf(use).env : ['TABLE_NAME'];
