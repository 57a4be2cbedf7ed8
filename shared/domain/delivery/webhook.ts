import * as z from 'zod';
import { eventType, Situation } from '../event/event.ts';
import { Format } from '../formats/format.ts';
import { formats } from '../formats/formats.ts';
import { id, int32, int64, millis, storedText, text, uuid } from '../values.ts';
import { type EventFilters, filterNames, noFilters } from './event-filters.ts';
import { SecretKey } from './webhook-secret.ts';

const AuthMethod = z.enum(['bearer', 'api_key', 'basic', 'jwt', 'none']);

/** The delay (s) before each attempt, including the first. */
const RetrySchedule = z.array(int32(0, 86_400)).min(1).max(20);

const anyOf = <T extends z.ZodType>(element: T, whenNull: string) =>
  z
    .array(element)
    .min(1)
    .max(64)
    .nullable()
    .default(null)
    .meta({ description: `customer webhooks only; null: ${whenNull}` });

/** The webhook fields that select events. */
const eventFilterFields = {
  eventTypes: anyOf(eventType(), 'events with any type or none'),
  situations: anyOf(Situation, 'events with any situation or none'),
  sensorGroupId: id
    .nullable()
    .default(null)
    .meta({ description: 'customer webhooks only; null: events from all sensors' }),
} satisfies Record<keyof EventFilters, z.ZodType>;

const fields = z.object({
  name: text(1, 64),
  /** Which targets are allowed is up to the stage policy (shared/delivery), not this schema. */
  url: text(1, 2_048).nullable().meta({ description: 'null: receivers fetch the deliveries from the feed' }),
  format: Format,
  isCustomerHook: z.boolean(),
  botId: id.nullable().default(null),
  authMethod: AuthMethod.default('bearer'),
  retrySchedule: RetrySchedule.nullable().default(null),
  isEnabled: z.boolean().default(true),
  ...eventFilterFields,
});

const crossRules = (ctx: z.core.ParsePayload<z.output<typeof fields>>) => {
  const { isCustomerHook, botId, format } = ctx.value;
  const reject = (path: string, key: string) =>
    ctx.issues.push({ code: 'custom', input: ctx.value, path: [path], params: { key } });
  if (isCustomerHook && botId !== null) reject('botId', 'customer_hook_has_no_bot');
  if (!isCustomerHook && botId === null) reject('botId', 'bot_hook_needs_bot');
  if (isCustomerHook && formats[format].isForBots) reject('format', 'format_is_for_bots');
  const filters = isCustomerHook ? [] : filterNames.filter((name) => ctx.value[name] !== null);
  for (const name of filters) reject(name, 'filter_is_for_customer_hooks');
};

const example = {
  name: 'Nurse call, ward 2',
  url: 'https://calls.example.com/hooks/ward-2',
  format: 'full',
  isCustomerHook: false,
  botId: 1_042,
  authMethod: 'bearer',
  secretKey: 'an-example-of-a-secret',
};

/**
 * The request body for replacing a webhook. `secretKey` is write-only: the key stays unchanged if the field is missing,
 * and is removed if it is null.
 */
const update = fields.extend({ secretKey: SecretKey.nullable().optional() });
export const WebhookUpdate = update.check(crossRules).meta({ id: 'WebhookUpdate', examples: [example] });
export type WebhookUpdate = z.output<typeof WebhookUpdate>;

/** The request body for creating a webhook. */
export const NewWebhook = update
  .extend({ customerId: id.optional() })
  .check(crossRules)
  .meta({ id: 'WebhookCreation', examples: [example] });
export type NewWebhook = z.output<typeof NewWebhook>;

const Health = z.object({
  consecutiveFailures: int64,
  failingSince: millis.nullable(),
  lastSuccess: millis.nullable(),
});

/** A webhook circuit breaker at the time of the request. */
export const Circuit = z
  .object({
    state: z.enum(['closed', 'open', 'half_open']).meta({
      description:
        'open: retries are postponed, and new deliveries are sent as probes; half_open: a probe is testing whether ' +
        'the receiver works',
    }),
    openUntil: millis.nullable().meta({ description: 'when the next retry may probe the receiver' }),
  })
  .meta({ id: 'Circuit' });
export type Circuit = z.output<typeof Circuit>;

/** A webhook in API responses, without token and secret. */
export const Webhook = fields
  .extend({
    name: storedText(1, 64),
    id: uuid,
    createDate: millis,
    updateDate: millis,
    customerId: id,
    hasSecretKey: z.boolean(),
    disabledReason: z.string().nullable(),
    health: Health,
  })
  .meta({ id: 'Webhook' });
export type Webhook = z.output<typeof Webhook>;

const token = z.string().length(26);

/** The response after creating a webhook. The token is returned only here and in `WebhookToken`. */
export const CreatedWebhook = Webhook.extend({ token }).meta({ id: 'CreatedWebhook' });
/** The response to a request for a new token. */
export const WebhookToken = z.object({ token }).meta({ id: 'WebhookToken' });

/**
 * A webhook as stored, including secrets. `failingSince` is missing while deliveries succeed; `lastSuccess` is missing
 * before the first success.
 */
export type WebhookRecord = Omit<Webhook, 'hasSecretKey' | 'health' | keyof EventFilters> & {
  token: string;
  secretKey: string | null;
  consecutiveFailures: number;
  failingSince?: number;
  lastSuccess?: number;
  /**
   * Whether the URL was saved on a host that accepts connections from other machines. New webhooks on such a host must
   * not point to loopback.
   */
  isLoopbackDenied?: boolean;
} & Partial<EventFilters> &
  DeliveryHealth;

/** The webhook fields maintained by the delivery worker (domain/delivery/breaker.ts). All times are in ms. */
type DeliveryHealth = {
  openUntil?: number;
  lastFailure?: number;
  /**
   * The earliest possible creation time of any delivery still pending after a failure or postponed by an open circuit.
   * Missing if there are none.
   */
  pendingSince?: number;
  /** The time of the first success after the latest failures. From then on, pending deliveries are attempted early. */
  backDate?: number;
  /** The time (ms) since which the receiver has responded with nothing but 410. */
  goneSince?: number;
  /** The previous secret, which also signs deliveries until `previousUntil`. */
  previousSecret?: string | null;
  previousUntil?: number;
  /** The probe lease, stored like a slot lease. */
  probeUntil?: number;
  probeUntilToken?: string;
  slowUntil?: number;
  warnedAt?: number;
  /**
   * How many original deliveries have failed permanently since someone last viewed the failures. `troubleDate` is when
   * (ms) the latest one failed or the webhook was disabled.
   */
  failedDeliveries?: number;
  troubleDate?: number;
  /** A slot lease for one request, shared by all processes: when it ends, and the holder's token. */
  [slot: `slot${number}`]: number;
  [slotToken: `slot${number}Token`]: string;
  /** The number of held deliveries, and the time up to which releases are scheduled. */
  held?: number;
  releasedUntil?: number;
  /** The ids of the replays running when the newest one began, then the newest itself. */
  replays?: string[];
};

/** Returns a webhook as shown by the API. */
export const webhookView = (record: WebhookRecord): Webhook => {
  const { consecutiveFailures, failingSince = null, lastSuccess = null } = record;
  return {
    ...noFilters,
    ...record,
    hasSecretKey: record.secretKey !== null,
    health: { consecutiveFailures, failingSince, lastSuccess },
  };
};
