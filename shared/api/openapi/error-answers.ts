import { type ErrorCode, errors } from '../errors.ts';
import * as en from '../messages/en.ts';
import type { Operation } from '../operation.ts';
import { commonHeaders, RENAMED, refer } from './headers.ts';
import { type Json, REF } from './schemas.ts';

/** Is it for people and their programs? */
const isForUsers = ({ auth }: Operation): boolean => auth === 'user' || auth === 'session';
/** Can it refuse a token: because it takes none, or changes something and the token only reads? */
const isNotForAllTokens = ({ auth, method }: Operation): boolean => auth === 'session' || method !== 'GET';

/** Can the operation answer 403: because of its permission, or of a token, or of a customer in its query? */
const isForbidding = (operation: Operation): boolean =>
  'may' in operation &&
  (operation.may !== 'logged_in' || isNotForAllTokens(operation) || 'customerId' in (operation.query?.shape ?? {}));

/**
 * Gives the errors that an operation may answer with without declaring them. Every operation can refuse a repeated
 * header with a 400.
 */
const commonErrors = (operation: Operation): (keyof typeof errors)[] => [
  'bad_request',
  ...(['anyone', 'optional'].includes(operation.auth) ? [] : (['credentials_invalid'] as const)),
  ...(isForbidding(operation) ? (['forbidden'] as const) : []),
  ...(isForUsers(operation) ? (['otp_setup_required'] as const) : []),
  ...(operation.method === 'GET' ? [] : (['csrf_detected'] as const)),
  ...(operation.body ? (['body_too_slow', 'media_type_unsupported', 'body_too_large'] as const) : []),
  'rate_limited',
  'unavailable',
  'internal',
];

const headersOfError: Readonly<Record<number, Json>> = {
  401: refer('WWW-Authenticate', RENAMED),
  429: refer('Retry-After'),
  503: refer('Retry-After'),
};

/** Only a request that is refused for its content has a list of what is wrong in it. */
const bodyOf = (codes: readonly ErrorCode[]): Json => {
  const names = new Set(codes.map((code) => (code === 'bad_request' ? 'InvalidRequest' : 'Error')));
  const [schema = {}, ...others] = [...names].map((name): Json => ({ $ref: REF + name }));
  return others.length > 0 ? { anyOf: [schema, ...others] } : schema;
};

const errorResponse = (status: number, codes: readonly ErrorCode[]): Json => ({
  description: codes.map((code) => `\`${code}\`: ${en.errorTexts[code]}`).join('; '),
  headers: { ...commonHeaders, ...refer('X-Error-Code'), ...headersOfError[status] },
  content: { 'application/json': { schema: bodyOf(codes) } },
});

type Codes = readonly [ErrorCode, ...ErrorCode[]];
/** The answers that many operations have with the same meaning, each with the codes that it may have. */
const shared: readonly Codes[] = [
  ...([['bad_request'], ['credentials_invalid'], ['csrf_detected'], ['media_type_unsupported']] as const),
  ...([['body_too_large'], ['body_too_slow'], ['rate_limited'], ['unavailable'], ['internal']] as const),
  ...([['otp_setup_required'], ['forbidden', 'otp_setup_required']] as const),
  ['forbidden', 'otp_setup_required', 'csrf_detected'],
];
const nameOf = (codes: readonly ErrorCode[]): string => codes.join('_or_');
/** Those answers, as components. */
export const responses = (): Json =>
  Object.fromEntries(shared.map((codes) => [nameOf(codes), errorResponse(errors[codes[0]], codes)]));

/** The errors that an operation may answer with, by status. */
export const errorResponses = (operation: Operation): Json => {
  const codes = [...new Set([...(operation.errors ?? []), ...commonErrors(operation)])];
  const statuses = [...new Set(codes.map((code) => errors[code]))].sort((a, b) => a - b);
  const entry = (status: number): Json => {
    const own = codes.filter((code) => errors[code] === status);
    const isShared = shared.some((codes) => nameOf(codes) === nameOf(own));
    return isShared ? { $ref: `#/components/responses/${nameOf(own)}` } : errorResponse(status, own);
  };
  return Object.fromEntries(statuses.map((status) => [String(status), entry(status)]));
};
