import type * as z from 'zod';
import { countMessages } from '#shared/domain/event/raw.ts';
import type { Caller } from '#shared/domain/identity/permission.ts';
import type { FieldError } from '#shared/domain/problem.ts';
import { UNASSIGNED } from '#shared/domain/unassigned.ts';
import type { StoreOf } from '#shared/store/store.ts';
import { ApiError, type ErrorCode } from '../errors.ts';
import { fieldErrorsOf } from '../field-errors.ts';
import { type Exchange, header, operationOf } from '../http/exchange.ts';
import { parseJson } from '../http/json.ts';
import type { Operation, Within } from '../operation.ts';

const KIB = 1_024;
/** The maximum body sizes (bytes), for JSON and for device messages. */
export const bodyLimits = { json: 256 * KIB, messages: 1_024 * KIB } as const;
const bodyLimit = ({ bodyKind }: Operation) => bodyLimits[bodyKind === 'messages' ? bodyKind : 'json'];
const isUtf8 = (contentType: string) => !/;\s*charset\s*=(?!\s*"?utf-?8\b)/i.test(contentType);
/** Whether a content type is JSON in UTF-8. */
const isJson = (contentType: string) => /^application\/json\s*(;|$)/i.test(contentType) && isUtf8(contentType);
/** Whether a content type is CSV in UTF-8. */
const isCsv = (contentType: string) => /^text\/csv\s*(;|$)/i.test(contentType) && isUtf8(contentType);
/** Whether an operation accepts bodies with a content type. */
const takes = ({ bodyKind }: Operation, contentType: string) =>
  isJson(contentType) || (bodyKind === 'rows' && isCsv(contentType));

const bytesOf = ({ event }: Exchange): Buffer =>
  Buffer.from(event.body ?? '', event.isBase64Encoded ? 'base64' : 'utf8');

/** Returns the number of messages in a body. Returns 1 if the body is too large, because it is rejected anyway. */
export const messagesOf = (exchange: Exchange): number => {
  const bytes = bytesOf(exchange);
  return bytes.length > bodyLimit(operationOf(exchange)) ? 1 : countMessages(bytes.toString('latin1'));
};

/** Responds with 415 if the content type is not JSON, and with 413 if the body is too large. */
export const checkMedia = (exchange: Exchange): void => {
  const operation = operationOf(exchange);
  const isTooLarge = bytesOf(exchange).length > bodyLimit(operation);
  if (!operation.body && isTooLarge) throw new ApiError('body_too_large');
  if (!operation.body) return;
  const contentType = header(exchange.event, 'content-type');
  if (contentType !== undefined && !takes(operation, contentType)) throw new ApiError('media_type_unsupported');
  if (isTooLarge) throw new ApiError('body_too_large');
  if (contentType === undefined && (exchange.event.body ?? '') !== '') throw new ApiError('media_type_unsupported');
};

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
const textOf = (exchange: Exchange): string | null => {
  try {
    return utf8.decode(bytesOf(exchange));
  } catch {
    return null;
  }
};

const check = (schema: z.ZodType, value: unknown, fieldErrors: FieldError[]): unknown => {
  const result = schema.safeParse(value, { reportInput: true });
  if (!result.success) fieldErrors.push(...fieldErrorsOf(result.error.issues));
  return result.data;
};

const readBody = (exchange: Exchange, schema: z.ZodType, fieldErrors: FieldError[]): unknown => {
  const text = textOf(exchange);
  const { bodyKind } = operationOf(exchange);
  if (text !== null && bodyKind === 'messages') return text;
  if (text !== null && bodyKind === 'rows' && isCsv(header(exchange.event, 'content-type') ?? '')) return text;
  const parsed = text === null ? { problem: 'json' as const } : parseJson(text);
  if ('value' in parsed) return check(schema, parsed.value, fieldErrors);
  fieldErrors.push({ path: '', problem: parsed.problem });
  return undefined;
};

/** Checks path, query and body against their schemas. The 400 response lists all errors, not just the first. */
export const readInput = (exchange: Exchange): void => {
  const { event, path } = exchange;
  const { params, query, body } = operationOf(exchange);
  const fieldErrors: FieldError[] = [];
  exchange.params = (params ? check(params, path, fieldErrors) : {}) as Record<string, unknown>;
  exchange.query = query && check(query, event.queryStringParameters ?? {}, fieldErrors);
  exchange.body = body && readBody(exchange, body, fieldErrors);
  if (fieldErrors.length > 0) throw new ApiError('bad_request', { fieldErrors });
};

const idParams: Record<Within, string> = {
  user: 'userId',
  customer: 'customerId',
  sensor: 'sensorId',
  sensor_group: 'groupId',
  bot: 'botId',
  rule: 'ruleId',
  webhook: 'webhookId',
};

const ownerOf = async (
  store: StoreOf<'customers.ownerOf'>,
  caller: Caller,
  kind: Within,
  id: string | number,
): Promise<number | null> => {
  if (kind === 'customer') return caller.isAdmin || id === caller.customerId ? Number(id) : null;
  if (kind === 'user' && id === caller.accountId) return caller.customerId ?? UNASSIGNED;
  return caller.isAdmin ? store.customers.ownerOf(kind, id) : caller.customerId;
};

/**
 * Finds the customer the operation acts on, and responds with 404 if there is none. It is always the caller's own
 * customer, so the id of an object that belongs to another customer matches nothing. For system admins, the object in
 * the path determines the customer.
 */
export const findCustomer = async (store: StoreOf<'customers.ownerOf'>, exchange: Exchange): Promise<void> => {
  const { caller, params } = exchange;
  const { within } = operationOf(exchange);
  if (!within || !caller) return;
  const owner = await ownerOf(store, caller, within, params[idParams[within]] as string | number);
  if (owner === null) throw new ApiError(`${within}_not_found` satisfies ErrorCode);
  exchange.customerId = owner;
};
