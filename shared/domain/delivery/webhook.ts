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

/** The fields of a webhook that select the events it receives. */
const eventFilterFields = {
  eventTypes: anyOf(eventType(), 'events of any type, or without one'),
  situations: anyOf(Situation, 'events of any situation, or without one'),
  sensorGroupId: id
    .nullable()
    .default(null)
    .meta({ description: 'customer webhooks only; null: events of all sensors' }),
} satisfies Record<keyof EventFilters, z.ZodType>;

const fields = z.object({
  name: text(1, 64),
  /** The policy of the stage decides which targets are allowed (shared/delivery), not this schema. */
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
 * The body of a request that replaces a webhook. `secretKey` is write-only: the key is unchanged if it is missing, and
 * removed if it is null.
 */
const update = fields.extend({ secretKey: SecretKey.nullable().optional() });
export const WebhookUpdate = update.check(crossRules).meta({ id: 'WebhookUpdate', examples: [example] });
export type WebhookUpdate = z.output<typeof WebhookUpdate>;

/** The body of a request that creates a webhook. */
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

/** The circuit breaker of a webhook at the time of the call. */
export const Circuit = z
  .object({
    state: z.enum(['closed', 'open', 'half_open']).meta({
      description:
        'open: retries are postponed, and new deliveries are sent as probes; half_open: one probe tests whether the receiver works',
    }),
    openUntil: millis.nullable().meta({ description: 'when the next retry may probe the receiver' }),
  })
  .meta({ id: 'Circuit' });
export type Circuit = z.output<typeof Circuit>;

/** A webhook in responses of the API, without its token and secret. */
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

/** The response to the creation of a webhook. The token is shown only here and in `WebhookToken`. */
export const CreatedWebhook = Webhook.extend({ token }).meta({ id: 'CreatedWebhook' });
/** The response to a request for a new token. */
export const WebhookToken = z.object({ token }).meta({ id: 'WebhookToken' });

/**
 * A webhook as it is stored, secrets included. `failingSince` is missing while deliveries succeed; `lastSuccess` is
 * missing before the first success.
 */
export type WebhookRecord = Omit<Webhook, 'hasSecretKey' | 'health' | keyof EventFilters> & {
  token: string;
  secretKey: string | null;
  consecutiveFailures: number;
  failingSince?: number;
  lastSuccess?: number;
  /**
   * Whether the URL was saved on a host that accepts connections from other machines. There, new webhooks must not
   * point to loopback.
   */
  isLoopbackDenied?: boolean;
} & Partial<EventFilters> &
  DeliveryHealth;

/** The fields that the delivery worker stores in a webhook (domain/delivery/breaker.ts). All times are in ms. */
type DeliveryHealth = {
  openUntil?: number;
  lastFailure?: number;
  /**
   * The earliest possible creation time of deliveries that are still pending after a failure, or because an open
   * circuit postponed them. Missing if there are no such deliveries.
   */
  pendingSince?: number;
  /** The first success after the latest failures: from then on, pending deliveries are attempted early. */
  backDate?: number;
  /** The time (ms) since which the receiver has responded with nothing but 410. */
  goneSince?: number;
  /** The previous secret, which also signs deliveries until `previousUntil`. */
  previousSecret?: string | null;
  previousUntil?: number;
  /** The lease of the probe, stored like the lease of a slot. */
  probeUntil?: number;
  probeUntilToken?: string;
  slowUntil?: number;
  warnedAt?: number;
  /** The number of original deliveries that failed permanently since somebody last saw them, and the latest failure. */
  failedDeliveries?: number;
  troubleDate?: number;
  /** The lease of a slot for one request, across all processes: when it ends, and the token of its holder. */
  [slot: `slot${number}`]: number;
  [slotToken: `slot${number}Token`]: string;
  /** The number of held deliveries, and the time up to which released deliveries are scheduled. */
  held?: number;
  releasedUntil?: number;
  /** The ids of the replays that were running when the newest one began, followed by the newest. */
  replays?: string[];
};

/** Returns a webhook as the API shows it. */
export const webhookView = (record: WebhookRecord): Webhook => {
  const { consecutiveFailures, failingSince = null, lastSuccess = null } = record;
  return {
    ...noFilters,
    ...record,
    hasSecretKey: record.secretKey !== null,
    health: { consecutiveFailures, failingSince, lastSuccess },
  };
};
