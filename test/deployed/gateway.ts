import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { APIGatewayProxyEvent, APIGatewayProxyResult } from 'aws-lambda';
import { groups } from '#functions/index.ts';
import { createCloser } from '#lib/local/http/connections.ts';
import { send, targetOf, toEvent } from '#lib/local/http/server.ts';
import { createRouter } from '#shared/api/http/router.ts';
import { apiOf, type Group } from '#shared/api/operation.ts';
import { BASE_PATH } from '#shared/domain/base-path.ts';
import type { Account } from './account.ts';
import type { DeployedFunction } from './functions.ts';
import { loadBalancerOf } from './load-balancer.ts';
import { type Api, apisOf, type Found, findRoute, permissionsOf, sourceOf } from './routes.ts';

/** https://docs.aws.amazon.com/apigateway/latest/developerguide/limits.html */
const MAX_BYTES = 10 * 1_024 * 1_024;

// Test receivers listen on this machine's loopback interface, which Lambda functions cannot reach. The account knows
// this machine by another address of the same length. Bodies are translated on the way in and out.
const LOOPBACK = /\/\/127\.0\.0\.1:/g;
const IN_ACCOUNT = /\/\/10\.77\.0\.1:/g;

/** Returns a string with this machine's address replaced by the one used in the account. */
export const toAccountAddress = (text: string): string => text.replaceAll(LOOPBACK, '//10.77.0.1:');
const translateRequest = (body: Buffer): Buffer => Buffer.from(toAccountAddress(body.toString('latin1')), 'latin1');
const translateResponse = (result: APIGatewayProxyResult): APIGatewayProxyResult =>
  result.isBase64Encoded ? result : { ...result, body: result.body.replaceAll(IN_ACCOUNT, '//127.0.0.1:') };

/** Whether an HTTP API passes bodies with this content type as text, which loses bytes that are not UTF-8. */
const isText = (type = ''): boolean => /^(text\/|application\/(json|javascript|xml)\b)/i.test(type);

const eventAt = (
  api: Api,
  request: IncomingMessage,
  { url, route, body }: { url: URL; route: Found; body: Buffer },
  now: number,
): APIGatewayProxyEvent => {
  const event = toEvent(request, { url, route, body: translateRequest(body) }, now);
  const https = {
    headers: { ...event.headers, 'X-Forwarded-Proto': 'https' },
    multiValueHeaders: { ...event.multiValueHeaders, 'X-Forwarded-Proto': ['https'] },
    requestContext: { ...event.requestContext, stage: api.stage ?? '' },
  };
  if (api.kind === 'rest' || event.body === null || !isText(request.headers['content-type']))
    return { ...event, ...https };
  const text = Buffer.from(event.body, 'base64').toString('utf8');
  return { ...event, ...https, body: text, isBase64Encoded: false };
};

/** Sends a response from the API itself. */
const respond = (response: ServerResponse, statusCode: number, message: string): void =>
  void response.writeHead(statusCode, { 'Content-Type': 'application/json' }).end(JSON.stringify({ message }));

type Options = {
  account: Account;
  functions: ReadonlyMap<string, DeployedFunction>;
  now: () => number;
  onError: (error: unknown) => void;
};

type KnownPath = { kind: Api['kind']; methods: readonly string[] };

const answerAt = (api: Api, { account, functions, now, onError }: Options) => {
  const isAllowed = new Map<string, boolean>();
  const may = (lambda: string, source: string): boolean => {
    const known = isAllowed.get(source);
    if (known !== undefined) return known;
    const permissions = permissionsOf(account, 'apigateway.amazonaws.com', lambda, source);
    const found = permissions.some((id) => api.permissionsBefore?.includes(id) ?? true);
    isAllowed.set(source, found);
    return found;
  };
  return async (request: IncomingMessage, response: ServerResponse, { methods }: KnownPath): Promise<void> => {
    const url = targetOf(request.url);
    const method = request.method ?? 'GET';
    const body = Buffer.concat(await request.toArray());
    if (body.length > MAX_BYTES) return respond(response, 413, 'Request Entity Too Large');
    const route = api.stage === undefined ? undefined : findRoute(api, method, url.pathname);
    if (!route) return respond(response, api.kind === 'rest' ? 403 : 404, 'Not Found');
    const lambda = functions.get(route.lambda);
    try {
      if (!lambda) throw new Error(`${route.resource} leads to ${route.lambda}, which is not a function`);
      // The route for any method would respond too, but without what API Gateway does for the operation's own route.
      if (methods.includes(method) && !route.isOwn) throw new Error(`${method} ${url.pathname} has no separate route`);
      const source = sourceOf(api, method, route.resource);
      if (!may(route.lambda, source))
        throw new Error(`${lambda.name} may not be invoked by ${source} when the API is deployed`);
      const result = await lambda.invoke(eventAt(api, request, { url, route, body }, now()));
      send(response, translateResponse(result as APIGatewayProxyResult));
    } catch (error) {
      onError(error);
      respond(response, api.kind === 'rest' ? 502 : 500, 'Internal server error');
    }
  };
};

/** Returns what the contracts state about a path: its API and methods. */
const knownPaths = () => {
  const router = createRouter(groups);
  const all = groups.flatMap(({ operations }: Group) => Object.values(operations));
  const byPath = Map.groupBy(all, ({ path }) => BASE_PATH + path);
  return (path: string): KnownPath => {
    const operations = byPath.get(router(path).resource) ?? [];
    const isOfDevices = operations.some((operation) => apiOf(operation) === 'devices');
    return { kind: isOfDevices ? 'http' : 'rest', methods: operations.map(({ method }) => method) };
  };
};

/**
 * Starts an account's APIs and load balancer at one address. The contracts decide which API a path belongs to, and the
 * template routes decide where it leads.
 */
export const startGateway = async () => {
  const opened = Promise.withResolvers<Record<Api['kind'], ReturnType<typeof answerAt>>>();
  const know = knownPaths();
  const server = createServer(async (request, response) => {
    const known = know(targetOf(request.url).pathname);
    const answers = await opened.promise;
    answers[known.kind](request, response, known).catch(() => response.destroy());
  });
  const stop = createCloser(server);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    open: (options: Options): void => {
      const apis = apisOf(options.account);
      // Devices call the load balancer, if the stage has one.
      const balancer = loadBalancerOf({ ...options, translate: translateRequest });
      opened.resolve({ rest: answerAt(apis.rest, options), http: balancer ?? answerAt(apis.http, options) });
    },
    stop,
  };
};
