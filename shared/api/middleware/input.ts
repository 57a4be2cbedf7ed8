import type * as z from 'zod';
import { countIn } from '#shared/domain/event/raw.ts';
import type { FieldError } from '#shared/domain/problem.ts';
import { UNASSIGNED } from '#shared/domain/unassigned.ts';
import type { StoreOf } from '#shared/store/store.ts';
import { ApiError, type ErrorCode } from '../errors.ts';
import { fieldErrorsOf } from '../field-errors.ts';
import { type ApiRequest, header, operationOf } from '../http/exchange.ts';
import { parseJson } from '../http/json.ts';
import type { Operation, Within } from '../operation.ts';

const KIB = 1_024;
/** The largest bodies in bytes: JSON of any caller, and messages of a device. */
export const bodyLimits = { json: 256 * KIB, messages: 1_024 * KIB } as const;
const bodyLimit = ({ bodyKind }: Operation) => bodyLimits[bodyKind ?? 'json'];
/** Is it JSON in UTF-8? Another charset is refused. */
const isJson = (contentType: string) =>
  /^application\/json\s*(;|$)/i.test(contentType) && !/;\s*charset\s*=(?!\s*"?utf-?8\b)/i.test(contentType);

const bytesOf = ({ event }: ApiRequest): Buffer =>
  Buffer.from(event.body ?? '', event.isBase64Encoded ? 'base64' : 'utf8');

/** Gives the number of messages in a body. A body that is too large counts as 1, because it is refused anyway. */
export const messagesOf = (request: ApiRequest): number => {
  const bytes = bytesOf(request);
  return bytes.length > bodyLimit(operationOf(request)) ? 1 : countIn(bytes.toString('latin1'));
};

/** Answers 415 if a body is not JSON by its content type, and 413 if it is too large. */
export const checkMedia = async (request: ApiRequest): Promise<void> => {
  const operation = operationOf(request);
  const isTooLarge = bytesOf(request).length > bodyLimit(operation);
  if (!operation.body && isTooLarge) throw new ApiError('body_too_large');
  if (!operation.body) return;
  const contentType = header(request.event, 'content-type');
  if (contentType !== undefined && !isJson(contentType)) throw new ApiError('media_type_unsupported');
  if (isTooLarge) throw new ApiError('body_too_large');
  if (contentType === undefined && (request.event.body ?? '') !== '') throw new ApiError('media_type_unsupported');
};

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
const textOf = (request: ApiRequest): string | null => {
  try {
    return utf8.decode(bytesOf(request));
  } catch {
    return null;
  }
};

const check = (schema: z.ZodType, value: unknown, fieldErrors: FieldError[]): unknown => {
  const result = schema.safeParse(value, { reportInput: true });
  if (!result.success) fieldErrors.push(...fieldErrorsOf(result.error.issues));
  return result.data;
};

const readBody = (request: ApiRequest, operation: Operation, fieldErrors: FieldError[]): unknown => {
  if (!operation.body) return undefined;
  const text = textOf(request);
  if (text === null) return void fieldErrors.push({ path: '', problem: 'json' });
  if (operation.bodyKind === 'messages') return text;
  const parsed = parseJson(text);
  if ('problem' in parsed) return void fieldErrors.push({ path: '', problem: parsed.problem });
  return check(operation.body, parsed.value, fieldErrors);
};

/** Checks path, query and body against their schemas. The 400 names all errors, not only the first. */
export const readInput = async (request: ApiRequest): Promise<void> => {
  const { event } = request;
  const { exchange } = request.context;
  const operation = operationOf(request);
  const fieldErrors: FieldError[] = [];
  exchange.params = (operation.params ? check(operation.params, exchange.path, fieldErrors) : {}) as Record<
    string,
    unknown
  >;
  exchange.query = operation.query && check(operation.query, event.queryStringParameters ?? {}, fieldErrors);
  exchange.body = readBody(request, operation, fieldErrors);
  if (fieldErrors.length > 0) throw new ApiError('bad_request', { fieldErrors });
};

const idOf: Record<Within, string> = {
  user: 'userId',
  customer: 'customerId',
  sensor: 'sensorId',
  sensor_group: 'groupId',
  bot: 'botId',
  rule: 'ruleId',
  webhook: 'webhookId',
};

/**
 * Finds the customer that the operation works in, and answers 404 if there is none. It is the caller's own customer,
 * whatever id the path names, so an id of another customer finds nothing. Only for a system admin the id of the path
 * decides.
 */
export const findCustomer =
  (store: StoreOf<'customers.ownerOf'>) =>
  async ({ context: { exchange } }: ApiRequest): Promise<void> => {
    const { caller, operation, params } = exchange;
    const kind = operation?.within;
    if (!kind || !caller) return;
    const id = params[idOf[kind]] as string | number;
    const missing = () => new ApiError(`${kind}_not_found` satisfies ErrorCode);
    if (kind === 'customer' && !caller.isAdmin && id !== caller.customerId) throw missing();
    if (kind === 'customer') exchange.customerId = id as number;
    else if (kind === 'user' && id === caller.accountId) exchange.customerId = caller.customerId ?? UNASSIGNED;
    else {
      const owner = caller.isAdmin ? await store.customers.ownerOf(kind, id) : caller.customerId;
      if (owner === null) throw missing();
      exchange.customerId = owner;
    }
  };
