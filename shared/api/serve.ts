import middy, { type MiddlewareObj } from '@middy/core';
import type { APIGatewayProxyEvent, APIGatewayProxyResult, Context } from 'aws-lambda';
import { endWork, runEndable } from '../concurrency/endable-work.ts';
import { BASE_PATH } from '../domain/base-path.ts';
import { bestLocale } from '../domain/identity/language.ts';
import { contextual, withLogContext } from '../observability/log.ts';
import { noMetrics } from '../observability/metrics.ts';
import { composeDeps, type Runtime } from '../runtime/deps.ts';
import { auditedTable } from '../store/engine/audited-table.ts';
import { CSV_TYPE } from './csv.ts';
import { createDeviceRates } from './device/device-rates.ts';
import { ApiError, type ErrorCode, refuse } from './errors.ts';
import { addressOf } from './http/address.ts';
import { preflightHeaders } from './http/cors.ts';
import { type Exchange, header, newExchange, operationOf } from './http/exchange.ts';
import { authenticate } from './middleware/authenticate.ts';
import { authorise } from './middleware/authorise.ts';
import { checkCsrf, checkOneAuthorization } from './middleware/csrf.ts';
import type { Guard } from './middleware/guard.ts';
import { checkMedia, findCustomer, readInput } from './middleware/input.ts';
import { checkRate, countUnrouted } from './middleware/rate-limit.ts';
import { RETRY_AFTER_SECONDS, responseTo, withBaseHeaders } from './middleware/response.ts';
import {
  type Call,
  type Group,
  type Handlers,
  isAudited,
  type Operation,
  publishedHeaders,
  Reply,
  resourceOf,
} from './operation.ts';
import { createSuspectAccounts } from './suspect-accounts.ts';

export type ApiHandler = (event: APIGatewayProxyEvent, context: Context) => Promise<APIGatewayProxyResult>;

/** The console address, relative to the service and to the API, because a proxy may add a prefix. */
const consoles: Readonly<Record<string, string>> = {
  '/': `${BASE_PATH.slice(1)}/console`,
  [BASE_PATH]: `${BASE_PATH.split('/').at(-1)}/console`,
  [`${BASE_PATH}/`]: 'console',
};
/** Returns the redirect for a browser opening the service itself, or undefined for any other request. */
const consoleFrom = (event: APIGatewayProxyEvent): string | undefined => {
  const isBrowser = event.httpMethod === 'GET' && /\btext\/html\b/i.test(header(event, 'accept') ?? '');
  return isBrowser ? consoles[event.path] : undefined;
};

/**
 * Finds the operation for a request based on the API Gateway resource and method. If there is none, returns the OPTIONS
 * response or the redirect to the console, or fails the request with 404, 405 or 429. A preflight from a listed origin
 * succeeds even for a path that does not exist, so the page sees the 404 response.
 */
const route = async (contract: Group, guard: Guard, exchange: Exchange): Promise<APIGatewayProxyResult | null> => {
  const { event } = exchange;
  exchange.locale = bestLocale(header(event, 'accept-language'));
  exchange.path = event.pathParameters ?? {};
  const atPath = Object.entries(contract.operations).filter(
    ([, operation]) => resourceOf(operation) === event.resource,
  );
  const methods = atPath.map(([, { method }]) => method);
  exchange.allowedMethods = [...methods, 'OPTIONS'];
  const [name, operation] = atPath.find(([, { method }]) => method === event.httpMethod) ?? [];
  if (name && operation) {
    exchange.name = name;
    exchange.operation = operation;
    return null;
  }
  const allow = { Allow: exchange.allowedMethods.join(', ') };
  // Preflights are not counted, because browsers send them in addition to the actual request.
  const preflight = preflightHeaders(guard.settings.CORS_ORIGINS, event, methods);
  if (preflight) return { statusCode: 204, headers: { ...allow, ...preflight }, body: '' };
  await countUnrouted(guard, exchange);
  checkRate(exchange);
  const toConsole = atPath.length === 0 ? consoleFrom(event) : undefined;
  if (toConsole !== undefined) return { statusCode: 302, headers: { Location: toConsole }, body: '' };
  if (atPath.length === 0) throw new ApiError('path_unknown');
  if (event.httpMethod !== 'OPTIONS') throw new ApiError('method_not_allowed');
  return { statusCode: 204, headers: allow, body: '' };
};

/**
 * Returns the response body, parsed with the response schema so that no undeclared field can leak. Bytes are encoded in
 * base64. Published content is already compressed, and it is not parsed, because it consists of files and contracts
 * from this project.
 */
const bodyOf = ({ media, orCsv, published, response }: Operation, answer: unknown) => {
  if (orCsv && typeof answer === 'string') return { body: answer };
  const parsed = published ? answer : response.parse(answer);
  if (!media && !published) return { body: JSON.stringify(parsed) };
  return { body: Buffer.from(parsed as Uint8Array).toString('base64'), isBase64Encoded: true };
};

const toResult = (operation: Operation, answer: unknown): APIGatewayProxyResult => {
  const { body, init } = answer instanceof Reply ? answer : new Reply(answer, {});
  const { media, orCsv, published, success, responseHeaders } = operation;
  const type = orCsv && typeof body === 'string' ? CSV_TYPE : media?.[0];
  const headers = { ...(published && publishedHeaders[published]), ...responseHeaders, ...init.headers };
  return {
    statusCode: init.status ?? success,
    headers: { ...(type && { 'Content-Type': type }), ...headers },
    ...(init.cookies && { multiValueHeaders: { 'Set-Cookie': [...init.cookies] } }),
    ...(init.status === 304 ? { body: '' } : bodyOf(operation, body)),
  };
};

const fail = (code: ErrorCode, details = {}): never => {
  throw new ApiError(code, details);
};

/** A handler for any operation. The contract defines the parameters: see `Handlers`. */
type AnyHandler = (call: never, deps: never) => Promise<unknown>;

/** Calls the handler with what the contract declares, and audits changes. */
const perform = async (
  handle: AnyHandler,
  dependencies: Promise<unknown> | undefined,
  exchange: Exchange,
  runtime: Runtime,
): Promise<APIGatewayProxyResult> => {
  const operation = operationOf(exchange);
  const actAs: Call<Operation>['actAs'] = (actor, customerId) => {
    exchange.acting = { actor, customerId };
  };
  const auditUnder: Call<Operation>['auditUnder'] = (customerId) => {
    exchange.auditedUnder = customerId;
  };
  const auditChange: Call<Operation>['auditChange'] = (before, after) => {
    exchange.auditedChange = { before, after };
  };
  const audited: Call<Operation>['audited'] = async (run) => {
    const { withAudit } = await import('./audit/audit.ts');
    return withAudit(exchange, runtime, run);
  };
  const address = addressOf(exchange.event, runtime.settings);
  const call = { ...exchange, address, actAs, auditUnder, auditChange, audited, fail, refuse };
  const deps = await dependencies;
  const act = async () => toResult(operation, await handle(call as never, deps as never));
  return isAudited(operation) && operation.method !== 'GET' ? audited(act) : act();
};

/** Ends the work with 503 before Lambda ends the process. The remaining work is not done, and the caller retries. */
const early = {
  timeoutEarlyInMillis: 500,
  timeoutEarlyResponse: () => {
    endWork();
    return fail('unavailable', { waitSeconds: RETRY_AFTER_SECONDS });
  },
};

/**
 * Audits a refusal. Returns the error for the response: `error`, or the table error if the refusal could not be
 * recorded.
 */
const auditRefusal = async (error: Error, exchange: Exchange, runtime: Runtime): Promise<Error> => {
  if (!(error instanceof ApiError) || !exchange.operation) return error;
  const { recordRefusal } = await import('./audit/audit.ts');
  return recordRefusal(exchange, error, runtime).then(
    () => error,
    (failure: Error) => failure,
  );
};

/** The value that passes through middy is the exchange: the request, and what is known about it so far. */
type Check = (exchange: Exchange) => unknown;
const before = (check: Check): MiddlewareObj<Exchange, APIGatewayProxyResult> => ({
  before: async ({ event: exchange }) => {
    await check(exchange);
  },
});

const build = (contract: Group, handlers: Readonly<Record<string, AnyHandler>>, runtime: Runtime): ApiHandler => {
  const { settings, log, now, metrics = noMetrics } = runtime;
  const inMemory = { rates: createDeviceRates(), suspects: createSuspectAccounts() };
  const guard: Guard = { store: runtime.createStore(runtime.table), settings, now, ...inMemory };
  const auditing = { ...runtime, table: auditedTable(runtime.table) };
  const dependencies = new Map(
    Object.entries(contract.operations).map(([name, operation]) => [
      name,
      composeDeps(isAudited(operation) ? auditing : runtime, operation.uses),
    ]),
  );

  const respond = middy<Exchange, APIGatewayProxyResult>(early)
    .onError(async ({ event: exchange, error }) =>
      responseTo(exchange, await auditRefusal(error ?? new Error('unknown'), exchange, runtime), log, metrics.measure),
    )
    .before(async ({ event: exchange }) => (await route(contract, guard, exchange)) ?? undefined)
    // The order of these checks decides which of several errors a caller sees.
    .use([
      before((exchange) => checkOneAuthorization(guard, exchange)),
      before((exchange) => authenticate(guard, exchange)),
      before((exchange) => checkCsrf(guard, exchange)),
      before(checkRate),
      before(authorise),
      before(checkMedia),
      before(readInput),
      before((exchange) => findCustomer(guard.store, exchange)),
    ])
    .handler((exchange) => {
      const handle = handlers[exchange.name];
      if (!handle) throw new Error(`no handler for ${exchange.name}`);
      return perform(handle, dependencies.get(exchange.name), exchange, runtime);
    });

  return (event, context) => {
    const exchange = newExchange(event, event.requestContext?.requestId ?? context.awsRequestId);
    return withLogContext({ requestId: exchange.requestId, invocationId: context.awsRequestId }, () =>
      runEndable(async () => withBaseHeaders(settings, exchange, await respond(exchange, context))).finally(
        metrics.flush,
      ),
    );
  };
};

/** Returns the Lambda handler for an operation group. `with` creates it with a host's table, queues and clock. */
export const serve = <const G extends Group>(contract: G, handlers: NoInfer<Handlers<G>>) => ({
  with: (runtime: Runtime): ApiHandler => build(contract, handlers, { ...runtime, log: contextual(runtime.log) }),
});
