import middy from '@middy/core';
import type { Context } from 'aws-lambda';
import { endable, endWork } from '../concurrency/endable.ts';
import { BASE_PATH } from '../domain/base-path.ts';
import { bestLocale } from '../domain/identity/locale.ts';
import { inContext, withContext } from '../observability/log.ts';
import { unmeasured } from '../observability/metrics.ts';
import { compose, type Runtime } from '../runtime/deps.ts';
import { notedTable } from '../store/engine/noted-table.ts';
import { createDeviceRates } from './device/device-rates.ts';
import { ApiError, type ErrorCode, refuse } from './errors.ts';
import { addressOf } from './http/address.ts';
import { preflightHeaders } from './http/cors.ts';
import {
  type APIGatewayProxyEvent,
  type APIGatewayProxyResult,
  type ApiContext,
  type ApiMiddleware,
  type ApiRequest,
  header,
  newExchange,
  operationOf,
  requestIdOf,
} from './http/exchange.ts';
import { decorate, explain } from './middleware/answer.ts';
import { authenticate } from './middleware/authenticate.ts';
import { authorise } from './middleware/authorise.ts';
import { checkCsrf } from './middleware/csrf.ts';
import type { Guard } from './middleware/guard.ts';
import { checkMedia, findCustomer, readInput } from './middleware/input.ts';
import { checkRate, countAddress } from './middleware/rate-limit.ts';
import {
  apiOf,
  type Call,
  type Group,
  type Handlers,
  headersOfPublished,
  isAudited,
  type Operation,
  Reply,
  resourceOf,
} from './operation.ts';
import { createSuspects } from './suspects.ts';

export type ApiHandler = (event: APIGatewayProxyEvent, context: Context) => Promise<APIGatewayProxyResult>;
/**
 * Any handler. It is a method, of which the compiler compares parameters either way: what a handler is called with was
 * parsed by the schemas of its own contract.
 */
type Act = { act(call: unknown, deps: unknown): Promise<unknown> }['act'];

/** Where the console is from the beginning of the service and of the API: relative, because something may be before it. */
const consoles: Readonly<Record<string, string>> = {
  '/': `${BASE_PATH.slice(1)}/console`,
  [BASE_PATH]: `${BASE_PATH.split('/').at(-1)}/console`,
  [`${BASE_PATH}/`]: 'console',
};
/** Where a browser goes that asks for an address without a page; undefined for everything else. */
const consoleFrom = (event: APIGatewayProxyEvent): string | undefined => {
  const isBrowser = event.httpMethod === 'GET' && /\btext\/html\b/i.test(header(event, 'accept') ?? '');
  return isBrowser ? consoles[event.path] : undefined;
};

/**
 * Finds the operation of this group by the resource and method of API Gateway. It answers OPTIONS, and 404 or 405 if
 * there is no such operation. A preflight of a listed origin to a path that does not exist is answered too, so that its
 * page learns of the 404.
 */
const route =
  (
    operations: readonly (readonly [string, Operation])[],
    origins: readonly string[],
    strangers: (request: ApiRequest) => Promise<void>,
    finish: (request: ApiRequest) => Promise<void>,
  ) =>
  async (request: ApiRequest): Promise<APIGatewayProxyResult | undefined> => {
    const { event } = request;
    const { exchange } = request.context;
    exchange.locale = bestLocale(header(event, 'accept-language'));
    exchange.path = event.pathParameters ?? {};
    const atPath = operations.filter(([, operation]) => resourceOf(operation) === event.resource);
    const methods = atPath.map(([, { method }]) => method);
    exchange.allowed = [...methods, 'OPTIONS'];
    const [name, operation] = atPath.find(([, { method }]) => method === event.httpMethod) ?? [];
    if (name && operation) return void Object.assign(exchange, { name, operation });
    const answer = async (statusCode: number, headers: Record<string, string>) => {
      request.response = { statusCode, headers, body: '' };
      await finish(request);
      return request.response;
    };
    const allow = { Allow: exchange.allowed.join(', ') };
    // A browser asks by itself, before the call that counts.
    const preflight = preflightHeaders(origins, event, methods);
    if (preflight) return answer(204, { ...allow, ...preflight });
    await strangers(request);
    const toConsole = atPath.length === 0 ? consoleFrom(event) : undefined;
    if (toConsole !== undefined) return answer(302, { Location: toConsole });
    if (atPath.length === 0) throw new ApiError('path_unknown');
    if (event.httpMethod !== 'OPTIONS') throw new ApiError('method_not_allowed');
    return answer(204, allow);
  };

/**
 * Makes the body of an answer. It is parsed by its schema too, so that no undeclared field can leave. Bytes are encoded
 * in base64. Published content is already compressed, and is not parsed: it is made only of files and contracts of this
 * project.
 */
const bodyOf = ({ media, published, response }: Operation, answer: unknown) => {
  const parsed = published ? answer : response.parse(answer);
  if (!media && !published) return { body: JSON.stringify(parsed) };
  return { body: Buffer.from(parsed as Uint8Array).toString('base64'), isBase64Encoded: true };
};

const toResult = (operation: Operation, answer: unknown): APIGatewayProxyResult => {
  const { body, more } = answer instanceof Reply ? answer : new Reply(answer, {});
  const { media, published, success, responseHeaders } = operation;
  const headers = { ...(published && headersOfPublished[published]), ...responseHeaders, ...more.headers };
  return {
    statusCode: more.status ?? success,
    headers: { ...(media && { 'Content-Type': media[0] }), ...headers },
    ...(more.cookies && { multiValueHeaders: { 'Set-Cookie': [...more.cookies] } }),
    ...(more.status === 304 ? { body: '' } : bodyOf(operation, body)),
  };
};

const fail = (code: ErrorCode, details = {}): never => {
  throw new ApiError(code, details);
};

const perform =
  (handlers: Readonly<Record<string, Act>>, dependencies: ReadonlyMap<string, Promise<unknown>>, runtime: Runtime) =>
  async (event: APIGatewayProxyEvent, context: ApiContext): Promise<APIGatewayProxyResult> => {
    const { exchange } = context;
    const handle = handlers[exchange.name];
    if (!handle) throw new Error(`no handler for ${exchange.name}`);
    const operation = operationOf({ context });
    const actAs: Call<Operation>['actAs'] = (actor, customerId) => {
      exchange.acting = { actor, customerId };
    };
    const call = { ...exchange, event, address: addressOf(event, runtime.settings), actAs, fail, refuse };
    const deps = await dependencies.get(exchange.name);
    const act = async () => toResult(operation, await handle(call, deps));
    if (!isAudited(operation)) return act();
    const { audited } = await import('./audit/audit.ts');
    return audited({ event, context }, runtime, act);
  };

/** Notes a refusal; if that fails, the answer is the error of the table. */
const refused =
  (runtime: Runtime) =>
  async (request: ApiRequest): Promise<void> => {
    const { error } = request;
    if (!(error instanceof ApiError) || !request.context.exchange.operation) return;
    const { noteRefusal } = await import('./audit/audit.ts');
    await noteRefusal(request, error, runtime).catch((failure: Error) => {
      request.error = failure;
    });
  };

/** Answers before Lambda ends the process. What is not done by then stays undone: the caller tries again. */
const late = {
  timeoutEarlyInMillis: 500,
  timeoutEarlyResponse: () => {
    endWork();
    return fail('unavailable', { waitSeconds: 2 });
  },
};

const build = (contract: Group, handlers: Readonly<Record<string, Act>>, runtime: Runtime): ApiHandler => {
  const { settings, log, now, metrics = unmeasured } = runtime;
  const inMemory = { rates: createDeviceRates(), suspects: createSuspects() };
  const guard: Guard = { store: runtime.createStore(runtime.table), settings, now, ...inMemory };
  const operations = Object.entries(contract.operations);
  const noting = { ...runtime, table: notedTable(runtime.table) };
  const dependencies = new Map(
    operations.map(([name, operation]) => [name, compose(isAudited(operation) ? noting : runtime, operation.uses)]),
  );
  // The operations of a group are all at one API.
  const api = operations.some(([, operation]) => apiOf(operation) === 'devices') ? 'devices' : 'apps';
  // The order of these checks decides which of several errors a caller sees.
  const middlewares: ApiMiddleware[] = [
    { after: decorate(guard.settings), onError: explain(guard.settings, log, metrics.measure) },
    { onError: refused(runtime) },
    { before: route(operations, guard.settings.CORS_ORIGINS, countAddress(guard, api), decorate(guard.settings)) },
    { before: authenticate(guard) },
    { before: checkCsrf(guard) },
    { before: checkRate },
    { before: authorise },
    { before: checkMedia },
    { before: readInput },
    { before: findCustomer(guard.store) },
  ];
  const handle = middy<APIGatewayProxyEvent, APIGatewayProxyResult, Error, ApiContext>(late)
    .use(middlewares)
    .handler(perform(handlers, dependencies, runtime));
  return (event, context) =>
    inContext({ requestId: requestIdOf({ event, context }), invocationId: context.awsRequestId }, () =>
      endable(() => handle(event, Object.assign(context, { exchange: newExchange() }))).finally(metrics.flush),
    );
};

/**
 * The handler of a group of operations, which turns events of API Gateway into results: `with` creates it for the
 * table, the queues and the clock of a host.
 */
export const serve = <const G extends Group>(contract: G, handlers: NoInfer<Handlers<G>>) => ({
  with: (runtime: Runtime): ApiHandler => build(contract, handlers, { ...runtime, log: withContext(runtime.log) }),
});
