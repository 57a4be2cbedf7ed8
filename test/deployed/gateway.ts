import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { APIGatewayProxyEvent, APIGatewayProxyResult } from 'aws-lambda';
import { groups } from '#functions/index.ts';
import { closerOf } from '#lib/local/http/connections.ts';
import { createRouter } from '#lib/local/http/router.ts';
import { send, targetOf, toEvent } from '#lib/local/http/server.ts';
import { apiOf, type Group } from '#shared/api/operation.ts';
import { BASE_PATH } from '#shared/domain/base-path.ts';
import type { Account } from './account.ts';
import type { DeployedFunction } from './functions.ts';
import { type Api, apisOf, type Found, findRoute, permissionsOf, sourceOf } from './routes.ts';

/** https://docs.aws.amazon.com/apigateway/latest/developerguide/limits.html */
const MOST_BYTES = 10 * 1_024 * 1_024;

// Receivers of tests are on this machine's loopback, which no Lambda may call. To the account the machine has another
// address, of as many characters: bodies name it on their way in, and loopback on their way out.
const OURS = /\/\/127\.0\.0\.1:/g;
const THEIRS = /\/\/10\.77\.0\.1:/g;
/** Gives a text with the address of this machine as the account sees it. */
export const seenThere = (text: string): string => text.replaceAll(OURS, '//10.77.0.1:');
const seenFromAccount = (body: Buffer): Buffer => Buffer.from(seenThere(body.toString('latin1')), 'latin1');
const seenFromHere = (result: APIGatewayProxyResult): APIGatewayProxyResult =>
  result.isBase64Encoded ? result : { ...result, body: result.body.replaceAll(THEIRS, '//127.0.0.1:') };

/** Bodies of these types are text to an HTTP API; what is no UTF-8 in them is lost. */
const isText = (type = ''): boolean => /^(text\/|application\/(json|javascript|xml)\b)/i.test(type);

const eventAt = (
  api: Api,
  request: IncomingMessage,
  { url, route, body }: { url: URL; route: Found; body: Buffer },
  now: number,
): APIGatewayProxyEvent => {
  const event = toEvent(request, { url, route, body: seenFromAccount(body) }, now);
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

/** What an API answers without a function. */
const own = (response: ServerResponse, statusCode: number, message: string): void =>
  void response.writeHead(statusCode, { 'Content-Type': 'application/json' }).end(JSON.stringify({ message }));

type Options = {
  account: Account;
  functions: ReadonlyMap<string, DeployedFunction>;
  now: () => number;
  onError: (error: unknown) => void;
};

type Known = { kind: Api['kind']; methods: readonly string[] };

const answerAt = (api: Api, { account, functions, now, onError }: Options) => {
  const isAllowed = new Map<string, boolean>();
  const may = (lambda: string, source: string): boolean => {
    const known = isAllowed.get(source);
    if (known !== undefined) return known;
    const permissions = permissionsOf(account, 'apigateway.amazonaws.com', lambda, source);
    const found = permissions.some((id) => api.waitsFor?.includes(id) ?? true);
    isAllowed.set(source, found);
    return found;
  };
  return async (request: IncomingMessage, response: ServerResponse, { methods }: Known): Promise<void> => {
    const url = targetOf(request.url);
    const method = request.method ?? 'GET';
    const body = Buffer.concat(await request.toArray());
    if (body.length > MOST_BYTES) return own(response, 413, 'Request Entity Too Large');
    const route = api.stage === undefined ? undefined : findRoute(api, method, url.pathname);
    if (!route) return own(response, api.kind === 'rest' ? 403 : 404, 'Not Found');
    const lambda = functions.get(route.lambda);
    try {
      if (!lambda) throw new Error(`${route.resource} leads to ${route.lambda}, which is no function`);
      // What takes any method at a path answers an operation too, but without what API Gateway does for its own route.
      if (methods.includes(method) && !route.isOwn)
        throw new Error(`${method} ${url.pathname} has no route of its own`);
      const source = sourceOf(api, method, route.resource);
      if (!may(route.lambda, source)) throw new Error(`${lambda.name} may not be invoked by ${source} when it serves`);
      const result = await lambda.invoke(eventAt(api, request, { url, route, body }, now()));
      send(response, seenFromHere(result as APIGatewayProxyResult));
    } catch (error) {
      onError(error);
      own(response, api.kind === 'rest' ? 502 : 500, 'Internal server error');
    }
  };
};

/** What callers know of a path from the description of the service: its API, and the methods that it has there. */
const knownPaths = () => {
  const router = createRouter(groups);
  const all = groups.flatMap(({ operations }: Group) => Object.values(operations));
  const byPath = Map.groupBy(all, ({ path }) => BASE_PATH + path);
  return (path: string): Known => {
    const operations = byPath.get(router(path).resource) ?? [];
    const isOfDevices = operations.some((operation) => apiOf(operation) === 'devices');
    return { kind: isOfDevices ? 'http' : 'rest', methods: operations.map(({ method }) => method) };
  };
};

/**
 * Both APIs of an account under one address: a caller takes the one that the contracts name for a path, and there only
 * the routes of the template lead anywhere.
 */
export const startGateway = async () => {
  const opened = Promise.withResolvers<Record<Api['kind'], ReturnType<typeof answerAt>>>();
  const know = knownPaths();
  const server = createServer(async (request, response) => {
    const known = know(targetOf(request.url).pathname);
    const answers = await opened.promise;
    answers[known.kind](request, response, known).catch(() => response.destroy());
  });
  const stop = closerOf(server);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    open: (options: Options): void => {
      const apis = apisOf(options.account);
      opened.resolve({ rest: answerAt(apis.rest, options), http: answerAt(apis.http, options) });
    },
    stop,
  };
};
