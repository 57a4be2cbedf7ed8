import type { APIGatewayProxyEvent } from 'aws-lambda';
import type { Actor } from '#shared/domain/identity/audit.ts';
import type { Caller } from '#shared/domain/identity/permission.ts';
import type { Provisioner } from '#shared/domain/sensor/provisioning-key.ts';
import type { CallingDevice } from '#shared/domain/sensor/sensor.ts';
import { UNASSIGNED } from '#shared/domain/unassigned.ts';
import type { Operation } from '../operation.ts';

export type { APIGatewayProxyEvent, APIGatewayProxyResult } from 'aws-lambda';

/** The current rate limit, and whether this request exceeded it. `reset` is in whole seconds. */
export type Rate = { limit: number; remaining: number; reset: number; isExceeded: boolean };

/** The actor for the audit log. */
type Acting = { actor: Actor; customerId: number };

/** A request and what is known about it so far. Each check in `serve` fills in part of it. */
export type Exchange = {
  readonly event: APIGatewayProxyEvent;
  /** The id in the response and in all log lines for the request. */
  readonly requestId: string;
  /** The operation name and contract: '' and null until the operation is found. */
  name: string;
  operation: Operation | null;
  rate: Rate;
  locale: string;
  /** The methods available at the path, for a 405 response and for OPTIONS. */
  allowedMethods: readonly string[];
  caller: Caller | null;
  /** The account key of the caller, and the hash of the token sent. */
  accountKey: string;
  sessionHash: string;
  device: CallingDevice | null;
  provisioner: Provisioner | null;
  /** The actor and customer found by the handler, if the request has no known caller. */
  acting: Acting | null;
  /** The customer whose audit log records the request, if the handler chose a different one. */
  auditedUnder: number | null;
  /** The replaced values. The handler sets them if the first write does not show them. */
  auditedChange: { before: object; after: object } | null;
  /** Set-Cookie headers for the response, even for errors. */
  cookies: string[];
  /** The path parameters as sent, with `me` replaced by the caller's own id. */
  path: Readonly<Record<string, string | undefined>>;
  /** The parameters declared by the operation, parsed. */
  params: Record<string, unknown>;
  query: unknown;
  body: unknown;
  customerId: number;
};

/** Returns the exchange for a request about which nothing is known yet. */
export const newExchange = (event: APIGatewayProxyEvent, requestId: string): Exchange => ({
  event,
  requestId,
  name: '',
  operation: null,
  locale: 'en',
  allowedMethods: [],
  cookies: [],
  rate: { limit: 0, remaining: 0, reset: 0, isExceeded: false },
  caller: null,
  accountKey: '',
  sessionHash: '',
  device: null,
  provisioner: null,
  acting: null,
  auditedUnder: null,
  auditedChange: null,
  path: {},
  params: {},
  query: undefined,
  body: undefined,
  customerId: UNASSIGNED,
});

/** Returns a request header by lower-case name. */
export const header = (event: APIGatewayProxyEvent, name: string): string | undefined => {
  const found = Object.entries(event.headers ?? {}).find(([key]) => key.toLowerCase() === name);
  return found?.[1];
};

/** Returns all values of a header, which may have been sent several times. */
export const headerValues = (event: APIGatewayProxyEvent, name: string): readonly string[] =>
  Object.entries(event.multiValueHeaders ?? {}).flatMap(([key, values]) =>
    key.toLowerCase() === name ? (values ?? []) : [],
  );

/**
 * Whether the caller already has the response with this tag, according to the If-None-Match header.
 * https://www.rfc-editor.org/rfc/rfc9110#field.if-none-match
 */
export const matchesEtag = (event: APIGatewayProxyEvent, tag: string): boolean => {
  const known = header(event, 'if-none-match')?.trim();
  if (known === undefined) return false;
  return known === '*' || known.split(',').some((etag) => etag.trim().replace(/^W\//, '') === tag);
};

export const cookie = (event: APIGatewayProxyEvent, name: string): string | undefined =>
  headerValues(event, 'cookie')
    .flatMap((line) => line.split(';'))
    .map((pair) => pair.trim())
    .find((pair) => pair.startsWith(`${name}=`))
    ?.slice(name.length + 1);

export const operationOf = ({ operation }: Exchange): Operation => {
  if (!operation) throw new Error('no operation was routed');
  return operation;
};

/** Returns the bearer token: '' if the Authorization header has none, undefined if there is no such header. */
export const bearerToken = ({ event }: Pick<Exchange, 'event'>): string | undefined => {
  const value = header(event, 'authorization');
  return value === undefined ? undefined : (/^Bearer (\S(?:.{0,1022}\S)?)$/i.exec(value)?.[1] ?? '');
};
