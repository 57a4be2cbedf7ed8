import type { Socket } from 'node:net';
import { Readable } from 'node:stream';
import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import type { Random } from '#lib/local/random.ts';
import { oneOf } from './chance.ts';
import type { Chaos } from './chaos.ts';
import type { Fault } from './fault.ts';

/** The errors DynamoDB may return for a valid call, and a lost response. */
export const awsErrors = {
  throttled: 'ProvisionedThroughputExceededException',
  tooMany: 'RequestLimitExceeded',
  tooFast: 'ThrottlingException',
  internal: 'InternalServerError',
  conflict: 'TransactionConflict',
  slowed: 'TransactionThrottled',
  lost: 'ResponseLost',
} as const;
export type AwsError = (typeof awsErrors)[keyof typeof awsErrors];

const NAMESPACE = 'com.amazonaws.dynamodb.v20120810#';
const errorResponse = (statusCode: number, type: string, more: object = {}) => {
  const body = JSON.stringify({ __type: NAMESPACE + type, message: 'injected', ...more });
  return { statusCode, headers: { 'content-type': 'application/x-amz-json-1.0' }, body: Readable.from([body]) };
};

/**
 * Returns the response for a transaction canceled because of one write. DynamoDB has a separate error for a single
 * write that conflicts with a transaction.
 */
const canceled = (code: string, writes: number, chance: Random) => {
  const at = Math.floor(chance() * writes);
  const CancellationReasons = Array.from({ length: writes }, (_, index) => ({ Code: index === at ? code : 'None' }));
  const reasons = CancellationReasons.map(({ Code }) => Code).join(', ');
  return errorResponse(400, 'TransactionCanceledException', { CancellationReasons, Message: `canceled [${reasons}]` });
};

const reasonOf = (chance: Random) => oneOf(chance, ['ThrottlingError', 'ProvisionedThroughputExceeded']);

/** Returns the error response for a call, or null if this call cannot get this error. */
const failureOf = (error: AwsError, target: string, input: { TransactItems?: unknown[] }, chance: Random) => {
  const writes = input.TransactItems?.length ?? 0;
  if (error === 'TransactionThrottled') return writes > 0 ? canceled(reasonOf(chance), writes, chance) : null;
  if (error !== 'TransactionConflict') return errorResponse(error === 'InternalServerError' ? 500 : 400, error);
  if (writes > 0) return canceled('TransactionConflict', writes, chance);
  return /PutItem|UpdateItem|DeleteItem/.test(target) ? errorResponse(400, 'TransactionConflictException') : null;
};

/** Drops the connection, either before the call or after the write. */
const dropConnection = async (call: () => Promise<{ response: unknown }>, chance: Random): Promise<never> => {
  if (chance() < 0.7) ((await call()).response as { body: Readable }).body.destroy();
  throw Object.assign(new Error('socket hang up'), { code: 'ECONNRESET' });
};

type Request = { request: { headers: Record<string, string>; body: Uint8Array; port?: number } };
type Client = DynamoDBDocumentClient;
type Handler = Client['config']['requestHandler'];
type Sockets = Record<string, readonly Socket[] | undefined>;
type Agents = { httpHandlerConfigs?: () => { httpAgent?: { sockets: Sockets; freeSockets: Sockets } } };

/**
 * The call timeout (ms) while some calls get no response. It is measured by the machine clock, which cannot be skipped.
 */
const SHORT_TIMEOUT_MS = 400;
/** How long (ms) a process is frozen. */
const FROZEN_MS = 60_000;
/** A sweep runs every minute, and its calls may be frozen in turn. Without a limit, some runs would never end. */
const MAX_FREEZES = 50;

/** Kills sockets. Nothing sent over them arrives, and no response comes back. */
const kill = (handler: object): void => {
  const { httpAgent } = (handler as Agents).httpHandlerConfigs?.() ?? {};
  for (const socket of [httpAgent?.sockets, httpAgent?.freeSockets].flatMap((byOrigin) =>
    Object.values(byOrigin ?? {}).flat(),
  )) {
    if (!socket) continue;
    socket.removeAllListeners('data').resume();
    socket.write = () => true;
  }
};

/** What the suite's host provides: a port that never responds, and a way to skip time. */
type Surroundings = { silentPort: number; skip: (ms: number) => void };

/** Limits calls to `SHORT_TIMEOUT_MS` while some of them get no response. */
const hurry = (handler: Handler, { rates }: Chaos): void => {
  const handle = handler.handle.bind(handler);
  handler.handle = (request, options) => {
    const { unanswered, frozen } = rates();
    return handle(request, { ...options, ...((unanswered || frozen) && { requestTimeout: SHORT_TIMEOUT_MS }) });
  };
};

/** Whether a fault needs `failingClient`, and therefore a table called through the SDK. */
export const failsOnTheWay = ({ rates: { aws, unanswered, frozen } = {} }: Fault): boolean =>
  Boolean(aws || unanswered || frozen);

/**
 * Returns a function that makes client calls fail with the bytes that DynamoDB would send, so that the SDK interprets
 * them.
 */
export const failingClient =
  (chaos: Chaos, { silentPort, skip }: Surroundings) =>
  (client: Client): void => {
    const { rates, strikes, chance } = chaos;
    const { requestHandler } = client.config;
    hurry(requestHandler, chaos);
    client.middlewareStack.add(
      (next) => async (args) => {
        const { aws, awsErrors: errors, unanswered, frozen } = rates();
        const { request } = args as Request;
        if (strikes(frozen, MAX_FREEZES)) {
          kill(requestHandler);
          skip(FROZEN_MS);
        }
        if (strikes(unanswered)) {
          if (chance() < 0.5) ((await next(args)).response as { body: Readable }).body.destroy();
          request.port = silentPort;
          return next(args);
        }
        if (!errors || !strikes(aws)) return next(args);
        const error = oneOf(chance, errors);
        if (error === 'ResponseLost') return dropConnection(() => next(args), chance);
        const { headers, body } = request;
        const target = headers['x-amz-target'] ?? '';
        const response = failureOf(error, target, JSON.parse(new TextDecoder().decode(body)), chance);
        return response ? { response, output: { $metadata: {} } } : next(args);
      },
      { step: 'deserialize', name: 'faults', priority: 'low' },
    );
  };
