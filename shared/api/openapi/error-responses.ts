import { type ErrorCode, errors } from '../errors.ts';
import * as en from '../messages/en.ts';
import { isWrite, type Operation } from '../operation.ts';
import { commonHeaders, headerReferences, REMAPPED_AUTHENTICATE } from './headers.ts';
import { type Json, SCHEMA_PREFIX } from './schemas.ts';

/** Whether users and their access tokens call the operation. */
const isForUsers = ({ auth }: Operation): boolean => auth === 'user' || auth === 'session';
/** Whether the operation can refuse a token, either because it needs a session or because the token is read-only. */
const canRefuseTokens = (operation: Operation): boolean => operation.auth === 'session' || isWrite(operation);

/** Whether the operation can respond with 403, because of a permission, a token, or a customer in the query. */
const canForbid = (operation: Operation): boolean =>
  'may' in operation &&
  (operation.may !== 'logged_in' || canRefuseTokens(operation) || 'customerId' in (operation.query?.shape ?? {}));

/** Returns the operation errors not declared in the contract. Every operation can reject a repeated header with 400. */
const commonErrors = (operation: Operation): (keyof typeof errors)[] => [
  'bad_request',
  ...(['anyone', 'optional'].includes(operation.auth) ? [] : (['credentials_invalid'] as const)),
  ...(canForbid(operation) ? (['forbidden'] as const) : []),
  ...(isForUsers(operation) ? (['otp_setup_required'] as const) : []),
  ...(operation.method === 'GET' ? [] : (['csrf_detected'] as const)),
  ...(operation.body ? (['body_too_slow', 'media_type_unsupported', 'body_too_large'] as const) : []),
  'rate_limited',
  'unavailable',
  'internal',
];

const headersOfError: Readonly<Record<number, Json>> = {
  401: headerReferences('WWW-Authenticate', REMAPPED_AUTHENTICATE),
  429: headerReferences('Retry-After'),
  503: headerReferences('Retry-After'),
};

/** Only requests rejected for their content have an error list, which is optional in `Error`. */
const bodyOf = (status: number, codes: readonly ErrorCode[]): Json => {
  const isInvalid = codes.every((code) => code === 'bad_request');
  const message = en.errorTexts[codes[0] ?? 'internal'];
  const errors = [{ path: 'name', message: 'must be 1 to 64 characters long' }];
  return {
    schema: { $ref: SCHEMA_PREFIX + (isInvalid ? 'InvalidRequest' : 'Error') },
    example: { message, statusCode: status, ...(isInvalid && { errors }) },
  };
};

const errorResponse = (status: number, codes: readonly ErrorCode[]): Json => ({
  description: codes.map((code) => `\`${code}\`: ${en.errorTexts[code]}`).join('; '),
  headers: { ...commonHeaders, ...headerReferences('X-Error-Code'), ...headersOfError[status] },
  content: { 'application/json': bodyOf(status, codes) },
});

type Codes = readonly [ErrorCode, ...ErrorCode[]];
/** Error responses shared by many operations, each with the possible codes. */
const shared: readonly Codes[] = [
  ...([['bad_request'], ['credentials_invalid'], ['csrf_detected'], ['media_type_unsupported']] as const),
  ...([['body_too_large'], ['body_too_slow'], ['rate_limited'], ['unavailable'], ['internal']] as const),
  ...([['otp_setup_required'], ['forbidden', 'otp_setup_required']] as const),
  ['forbidden', 'otp_setup_required', 'csrf_detected'],
  ...([['sensor_not_found'], ['user_not_found'], ['customer_not_found'], ['webhook_not_found']] as const),
  ...([['address_unknown'], ['bot_not_found'], ['delivery_not_found'], ['sensor_group_not_found']] as const),
  ...([
    ['webhook_not_found', 'delivery_not_found'],
    ['webhook_not_found', 'replay_not_found'],
  ] as const),
  ...([
    ['customer_not_found', 'rule_hit_not_found'],
    ['user_not_found', 'otp_not_found'],
  ] as const),
  ...([['limit_reached'], ['rule_not_found'], ['sensor_wrong_manufacturer', 'bad_request']] as const),
];
const nameOf = (codes: readonly ErrorCode[]): string => codes.join('_or_');
/** Returns the shared error responses as components. */
export const sharedResponses = (): Json =>
  Object.fromEntries(shared.map((codes) => [nameOf(codes), errorResponse(errors[codes[0]], codes)]));

/** Returns the error responses for an operation, by status. */
export const errorResponses = (operation: Operation): Json => {
  const codes = [...new Set([...(operation.errors ?? []), ...commonErrors(operation)])];
  const statuses = [...new Set(codes.map((code) => errors[code]))].sort((a, b) => a - b);
  const responseOf = (status: number): Json => {
    const own = codes.filter((code) => errors[code] === status);
    const isShared = shared.some((codes) => nameOf(codes) === nameOf(own));
    return isShared ? { $ref: `#/components/responses/${nameOf(own)}` } : errorResponse(status, own);
  };
  return Object.fromEntries(statuses.map((status) => [String(status), responseOf(status)]));
};
