import * as z from 'zod';
import { eventType, Situation } from '../event/event.ts';
import { Format } from '../formats/format.ts';
import { formats } from '../formats/formats.ts';
import { id, int32, int64, millis, text, uuid } from '../values.ts';
import { type EventFilters, filterNames, noFilters } from './event-filters.ts';
import { SecretKey } from './webhook-secret.ts';

const AuthMethod = z.enum(['bearer', 'api_key', 'basic', 'jwt', 'none']);

/** One delay in seconds for each attempt, the first one included. */
const RetrySchedule = z.array(int32(0, 86_400)).min(1).max(20);

const anyOf = <T extends z.ZodType>(element: T, what: string) =>
  z
    .array(element)
    .min(1)
    .max(64)
    .nullable()
    .default(null)
    .meta({ description: `customer webhooks alone; null: ${what}` });

/** The fields of a webhook that say which events it is told of (completion 12 "Filters"). */
const eventFilterFields = {
  eventTypes: anyOf(eventType(), 'events of any type, and those without one'),
  situations: anyOf(Situation, 'events of any situation, and those without one'),
  sensorGroupId: id
    .nullable()
    .default(null)
    .meta({ description: 'customer webhooks alone; null: events of all sensors' }),
} satisfies Record<keyof EventFilters, z.ZodType>;

const fields = z.object({
  name: text(1, 64),
  /**
   * The schema does not check which targets are allowed: that is decided by the policy of the stage (shared/delivery).
   */
  url: text(1, 2_048)
    .nullable()
    .meta({ description: 'null: its deliveries wait until they are fetched from its feed' }),
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
  const wrong = (path: string, key: string) =>
    ctx.issues.push({ code: 'custom', input: ctx.value, path: [path], params: { key } });
  if (isCustomerHook && botId !== null) wrong('botId', 'customer_hook_has_no_bot');
  if (!isCustomerHook && botId === null) wrong('botId', 'bot_hook_needs_bot');
  if (isCustomerHook && formats[format].isForBots) wrong('format', 'format_is_for_bots');
  const given = isCustomerHook ? [] : filterNames.filter((name) => ctx.value[name] !== null);
  for (const name of given) wrong(name, 'filter_is_for_customer_hooks');
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
 * The body of a request that replaces a webhook. `secretKey` is write-only: without it the key stays, and null removes
 * it.
 */
const update = fields.extend({ secretKey: SecretKey.nullable().optional() });
export const WebhookUpdate = update.check(crossRules).meta({ id: 'WebhookUpdate', examples: [example] });
export type WebhookUpdate = z.output<typeof WebhookUpdate>;

/** The body of a request that creates a webhook. */
export const NewWebhook = update
  .extend({ customerId: id.optional() })
  .check(crossRules)
  .meta({ id: 'NewWebhook', examples: [example] });
export type NewWebhook = z.output<typeof NewWebhook>;

const Health = z.object({
  consecutiveFailures: int64,
  failingSince: millis.nullable(),
  lastSuccess: millis.nullable(),
});

/** The circuit breaker of a webhook, as of the moment of the call. */
export const Circuit = z
  .object({
    state: z.enum(['closed', 'open', 'half_open']).meta({
      description:
        'open: retries wait, and a new delivery is sent once as a probe; half_open: one probe finds out whether the receiver works',
    }),
    openUntil: millis.nullable().meta({ description: 'when the next retry may probe an open circuit' }),
  })
  .meta({ id: 'Circuit' });
export type Circuit = z.output<typeof Circuit>;

/** A webhook in answers of the API, without its token and secret. */
export const Webhook = fields
  .extend({
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

/** The answer to the creation of a webhook. Its token is shown only here and in `WebhookToken`. */
export const CreatedWebhook = Webhook.extend({ token }).meta({ id: 'CreatedWebhook' });
/** The answer to a request for a new token. */
export const WebhookToken = z.object({ token }).meta({ id: 'WebhookToken' });

/**
 * A webhook as it is stored, secrets included. `failingSince` is missing while deliveries succeed, `lastSuccess` before
 * the first success.
 */
export type WebhookRecord = Omit<Webhook, 'hasSecretKey' | 'health' | keyof EventFilters> & {
  token: string;
  secretKey: string | null;
  consecutiveFailures: number;
  failingSince?: number;
  lastSuccess?: number;
} & Partial<EventFilters> &
  Operating;

/** What the delivery worker stores in a webhook (domain/delivery/breaker.ts). All times are in ms. */
type Operating = {
  openUntil?: number;
  /** Since when (ms) the receiver has answered 410, and nothing else. */
  goneSince?: number;
  /** The previous secret. Deliveries are signed by it too until `previousUntil`. */
  previousSecret?: string | null;
  previousUntil?: number;
  /** The lease of the probe, as that of a slot. */
  probeUntil?: number;
  probeUntilToken?: string;
  slowUntil?: number;
  warnedAt?: number;
  /** First deliveries that failed for good since somebody last saw it, and when the newest trouble happened. */
  failedDeliveries?: number;
  troubleDate?: number;
  /** The lease of a slot for one request under way, over all processes: when it ends, and the token of its holder. */
  [slot: `slot${number}`]: number;
  [slotToken: `slot${number}Token`]: string;
  /** How many deliveries the webhook holds, and until when the deliveries that it released are spread. */
  held?: number;
  releasedUntil?: number;
  /** The ids of the replays that ran when the newest one began, and of the newest one, in their order. */
  replays?: string[];
};

/** Gives a webhook as its owner sees it. */
export const viewOf = (record: WebhookRecord): Webhook => {
  const { consecutiveFailures, failingSince = null, lastSuccess = null } = record;
  return {
    ...noFilters,
    ...record,
    hasSecretKey: record.secretKey !== null,
    health: { consecutiveFailures, failingSince, lastSuccess },
  };
};
