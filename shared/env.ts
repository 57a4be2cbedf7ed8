import * as z from 'zod';
import { DEADLINE_SECONDS, GONE_AFTER_SECONDS } from './domain/delivery.ts';
import { defaultQuotas, type Quotas, readQuotas, type SomeQuotas } from './domain/quota.ts';
import { readTime } from './domain/time.ts';

const flag = z.enum(['true', 'false']).transform((value) => value === 'true');
const list = z.string().transform((value) =>
  value
    .split(',')
    .map((one) => one.trim())
    .filter(Boolean),
);

const retrySchedule = list
  .refine((all) => all.length <= 20 && all.every((one) => /^\d{1,5}$/.test(one) && Number(one) <= 86_400))
  .transform((all) => all.map(Number));
const number = (min: number, max: number) => z.coerce.number().check(z.gte(min), z.lte(max));

const headerName = z
  .string()
  .regex(/^[\w!#$%&'*+.^`|~-]*$/)
  .transform((name) => name.toLowerCase())
  .default('');

const quotas = z.string().transform((text, ctx): SomeQuotas => {
  const read = readQuotas(text);
  if (read) return read;
  ctx.addIssue('no quotas');
  return z.NEVER;
});

const time = z.string().transform((given, ctx): number => {
  const read = readTime(given);
  if (read !== null) return read;
  ctx.addIssue('no time');
  return z.NEVER;
});

/** Any text. One schema for all variables that have it, because each costs time at a start. */
const text = z.string().default('');

/** Every variable that the code reads, with its default. A function gets those that its capabilities name. */
export const Environment = z.object({
  TABLE_NAME: z.string().min(3).default('sensor-cloud'),
  EVENTS_QUEUE_URL: text,
  TIMERS_QUEUE_URL: text,
  DELIVERIES_QUEUE_URL: text,
  RETRIES_QUEUE_URL: text,
  MQTT_QUEUE_URL: text,
  QUARANTINE_QUEUE_URL: text,
  /** The namespace of the metrics in CloudWatch. */
  METRICS_NAMESPACE: z.string().default('SensorCloud'),
  /** Seconds for which a process adds up the messages that it accepted before it writes their number. */
  METRICS_SECONDS: number(0, 300).int().default(60),
  /** The rule of AWS IoT that gets what devices publish; empty: this stage has no MQTT. */
  MQTT_RULE: z.string().regex(/^\w*$/).default(''),
  /** The topic of alarms; empty: this stage has none. */
  ALARM_TOPIC_ARN: text,
  /** The KMS key that seals secrets of webhooks. */
  SECRETS_KEY_ARN: text,
  /** Requests per second of an account or address; 0: no limit. */
  RATE_LIMIT_PER_SECOND: number(0, 1_000_000).int().default(30),
  /** A JSON object with the quotas of a customer that differ from the defaults. */
  QUOTAS: quotas.default({}),
  /** Sessions, access tokens and codes for a new password that were made before are void (ms); 0: none is. */
  CREDENTIALS_SINCE: time.default(0),
  /** The address of the service without /api/v1; empty while it is unknown. */
  PUBLIC_URL: text,
  /** The address for devices without /api/v1; empty: the address of the service. */
  DEVICE_URL: text,
  /** The trusted proxy: the header with the caller's address, and the header with the proxy's secret. */
  TRUSTED_PROXY_HEADER: headerName,
  TRUSTED_PROXY_SECRET_HEADER: headerName,
  /** The proxy's secret as it is, or `sha256:` and its SHA-256 in hex. */
  TRUSTED_PROXY_SECRET: z
    .string()
    .regex(/^(sha256:[0-9a-f]{64}|(?!sha256:)[!-~]{1,1024})$/)
    .or(z.literal(''))
    .default(''),
  /** Further addresses of the service, which no webhook may call. */
  OWN_URLS: list.default([]),
  /** Origins whose pages may call the API with a token. */
  CORS_ORIGINS: list.default([]),
  /** Whether the canary falls. */
  CANARY: flag.default(false),
  /** An address outside that is called after each fall of the canary that came back; empty: none. */
  HEARTBEAT_URL: text,
  /** Where feedback for maker A goes; empty: nowhere. */
  MAKER_A_FEEDBACK_URL: text,
  SERVICE_NAME: z.string().default('Sensor Cloud'),
  SERVICE_VERSION: z.string().default('0.1.0'),
  /** The address that mails come from; empty: this stage sends none. */
  MAIL_SENDER: text,
  ALLOW_PRIVATE_TARGETS: flag.default(false),
  /** CIDRs that webhooks may call although they are private. */
  ALLOWED_TARGET_RANGES: list.default([]),
  /** Seconds of silence after which a sensor is inactive. */
  SENSOR_INACTIVE_AFTER_SECONDS: number(1, 86_400).int().default(300),
  /** Seconds that one whole attempt to deliver may take. */
  DELIVERY_DEADLINE_SECONDS: number(1, DEADLINE_SECONDS).default(DEADLINE_SECONDS),
  /** So many seconds of nothing but 410 switch a webhook off; 0: the first one does. */
  GONE_AFTER_SECONDS: number(0, 86_400).int().default(GONE_AFTER_SECONDS),
  /** Seconds before each attempt; empty: the built-in retry schedule. */
  RETRY_SCHEDULE: retrySchedule.default([]),
});
export type Settings = Omit<z.output<typeof Environment>, 'QUOTAS'> & { QUOTAS: Quotas };

type Variables = Readonly<Record<string, string | undefined>>;

/** The variables that are set. An empty one counts as not set: as a number it would be 0, as a password it would match. */
export const setIn = (variables: Variables): Variables =>
  Object.fromEntries(Object.entries(variables).filter(([, value]) => value !== ''));

const proxy = ['TRUSTED_PROXY_HEADER', 'TRUSTED_PROXY_SECRET_HEADER', 'TRUSTED_PROXY_SECRET'] as const;
/** The three variables of the trusted proxy are set together or not at all: some of them alone would do nothing. */
const missingOfProxy = (given: Pick<Settings, (typeof proxy)[number]>): readonly string[] => {
  const missing = proxy.filter((name) => given[name] === '');
  return missing.length === proxy.length ? [] : missing;
};

// Settings are read once in a process: compiling a parser for them would take longer than parsing does.
const once = { jitless: true };

/** Checks the environment and returns the settings. Throws an error that names every wrong variable, never its value. */
export const settingsFrom = (variables: Variables): Settings => {
  const { data, error } = Environment.safeParse(setIn(variables), once);
  const names = data ? missingOfProxy(data) : [...new Set(error.issues.map((issue) => String(issue.path[0])))];
  // Without a limit of calls messages are not limited either, unless QUOTAS names their limit.
  const uncounted = data?.RATE_LIMIT_PER_SECOND === 0 ? { messagesPerSecond: 0 } : {};
  if (data && names.length === 0) return { ...data, QUOTAS: { ...defaultQuotas, ...uncounted, ...data.QUOTAS } };
  throw new Error(`wrong environment: ${names.join(', ')}`);
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
