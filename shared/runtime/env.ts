import { defaultQuotas, type Quotas } from '../domain/identity/quota.ts';
import { readTime } from '../domain/time/time.ts';
import {
  deliveryDeadline,
  goneAfter,
  headerName,
  metricsSeconds,
  pageOrigins,
  quotas,
  range,
  rateLimit,
  retrySchedule,
  secretOrHash,
  sensorInactiveAfter,
  serviceName,
  time,
} from '../settings/kinds.ts';
import { flag, list, missingOf, refusalOf, type Setting, text, type ValueOf, whole } from '../settings/setting.ts';

const anyText = text(/^/, '', 'any text');
const header: Setting<string> = {
  ...text(headerName, '', 'the name of a header, of at most 128 characters', 'X-Real-IP'),
  read: (given) => (headerName.test(String(given)) ? String(given).toLowerCase() : null),
};

/** Every variable that the code reads, with its default. A function gets those that its capabilities name. */
export const environment = {
  TABLE_NAME: text(/^[\w.:/-]{3,2048}$/, 'sensor-cloud', 'the name or the ARN of a table'),
  EVENTS_QUEUE_URL: anyText,
  TIMERS_QUEUE_URL: anyText,
  DELIVERIES_QUEUE_URL: anyText,
  RETRIES_QUEUE_URL: anyText,
  JOBS_QUEUE_URL: anyText,
  MQTT_QUEUE_URL: anyText,
  QUARANTINE_QUEUE_URL: anyText,
  /** The namespace of the metrics in CloudWatch. */
  METRICS_NAMESPACE: { ...anyText, otherwise: 'SensorCloud' },
  /** Seconds for which a process adds up the messages that it accepted before it writes their number. */
  METRICS_SECONDS: metricsSeconds,
  /** The rule of AWS IoT that gets what devices publish; empty: this stage has no MQTT. */
  MQTT_RULE: text(/^\w*$/, '', 'letters, digits and _'),
  /** The bucket of exports. */
  EXPORTS_BUCKET: anyText,
  /** For how many days backups of the table, and logs, are kept; 0: for as long as somebody keeps them. */
  BACKUP_DAYS: whole(0, 0, 100_000),
  LOG_DAYS: whole(0, 0, 100_000),
  /** The topic of alarms; empty: this stage has none. */
  ALARM_TOPIC_ARN: anyText,
  /** The address or path of the runbook, for mails about alarms. */
  RUNBOOK_URL: { ...anyText, otherwise: 'lib/aws/runbook.md' },
  /** The KMS key that seals secrets of webhooks. */
  SECRETS_KEY_ARN: anyText,
  /** Requests per second of an account or address; 0: no limit. */
  RATE_LIMIT_PER_SECOND: rateLimit,
  /** A JSON object with the quotas of a customer that differ from the defaults. */
  QUOTAS: quotas,
  /** Sessions, access tokens and codes for a new password that were made before are void (ms); 0: none is. */
  CREDENTIALS_SINCE: { ...time, otherwise: 0, read: (given) => readTime(String(given)) } as Setting<number>,
  /** The address of the service without /api/v1; empty while it is unknown. */
  PUBLIC_URL: anyText,
  /** The address for devices without /api/v1; empty: the address of the service. */
  DEVICE_URL: anyText,
  /** The trusted proxy: the header with the caller's address, and the header with the proxy's secret. */
  TRUSTED_PROXY_HEADER: header,
  TRUSTED_PROXY_SECRET_HEADER: header,
  TRUSTED_PROXY_SECRET: secretOrHash,
  /** Further addresses of the service, which no webhook may call. */
  OWN_URLS: list(anyText, 1_000),
  /** Origins whose pages may call the API with a token. */
  CORS_ORIGINS: pageOrigins,
  /** Whether the canary falls. */
  CANARY: flag(false),
  /** An address outside that is called after each fall of the canary that came back; empty: none. */
  HEARTBEAT_URL: anyText,
  /** Where feedback for maker A goes; empty: nowhere. */
  MAKER_A_FEEDBACK_URL: anyText,
  /** Where people log in by OpenID Connect; empty: only here. */
  OIDC_ISSUER: anyText,
  OIDC_CLIENT_ID: anyText,
  /** Empty: a public client, which has none. */
  OIDC_CLIENT_SECRET: anyText,
  /** How people call the issuer. */
  OIDC_NAME: anyText,
  OIDC_SCOPES: { ...anyText, otherwise: 'openid profile email' },
  /** What the claims of the issuer let people do: `readRules` of shared/domain/identity/claims.ts. */
  OIDC_RULES: { ...anyText, otherwise: '[]' },
  SERVICE_NAME: serviceName,
  SERVICE_VERSION: { ...anyText, otherwise: '0.3.0' },
  /** The address that mails come from; empty: this stage sends none. */
  MAIL_SENDER: anyText,
  /** The identity that SMS come from; empty: this stage sends none. */
  SMS_ORIGIN: anyText,
  /** The token of the bot that sends to chats of Telegram; empty: this stage has none. */
  TELEGRAM_TOKEN: anyText,
  ALLOW_PRIVATE_TARGETS: flag(false),
  /** CIDRs that webhooks may call although they are private. */
  ALLOWED_TARGET_RANGES: list(range, 50),
  /** Seconds of silence after which a sensor is inactive. */
  SENSOR_INACTIVE_AFTER_SECONDS: sensorInactiveAfter,
  /** Seconds that one whole attempt to deliver may take. */
  DELIVERY_DEADLINE_SECONDS: deliveryDeadline,
  /** So many seconds of nothing but 410 switch a webhook off; 0: the first one does. */
  GONE_AFTER_SECONDS: goneAfter,
  /** Seconds before each attempt; empty: the built-in retry schedule. */
  RETRY_SCHEDULE: retrySchedule,
} as const;
type Name = keyof typeof environment;
type Read = { [N in Name]: ValueOf<(typeof environment)[N]> };
export type Settings = Omit<Read, 'QUOTAS'> & { QUOTAS: Quotas };

type Variables = Readonly<Record<string, string | undefined>>;

/** The variables that are set. An empty one counts as not set: as a number it would be 0, as a password it would match. */
export const setIn = (variables: Variables): Variables =>
  Object.fromEntries(Object.entries(variables).filter(([, value]) => value !== ''));

/** The variables of the trusted proxy: some of them alone would do nothing. */
export const proxyVariables = ['TRUSTED_PROXY_HEADER', 'TRUSTED_PROXY_SECRET_HEADER', 'TRUSTED_PROXY_SECRET'] as const;

/** The variables of an issuer without which it is of no use. */
export const oidcVariables = ['OIDC_ISSUER', 'OIDC_CLIENT_ID', 'OIDC_NAME', 'OIDC_RULES'] as const;

/** Checks the environment and returns the settings. Throws one error that says of every wrong variable what it wants. */
export const settingsFrom = (variables: Variables): Settings => {
  const given = setIn(variables);
  const wrong = missingOf(proxyVariables, given);
  const read = Object.entries<Setting<unknown>>(environment).map(([name, setting]) => {
    const value = given[name] === undefined ? setting.otherwise : setting.read(given[name]);
    if (value === null) wrong.push(refusalOf(name, setting, given[name]));
    return [name, value];
  });
  if (wrong.length > 0) throw new Error(`wrong environment:\n  ${wrong.join('\n  ')}`);
  const settings: Read = Object.fromEntries(read);
  // Without a limit of calls messages are not limited either, unless QUOTAS names their limit.
  const uncounted = settings.RATE_LIMIT_PER_SECOND === 0 ? { messagesPerSecond: 0 } : {};
  return { ...settings, QUOTAS: { ...defaultQuotas, ...uncounted, ...settings.QUOTAS } };
};

export const settings = (): Settings => settingsFrom(process.env);
/** The credentials and the region that the Lambda runtime provides. */
export const runtimeEnvironment = () => ({
  region: process.env.AWS_REGION ?? 'us-east-1',
  endpoints: {
    table: process.env.AWS_ENDPOINT_URL_DYNAMODB,
    queues: process.env.AWS_ENDPOINT_URL_SQS,
    mail: process.env.AWS_ENDPOINT_URL_SESV2,
  },
  credentials: {
    accessKeyId: process.env.AWS_ACCESS_KEY_ID ?? 'local',
    secretAccessKey: process.env.AWS_SECRET_ACCESS_KEY ?? 'local',
    ...(process.env.AWS_SESSION_TOKEN && { sessionToken: process.env.AWS_SESSION_TOKEN }),
  },
});
