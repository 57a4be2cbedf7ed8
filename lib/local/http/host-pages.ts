import { randomUUID } from 'node:crypto';
import type { APIGatewayProxyEvent, APIGatewayProxyResult } from 'aws-lambda';
import { ApiError } from '#shared/api/errors.ts';
import { mayReadDetails } from '#shared/api/http/address.ts';
import type { ApiHandler } from '#shared/api/serve.ts';
import { BASE_PATH } from '#shared/domain/base-path.ts';
import type { Clock } from '../clock.ts';
import { lambdaContext } from '../lambda/invocation.ts';
import type { ExportFolder } from './export-folder.ts';
import type { RequestHandler } from './http-server.ts';
import type { Prometheus } from './prometheus.ts';
import { multiValues, sentHeaders, targetOf } from './server.ts';

/** The address this host uses for its own requests. No caller has it, so no one can use up the host's rate limit. */
const SELF = '127.255.255.254';

type Handlers = ReadonlyMap<string, ApiHandler>;
type Headers = Record<string, string[]>;

/** Returns the event for a GET request that reaches no operation. */
export const eventOf = (path: string, multiValueHeaders: Headers, sourceIp: string): APIGatewayProxyEvent => {
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

/** Creates a client that calls this host's API within the process. */
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
    isHealthy: async (): Promise<boolean> => (await read('server', '/health', {}, SELF)).statusCode === 200,
    /** Throws unless the headers contain a system admin's credentials. */
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
  settings: Parameters<typeof mayReadDetails>[1];
  exported: Pick<ExportFolder, 'answer'>;
};

/**
 * Adds the pages specific to this host. GET /metrics, for Prometheus, is open to system admins, to callers with the
 * metrics token, and to callers on this machine. Export files, which S3 serves in AWS, are open to anyone with the
 * signed URL.
 */
export const withHostPages =
  ({ reader, prometheus, settings, exported }: Options, api: RequestHandler): RequestHandler =>
  async (request) => {
    const target = targetOf(request.url);
    const file = request.method === 'GET' ? await exported.answer(target) : null;
    if (file) return file;
    if (request.method !== 'GET' || target.pathname !== '/metrics') return api(request);
    const headers = multiValues(sentHeaders(request));
    const sourceIp = request.socket.remoteAddress ?? '';
    if (!mayReadDetails(eventOf('/metrics', headers, sourceIp), settings)) await reader.demandAdmin(headers, sourceIp);
    const text = await prometheus.text();
    return (response) =>
      void response.writeHead(200, { 'Content-Type': prometheus.contentType, 'Cache-Control': 'no-store' }).end(text);
  };
