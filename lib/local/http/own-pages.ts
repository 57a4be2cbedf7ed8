import { randomUUID } from 'node:crypto';
import type { APIGatewayProxyEvent, APIGatewayProxyResult } from 'aws-lambda';
import { ApiError } from '#shared/api/errors.ts';
import { isOnThisMachine, type TrustedProxy } from '#shared/api/http/address.ts';
import type { ApiHandler } from '#shared/api/serve.ts';
import { BASE_PATH } from '#shared/domain/base-path.ts';
import type { ServiceHealth } from '#shared/domain/service-health-view.ts';
import type { Clock } from '../clock.ts';
import { lambdaContext } from '../lambda/invocation.ts';
import type { ExportFolder } from './export-folder.ts';
import type { RequestHandler } from './http-server.ts';
import type { Prometheus } from './prometheus.ts';
import { multiValues, pairsOf, targetOf } from './server.ts';

/** The address that this host calls itself from. No caller has it, so none can use up its limit of calls. */
const SELF = '127.255.255.254';

type Handlers = ReadonlyMap<string, ApiHandler>;
type Headers = Record<string, string[]>;

const eventOf = (path: string, multiValueHeaders: Headers, sourceIp: string): APIGatewayProxyEvent => {
  const headers = Object.fromEntries(Object.entries(multiValueHeaders).map(([name, all]) => [name, all.at(-1) ?? '']));
  const requestContext = { identity: { sourceIp }, requestId: randomUUID() };
  return {
    httpMethod: 'GET',
    resource: path,
    path,
    headers,
    multiValueHeaders,
    requestContext,
    pathParameters: null,
    queryStringParameters: null,
    multiValueQueryStringParameters: null,
    body: null,
  } as unknown as APIGatewayProxyEvent;
};

/** Creates a function that reads from the API of this host as a caller does. */
export const createReader = (handlers: Handlers, clock: Clock) => {
  const read = async (
    group: string,
    path: string,
    headers: Headers,
    sourceIp: string,
  ): Promise<APIGatewayProxyResult> => {
    const handler = handlers.get(group);
    if (!handler) throw new Error(`no group ${group}`);
    const context = lambdaContext({ functionName: group, timeoutSeconds: 10, clock });
    return handler(eventOf(BASE_PATH + path, headers, sourceIp), context);
  };
  return {
    health: async (): Promise<ServiceHealth> => JSON.parse((await read('server', '/health', {}, SELF)).body),
    /** Throws unless the caller is a system admin, by the credentials of these headers. */
    demandAdmin: async (headers: Headers, sourceIp: string): Promise<void> => {
      const me = eventOf(`${BASE_PATH}/users/{userId}`, headers, sourceIp);
      const context = lambdaContext({ functionName: 'users', timeoutSeconds: 10, clock });
      const answer = await handlers.get('users')?.({ ...me, pathParameters: { userId: 'me' } }, context);
      if (answer?.statusCode === 429) throw new ApiError('rate_limited', { waitSeconds: 1 });
      if (answer?.statusCode !== 200)
        throw new ApiError(answer?.statusCode === 401 ? 'credentials_invalid' : 'unavailable');
      if (!JSON.parse(answer.body).isAdmin) throw new ApiError('forbidden');
    },
  };
};

type Options = {
  reader: ReturnType<typeof createReader>;
  prometheus: Prometheus;
  proxy: TrustedProxy;
  exported: Pick<ExportFolder, 'answer'>;
};

/**
 * Adds what this host alone answers: GET /metrics, for Prometheus, to callers on the machine itself and with a token of a
 * system admin; and the files of exports, which S3 answers in AWS, to whoever has the address of one.
 */
export const withOwnPages =
  ({ reader, prometheus, proxy, exported }: Options, api: RequestHandler): RequestHandler =>
  async (request, response) => {
    const target = targetOf(request.url);
    if (request.method === 'GET' && (await exported.answer(target, response))) return;
    if (request.method !== 'GET' || target.pathname !== '/metrics') return api(request, response);
    const headers = multiValues(pairsOf(request.rawHeaders));
    const sourceIp = request.socket.remoteAddress ?? '';
    if (!isOnThisMachine(eventOf('/metrics', headers, sourceIp), proxy)) await reader.demandAdmin(headers, sourceIp);
    const text = await prometheus.text();
    response.writeHead(200, { 'Content-Type': prometheus.contentType, 'Cache-Control': 'no-store' }).end(text);
  };
