import { type ErrorCode, errors } from '../errors.ts';
import * as en from '../messages/en.ts';
import type { Operation } from '../operation.ts';
import { commonHeaders, RENAMED, refer } from './headers.ts';
import { type Json, REF } from './schemas.ts';

/** Can the operation answer 403: because of its permission, or because of a customer in its query? */
const isForbidding = (operation: Operation): boolean =>
  'may' in operation && (operation.may !== 'logged_in' || 'customerId' in (operation.query?.shape ?? {}));

/**
 * Gives the errors that an operation may answer with without declaring them. Every operation can refuse a repeated
 * header with a 400.
 */
const commonErrors = (operation: Operation): (keyof typeof errors)[] => [
  'bad_request',
  ...(['anyone', 'optional'].includes(operation.auth) ? [] : (['credentials_invalid'] as const)),
  ...(isForbidding(operation) ? (['forbidden'] as const) : []),
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

const errorResponse = (status: number, codes: readonly ErrorCode[]): Json => ({
  description: codes.map((code) => `\`${code}\`: ${en.errorTexts[code]}`).join('; '),
  headers: { ...commonHeaders, ...refer('X-Error-Code'), ...headersOfError[status] },
  content: { 'application/json': { schema: { $ref: `${REF}${status === 400 ? 'InvalidRequest' : 'Error'}` } } },
});

/** The answers that most operations have with the same meaning. */
const shared: readonly ErrorCode[] = [
  ...(['bad_request', 'credentials_invalid', 'forbidden', 'csrf_detected', 'media_type_unsupported'] as const),
  ...(['body_too_large', 'body_too_slow', 'rate_limited', 'unavailable', 'internal'] as const),
];
/** Those answers, as components. */
export const responses = (): Json =>
  Object.fromEntries(shared.map((code) => [code, errorResponse(errors[code], [code])]));

/** The errors that an operation may answer with, by status. */
export const errorResponses = (operation: Operation): Json => {
  const codes = [...new Set([...(operation.errors ?? []), ...commonErrors(operation)])];
  const statuses = [...new Set(codes.map((code) => errors[code]))].sort((a, b) => a - b);
  const entry = (status: number): Json => {
    const [first, ...others] = codes.filter((code) => errors[code] === status);
    if (first && others.length === 0 && shared.includes(first)) return { $ref: `#/components/responses/${first}` };
    return errorResponse(status, first ? [first, ...others] : []);
  };
  return Object.fromEntries(statuses.map((status) => [String(status), entry(status)]));
};
