import type { Socket } from 'node:net';
import { Readable } from 'node:stream';
import type { Random } from '../../lib/local/random.ts';
import type { localDocumentClient } from '../../lib/local/table.ts';
import { oneOf } from './chance.ts';
import type { Chaos } from './chaos.ts';

/** What DynamoDB may answer although nothing is wrong with the call, and how its answers get lost. */
export const awsErrors = {
  throttled: 'ProvisionedThroughputExceededException',
  tooMany: 'RequestLimitExceeded',
  tooFast: 'ThrottlingException',
  internal: 'InternalServerError',
  conflict: 'TransactionConflict',
  slowed: 'TransactionThrottled',
  unsaid: 'AnswerLost',
} as const;
export type AwsError = (typeof awsErrors)[keyof typeof awsErrors];

const NAMESPACE = 'com.amazonaws.dynamodb.v20120810#';
const answer = (statusCode: number, type: string, more: object = {}) => {
  const body = JSON.stringify({ __type: NAMESPACE + type, message: 'injected', ...more });
  return { statusCode, headers: { 'content-type': 'application/x-amz-json-1.0' }, body: Readable.from([body]) };
};

/** A transaction is canceled for a reason of one of its writes; one write that meets a transaction has an error of its own. */
const canceled = (code: string, writes: number, chance: Random) => {
  const at = Math.floor(chance() * writes);
  const CancellationReasons = Array.from({ length: writes }, (_, index) => ({ Code: index === at ? code : 'None' }));
  const reasons = CancellationReasons.map(({ Code }) => Code).join(', ');
  return answer(400, 'TransactionCanceledException', { CancellationReasons, Message: `canceled [${reasons}]` });
};

const reasonOf = (chance: Random) => oneOf(chance, ['ThrottlingError', 'ProvisionedThroughputExceeded']);

/** The answer to a call; null: this call can't meet with that. */
const failureOf = (error: AwsError, target: string, input: { TransactItems?: unknown[] }, chance: Random) => {
  const writes = input.TransactItems?.length ?? 0;
  if (error === 'TransactionThrottled') return writes > 0 ? canceled(reasonOf(chance), writes, chance) : null;
  if (error !== 'TransactionConflict') return answer(error === 'InternalServerError' ? 500 : 400, error);
  if (writes > 0) return canceled('TransactionConflict', writes, chance);
  return /PutItem|UpdateItem|DeleteItem/.test(target) ? answer(400, 'TransactionConflictException') : null;
};

/** Before the call was made, or after everything was written: the connection breaks. */
const cutOff = async (call: () => Promise<{ response: unknown }>, chance: Random): Promise<never> => {
  if (chance() < 0.7) ((await call()).response as { body: Readable }).body.destroy();
  throw Object.assign(new Error('socket hang up'), { code: 'ECONNRESET' });
};

type Request = { request: { headers: Record<string, string>; body: Uint8Array; port?: number } };
type Client = ReturnType<typeof localDocumentClient>;
type Handler = Client['config']['requestHandler'];
type Sockets = Record<string, readonly Socket[] | undefined>;
type Agents = { httpHandlerConfigs?: () => { httpAgent?: { sockets: Sockets; freeSockets: Sockets } } };

/** ms that a call is waited for where some are not answered: their time is the machine's, which nobody can skip. */
const SHORT_TIMEOUT_MS = 400;
/** ms */
const FROZEN = 60_000;

/** Nothing that is sent over these sockets arrives, and no answer comes. */
const kill = (handler: object): void => {
  const { httpAgent } = (handler as Agents).httpHandlerConfigs?.() ?? {};
  for (const socket of [httpAgent?.sockets, httpAgent?.freeSockets].flatMap((all) => Object.values(all ?? {}).flat())) {
    if (!socket) continue;
    socket.removeAllListeners('data').resume();
    socket.write = () => true;
  }
};

/** What the fault suite does besides: where nobody answers, and how time is skipped. */
export type Around = { silentPort: number; skip: (ms: number) => void };

/** A call waits no longer than `SHORT_TIMEOUT_MS` while some of them are not answered. */
const hurry = (handler: Handler, { rates }: Chaos): void => {
  const handle = handler.handle.bind(handler);
  handler.handle = (request, options) => {
    const { unanswered, frozen } = rates();
    return handle(request, { ...options, ...((unanswered || frozen) && { requestTimeout: SHORT_TIMEOUT_MS }) });
  };
};

/** Answers for the table by the bytes that DynamoDB would send: what they mean is up to the SDK. */
export const failingClient =
  (chaos: Chaos, { silentPort, skip }: Around) =>
  (client: Client): void => {
    const { rates, strikes, chance } = chaos;
    const { requestHandler } = client.config;
    hurry(requestHandler, chaos);
    client.middlewareStack.add(
      (next) => async (args) => {
        const { aws, awsErrors: errors, unanswered, frozen } = rates();
        const { request } = args as Request;
        if (strikes(frozen)) {
          kill(requestHandler);
          skip(FROZEN);
        }
        if (strikes(unanswered)) {
          if (chance() < 0.5) ((await next(args)).response as { body: Readable }).body.destroy();
          request.port = silentPort;
          return next(args);
        }
        if (!errors || !strikes(aws)) return next(args);
        const error = oneOf(chance, errors);
        if (error === 'AnswerLost') return cutOff(() => next(args), chance);
        const { headers, body } = request;
        const target = headers['x-amz-target'] ?? '';
        const response = failureOf(error, target, JSON.parse(new TextDecoder().decode(body)), chance);
        return response ? { response, output: { $metadata: {} } } : next(args);
      },
      { step: 'deserialize', name: 'faults', priority: 'low' },
    );
  };
