import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { APIGatewayProxyEvent, APIGatewayProxyResult } from 'aws-lambda';
import { groups } from '#functions/index.ts';
import type { Route } from '#shared/api/http/router.ts';
import { type ApiName, timeoutOf } from '#shared/api/operation.ts';
import type { ApiHandler } from '#shared/api/serve.ts';
import type { Clock } from '../clock.ts';
import { lambdaContext } from '../lambda/invocation.ts';
import type { Bodies } from './bodies.ts';
import type { RequestHandler } from './http-server.ts';

const timeouts = new Map<string, number>(groups.map((group) => [group.name, timeoutOf(group)]));

export const multiValues = (pairs: Iterable<readonly [string, string]>): Record<string, string[]> => {
  const all: Record<string, string[]> = Object.create(null);
  for (const [name, value] of pairs) all[name] = [...(all[name] ?? []), value];
  return { ...all };
};
const lastValues = (all: Record<string, string[]>): Record<string, string> =>
  Object.fromEntries(Object.entries(all).map(([name, values]) => [name, values.at(-1) ?? '']));

const pairsOf = (raw: readonly string[]): [string, string][] =>
  raw.flatMap((name, at): [string, string][] => (at % 2 === 0 ? [[name, raw[at + 1] ?? '']] : []));

/**
 * Returns a request's headers. X-Forwarded-Proto from the caller is renamed, so it shows only that the request was
 * forwarded.
 */
export const sentHeaders = ({ rawHeaders }: Pick<IncomingMessage, 'rawHeaders'>): [string, string][] =>
  pairsOf(rawHeaders).map(([name, value]) => [
    name.toLowerCase() === 'x-forwarded-proto' ? 'X-Original-Forwarded-Proto' : name,
    value,
  ]);

/**
 * Converts a request to a Lambda proxy integration event, with the body in base64. `protocol` becomes
 * X-Forwarded-Proto.
 */
export const toEvent = (
  request: IncomingMessage,
  { url, route, body }: { url: URL; route: Route; body: Buffer },
  now: number,
  protocol: 'http' | 'https' = 'http',
): APIGatewayProxyEvent => {
  const headers = multiValues([...sentHeaders(request), ['X-Forwarded-Proto', protocol]]);
  const query = multiValues(url.searchParams);
  const httpMethod = request.method ?? 'GET';
  const identity = { sourceIp: request.socket.remoteAddress ?? '', userAgent: request.headers['user-agent'] ?? null };
  return {
    resource: route.resource,
    path: url.pathname,
    httpMethod,
    headers: lastValues(headers),
    multiValueHeaders: headers,
    queryStringParameters: url.search ? lastValues(query) : null,
    multiValueQueryStringParameters: url.search ? query : null,
    pathParameters: route.pathParameters,
    stageVariables: null,
    requestContext: {
      resourcePath: route.resource,
      httpMethod,
      path: url.pathname,
      stage: 'local',
      requestId: randomUUID(),
      requestTimeEpoch: now,
      protocol: 'HTTP/1.1',
      identity,
    } as APIGatewayProxyEvent['requestContext'],
    body: body.length > 0 ? body.toString('base64') : null,
    isBase64Encoded: body.length > 0,
  };
};

/** Sends a Lambda proxy integration response. */
export const send = (
  response: ServerResponse,
  { statusCode, headers, multiValueHeaders, body, isBase64Encoded }: APIGatewayProxyResult,
) => {
  for (const [name, value] of Object.entries({ ...headers, ...multiValueHeaders }))
    response.setHeader(name, value as string | string[]);
  response.statusCode = statusCode;
  response.end(isBase64Encoded ? Buffer.from(body, 'base64') : body);
};

const ORIGIN = 'http://localhost';
/**
 * Parses a request target: a path, or a full URL like those clients send to a proxy. An invalid target is treated as an
 * unknown path.
 */
export const targetOf = (target = '/'): URL => {
  const text = target.startsWith('/') ? `${ORIGIN}${target}` : target;
  return /^https?:/i.test(text) && URL.canParse(text) ? new URL(text) : new URL(ORIGIN);
};

type Options = {
  router: (path: string) => Route;
  handlers: ReadonlyMap<string, ApiHandler>;
  bodies: Bodies;
  /** Whether a request may have a body of up to 1 MiB. */
  mayBeLarge: (request: IncomingMessage, resource: string) => Promise<boolean>;
  /** Resolves when the request may proceed. Under load, device messages are delayed. */
  backpressure: (request: IncomingMessage, route: Route) => Promise<void>;
  protocol: 'http' | 'https';
  clock: Clock;
  /** Called with the API, the status and the duration (ms) after each request that reached a handler. */
  onCall: (api: ApiName, status: number, ms: number) => void;
};

/**
 * Creates this host's counterpart to API Gateway: every request becomes an event for the handler of the operation
 * group.
 */
export const createApi =
  ({ router, handlers, bodies, mayBeLarge, backpressure, protocol, clock, onCall }: Options): RequestHandler =>
  async (request) => {
    const start = clock.now();
    const url = targetOf(request.url);
    const route = router(url.pathname);
    const handler = handlers.get(route.group);
    const timeoutSeconds = timeouts.get(route.group);
    if (!handler || timeoutSeconds === undefined) throw new Error(`no group ${route.group}`);
    await backpressure(request, route);
    const body = await bodies.read(request, () => mayBeLarge(request, route.resource));
    const context = lambdaContext({ functionName: route.group, timeoutSeconds, clock });
    const answer = await handler(toEvent(request, { url, route, body }, clock.now(), protocol), context);
    return (response) => {
      send(response, answer);
      onCall(route.group === 'devices' ? 'devices' : 'apps', answer.statusCode, clock.now() - start);
    };
  };
