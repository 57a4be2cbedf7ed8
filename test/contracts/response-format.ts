import type { Operation } from '#shared/api/operation.ts';
import type { Answer } from '../fixtures/client.ts';

const expected = {
  'cache-control': /^no-store$/,
  'x-content-type-options': /^nosniff$/,
  'strict-transport-security': /^max-age=\d+/,
  'x-ratelimit-limit': /^\d+$/,
  'x-ratelimit-remaining': /^\d+$/,
  'x-ratelimit-reset': /^\d+$/,
  'x-version-id': /^\S+$/,
  'x-request-id': /^\S+$/,
};

const cached = { 'cache-control': /^public, max-age=\d+/, vary: /^Accept-Encoding$/, etag: /^W\/"\S+"$/ };

const isText = (value: unknown): boolean => typeof value === 'string' && /\S/.test(value);
const keysOf = (value: unknown): string => Object.keys(Object(value)).sort().join(' ');

const faultIn = (fault: unknown): boolean => {
  const { path, message } = Object(fault) as { path: unknown; message: unknown };
  return keysOf(fault) !== 'message path' || typeof path !== 'string' || !isText(message);
};

const inError = ({ status, headers, body }: Answer): string[] => {
  const { message, statusCode, errors } = Object(body) as Record<string, unknown>;
  const keys = status === 400 ? 'errors message statusCode' : 'message statusCode';
  const faults = status === 400 && (!Array.isArray(errors) || errors.length === 0 || errors.some(faultIn));
  return [
    ...(headers.get('content-type')?.startsWith('application/json') ? [] : ['an error that is not application/json']),
    ...(keysOf(body) === keys ? [] : [`an error of ${keysOf(body) || 'nothing'} instead of ${keys}`]),
    ...(isText(message) ? [] : ['an error without a message']),
    ...(statusCode === status ? [] : [`statusCode ${statusCode} in a ${status}`]),
    ...(faults ? ['errors of a 400 that are not paths and messages'] : []),
  ];
};

/**
 * Returns how a response violates what D1 section 1 promises: the headers and the error format. Published responses may
 * be cached.
 */
export const responseFaults = (answer: Answer, method = 'GET', published?: Operation['published']): string[] => [
  ...Object.entries(published && answer.status < 400 && method === 'GET' ? { ...expected, ...cached } : expected)
    .filter(([name, pattern]) => !pattern.test(answer.headers.get(name) ?? ''))
    .map(([name]) => `${name}: ${answer.headers.get(name)}`),
  ...(answer.status < 400 || method === 'HEAD' ? [] : inError(answer)),
];
