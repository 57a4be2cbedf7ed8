import * as z from 'zod';
import { Format } from './formats/format.ts';
import { formats } from './formats/formats.ts';
import { id, int32, int64, millis, text, uuid } from './values.ts';

export const AuthMethod = z.enum(['bearer', 'api_key', 'basic', 'jwt', 'none']);

/** 16..256 printable ASCII characters. */
export const SecretKey = z.string().regex(/^[\x20-\x7e]{16,256}$/);

/** One delay in seconds for each attempt, the first included. */
export const RetrySchedule = z.array(int32(0, 86_400)).min(1).max(20);

const fields = z.object({
  name: text(1, 64),
  /** Which targets are allowed is a stage's policy (shared/delivery), not a matter of shape. */
  url: text(1, 2_048),
  format: Format,
  isCustomerHook: z.boolean(),
  botId: id.nullable().default(null),
  authMethod: AuthMethod.default('bearer'),
  retrySchedule: RetrySchedule.nullable().default(null),
  isEnabled: z.boolean().default(true),
});

const crossRules = (ctx: z.core.ParsePayload<{ isCustomerHook: boolean; botId: number | null; format: Format }>) => {
  const { isCustomerHook, botId, format } = ctx.value;
  const wrong = (path: string, key: string) =>
    ctx.issues.push({ code: 'custom', input: ctx.value, path: [path], params: { key } });
  if (isCustomerHook && botId !== null) wrong('botId', 'customer_hook_has_no_bot');
  if (!isCustomerHook && botId === null) wrong('botId', 'bot_hook_needs_bot');
  if (isCustomerHook && formats[format].isForBots) wrong('format', 'format_is_for_bots');
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

/** What a client sends to replace a webhook. `secretKey` is write-only: left out it stays, null removes it. */
const update = fields.extend({ secretKey: SecretKey.nullable().optional() });
export const WebhookUpdate = update.check(crossRules).meta({ id: 'WebhookUpdate', examples: [example] });
export type WebhookUpdate = z.output<typeof WebhookUpdate>;

/** What a client sends to create a webhook. */
export const NewWebhook = update
  .extend({ customerId: id.optional() })
  .check(crossRules)
  .meta({ id: 'NewWebhook', examples: [example] });
export type NewWebhook = z.output<typeof NewWebhook>;

/** What a client sends to change the secret alone. */
export const NewSecret = z
  .object({ secretKey: SecretKey.nullable(), overlapSeconds: int32(0, 604_800).default(0) })
  .meta({ id: 'NewSecret', examples: [{ secretKey: 'an-example-of-a-secret', overlapSeconds: 86_400 }] });

const Health = z.object({
  consecutiveFailures: int64,
  failingSince: millis.nullable(),
  lastSuccess: millis.nullable(),
});

/** A webhook as its owner reads it: neither token nor secret. */
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

/** The answer to the creation of a webhook: the only time that its token is shown, */
export const CreatedWebhook = Webhook.extend({ token }).meta({ id: 'CreatedWebhook' });
/** but for that of a new one. */
export const WebhookToken = z.object({ token }).meta({ id: 'WebhookToken' });

/** What the cloud keeps of a webhook, secrets included. Absent: failingSince while it works, lastSuccess before any. */
export type WebhookRecord = Omit<Webhook, 'hasSecretKey' | 'health'> & {
  token: string;
  secretKey: string | null;
  consecutiveFailures: number;
  failingSince?: number;
  lastSuccess?: number;
} & Operating;

/** What the cloud notes about a webhook while it works with it (domain/breaker.ts), all times in ms. */
type Operating = {
  openUntil?: number;
  /** The secret before this one, which signs too until then. */
  previousSecret?: string | null;
  previousUntil?: number;
  probeUntil?: number;
  slowUntil?: number;
  warnedAt?: number;
  /** A request under way, over all processes, until its lease ends. */
  [slot: `slot${number}`]: number;
  /** How many deliveries it holds, and until when those are spread that it released. */
  held?: number;
  releasedUntil?: number;
};

/** What its owner may read of it. */
export const viewOf = (record: WebhookRecord): Webhook => {
  const { consecutiveFailures, failingSince = null, lastSuccess = null } = record;
  return {
    ...record,
    hasSecretKey: record.secretKey !== null,
    health: { consecutiveFailures, failingSince, lastSuccess },
  };
};
