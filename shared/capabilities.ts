const read = ['dynamodb:GetItem', 'dynamodb:BatchGetItem', 'dynamodb:Query'] as const;
const write = [
  'dynamodb:PutItem',
  'dynamodb:UpdateItem',
  'dynamodb:DeleteItem',
  'dynamodb:ConditionCheckItem',
] as const;

/** The queues of the system; each has a dead-letter queue. */
export const queueNames = ['events', 'deliveries', 'retries'] as const;
export type QueueName = (typeof queueNames)[number];

type Row = {
  /** Environment variables that it needs. */
  env: readonly string[];
  /** The resource that `actions` are allowed on. */
  resource?: 'table' | 'mail' | 'key' | QueueName;
  actions?: readonly string[];
  /** Partition keys that the actions are limited to. */
  leadingKeys?: readonly string[];
};

/**
 * Every right that a Lambda can hold. `uses` in a contract names rows of this list; the row becomes IAM actions and
 * environment (lib/aws/grants.ts) and the dependencies of the handler (shared/deps.ts). Never Scan.
 */
export const capabilities = {
  'table:read': { env: ['TABLE_NAME'], resource: 'table', actions: read },
  'table:write': { env: ['TABLE_NAME'], resource: 'table', actions: [...read, ...write] },
  /** What `serve` itself needs for every operation: to see who calls, */
  guard: {
    env: [
      ...['TABLE_NAME', 'RATE_LIMIT_PER_SECOND', 'SERVICE_VERSION'],
      ...['TRUSTED_PROXY_HEADER', 'TRUSTED_PROXY_SECRET_HEADER', 'TRUSTED_PROXY_SECRET'],
    ],
    resource: 'table',
    actions: ['dynamodb:GetItem'],
    leadingKeys: ['SESSION#*', 'ACCOUNT#*', 'DEVICE#*', 'PROVISIONING#*', 'HOME#*'],
  },
  /** to count the call, and to note the use of a token, */
  'guard:count': {
    env: [],
    resource: 'table',
    actions: ['dynamodb:UpdateItem'],
    leadingKeys: ['RATE#*', 'SESSION#*'],
  },
  /** and to end a session that is under attack. */
  'guard:end': { env: [], resource: 'table', actions: ['dynamodb:DeleteItem'], leadingKeys: ['SESSION#*'] },
  'ring:events': { env: ['EVENTS_QUEUE_URL'], resource: 'events', actions: ['sqs:SendMessage'] },
  'ring:deliveries': { env: ['DELIVERIES_QUEUE_URL'], resource: 'deliveries', actions: ['sqs:SendMessage'] },
  'ring:retries': { env: ['RETRIES_QUEUE_URL'], resource: 'retries', actions: ['sqs:SendMessage'] },
  /** Mails from the address of the stage. https://docs.aws.amazon.com/ses/latest/dg/control-user-access.html */
  'send:mail': { env: ['MAIL_SENDER'], resource: 'mail', actions: ['ses:SendEmail'] },
  /** When a sensor counts as silent. */
  'watch:sensors': { env: ['SENSOR_INACTIVE_AFTER_SECONDS'] },
  /** What a customer can have at most. */
  'keep:quotas': { env: ['QUOTAS'] },
  /** Calling webhooks: no rights in the account, but the policy of what may be called. */
  'call:webhooks': {
    env: [
      'ALLOW_PRIVATE_TARGETS',
      'ALLOWED_TARGET_RANGES',
      'RETRY_SCHEDULE',
      'DELIVERY_DEADLINE_SECONDS',
      'PUBLIC_URL',
      'OWN_URLS',
      'SERVICE_NAME',
      'SERVICE_VERSION',
    ],
  },
  /** Hashes of passwords cost time, and nothing in the account. */
  'hash:passwords': { env: [] },
  /** Secrets that are kept sealed: who may write them, and who may read them. */
  'seal:secrets': { env: ['SECRETS_KEY_ARN'], resource: 'key', actions: ['kms:Encrypt'] },
  'open:secrets': { env: ['SECRETS_KEY_ARN'], resource: 'key', actions: ['kms:Decrypt'] },
  'service:about': { env: ['PUBLIC_URL', 'SERVICE_NAME', 'SERVICE_VERSION', 'MAIL_SENDER'] },
} as const satisfies Record<string, Row>;

/** What every group of operations holds, whatever its operations use. */
export const guards = ['guard', 'guard:count', 'guard:end'] as const;

export type Capability = keyof typeof capabilities;
export const capabilityOf = (name: Capability): Row => capabilities[name];
