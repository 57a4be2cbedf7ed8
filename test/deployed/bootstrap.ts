import { Agent, type IncomingHttpHeaders, request } from 'node:http';
import { Socket } from 'node:net';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

/**
 * The runtime for a function. It runs beside the bundle in the same process, and uses Lambda's runtime API.
 * https://docs.aws.amazon.com/lambda/latest/dg/runtimes-api.html
 */
const { AWS_LAMBDA_RUNTIME_API = '', LAMBDA_TASK_ROOT = '', _HANDLER = '' } = process.env;
const { AWS_LAMBDA_FUNCTION_NAME = '', AWS_LAMBDA_FUNCTION_MEMORY_SIZE = '' } = process.env;
const [host = '', port = ''] = AWS_LAMBDA_RUNTIME_API.split(':');

// The account's clock may be ahead of the machine clock. It is set at the start of each invocation.
let ahead = 0;
const { now } = Date;
Date.now = () => now() + ahead;

// The address of the test machine as seen from the account, because loopback is Lambda itself.
const MACHINE = '10.77.0.1';
type Target = { host?: string };
const { connect } = Socket.prototype;
Socket.prototype.connect = function (this: Socket, ...args: [Target | Target[]]) {
  const [target] = args.flat() as [Target?];
  if (target?.host === MACHINE) {
    target.host = '127.0.0.1';
    Object.defineProperty(this, 'remoteAddress', { value: MACHINE });
  }
  return Reflect.apply(connect, this, args);
} as typeof connect;

type Answer = { headers: IncomingHttpHeaders; body: string };
const agent = new Agent({ keepAlive: true });
const call = (method: string, path: string, body = '', headers: Record<string, string> = {}): Promise<Answer> =>
  new Promise((resolve, reject) => {
    const options = { agent, host, port, method, path: `/2018-06-01/runtime/${path}`, headers };
    const sent = request(options, (response) => {
      response.toArray().then((parts) => {
        resolve({ headers: response.headers, body: Buffer.concat(parts).toString('utf8') });
      }, reject);
    });
    sent.on('error', reject).end(body);
  });

const errorReport = (error: unknown) => {
  const { name, message, stack = '' } = error instanceof Error ? error : new Error(String(error));
  const headers = { 'Lambda-Runtime-Function-Error-Type': `Unhandled.${name}` };
  return [JSON.stringify({ errorType: name, errorMessage: message, stackTrace: stack.split('\n') }), headers] as const;
};

type Handler = (event: unknown, context: unknown) => Promise<unknown>;
const load = async (): Promise<Handler> => {
  const [file, name = ''] = _HANDLER.split('.');
  const module = await import(pathToFileURL(join(LAMBDA_TASK_ROOT, `${file}.mjs`)).href);
  if (typeof module[name] !== 'function') throw new Error(`${_HANDLER} is not a function`);
  return module[name];
};

const contextOf = (headers: IncomingHttpHeaders) => {
  const deadline = Number(headers['lambda-runtime-deadline-ms']);
  return {
    awsRequestId: headers['lambda-runtime-aws-request-id'],
    invokedFunctionArn: headers['lambda-runtime-invoked-function-arn'],
    functionName: AWS_LAMBDA_FUNCTION_NAME,
    functionVersion: '$LATEST',
    memoryLimitInMB: AWS_LAMBDA_FUNCTION_MEMORY_SIZE,
    getRemainingTimeInMillis: () => deadline - Date.now(),
  };
};

const work = async (handle: Handler): Promise<void> => {
  const { headers, body } = await call('GET', 'invocation/next');
  ahead = Number(headers['clock-ahead-ms'] ?? 0);
  const id = headers['lambda-runtime-aws-request-id'];
  try {
    const result = await handle(JSON.parse(body), contextOf(headers));
    await call('POST', `invocation/${id}/response`, JSON.stringify(result) ?? 'null');
  } catch (error) {
    await call('POST', `invocation/${id}/error`, ...errorReport(error));
  }
};

try {
  const handle = await load();
  for (;;) await work(handle);
} catch (error) {
  // Without a runtime API, the error cannot be reported.
  await call('POST', 'init/error', ...errorReport(error)).catch(() => {});
  process.exit(1);
}
