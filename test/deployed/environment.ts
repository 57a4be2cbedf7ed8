import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { stripTypeScriptTypes } from 'node:module';
import type { AddressInfo } from 'node:net';
import { createInterface } from 'node:readline';
import type { Clock } from '#lib/local/clock.ts';

export type FunctionSpec = {
  name: string;
  arn: string;
  timeoutSeconds: number;
  memorySize: number;
  /** The process environment, except for the runtime API address. */
  variables: Readonly<Record<string, string>>;
};

type Invocation = { id: string; event: string; answer: PromiseWithResolvers<string> };
type Options = FunctionSpec & { clock: Clock; onLine: (line: string) => void };

// Types are stripped once for all processes.
const bootstrap = stripTypeScriptTypes(readFileSync(new URL('./bootstrap.ts', import.meta.url), 'utf8'));
/** https://docs.aws.amazon.com/lambda/latest/dg/gettingstarted-limits.html */
const MAX_BYTES = 6 * 1_024 * 1_024;

/** Longer than in Lambda, because a busy machine is slow to start a process. */
const INIT_MS = 30_000;

const start = ({ variables, memorySize }: FunctionSpec, api: string, onLine: (line: string) => void): ChildProcess => {
  const env = { ...variables, AWS_LAMBDA_RUNTIME_API: api };
  const flags = [`--max-old-space-size=${Math.floor(memorySize * 0.9)}`, '--input-type=module', '--eval', bootstrap];
  const child = spawn(process.execPath, flags, { env, stdio: ['ignore', 'pipe', 'pipe'] });
  for (const stream of [child.stdout, child.stderr]) createInterface({ input: stream }).on('line', onLine);
  return child;
};

/**
 * Starts an execution environment: a process, and the runtime API that hands out one invocation at a time.
 * https://docs.aws.amazon.com/lambda/latest/dg/lambda-runtime-environment.html
 */
export const startEnvironment = async (options: Options) => {
  const { name, arn, timeoutSeconds, clock, onLine } = options;
  const ready = Promise.withResolvers<void>();
  ready.promise.catch(() => {});
  let current: Invocation | undefined;
  let pendingPoll: ServerResponse | undefined;

  const handOver = (): void => {
    if (!current || !pendingPoll) return;
    const headers = {
      'Lambda-Runtime-Aws-Request-Id': current.id,
      'Lambda-Runtime-Deadline-Ms': clock.now() + timeoutSeconds * 1_000,
      'Lambda-Runtime-Invoked-Function-Arn': arn,
      'Clock-Ahead-Ms': clock.now() - Date.now(),
    };
    pendingPoll.writeHead(200, headers).end(current.event);
    pendingPoll = undefined;
  };
  const fail = (reason: string): void => {
    const error = new Error(`${name}: ${reason}`);
    ready.reject(error);
    current?.answer.reject(error);
  };
  const take = (url: string, body: string): void => {
    const [, id, what] = /\/invocation\/([\w-]+)\/(response|error)$/.exec(url) ?? [];
    if (url.endsWith('/init/error')) fail(`did not start: ${body}`);
    else if (id !== current?.id) fail(`answered ${url} without an invocation`);
    else if (what === 'error') fail(`failed: ${body}`);
    else if (Buffer.byteLength(body) > MAX_BYTES) fail('returned more than 6 MB');
    else current?.answer.resolve(body);
  };
  const serve = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    if (request.url?.endsWith('/invocation/next')) {
      pendingPoll = response;
      ready.resolve();
      return handOver();
    }
    take(request.url ?? '', Buffer.concat(await request.toArray()).toString('utf8'));
    response.writeHead(202).end();
  };
  // A killed process leaves an unfinished request, which is dropped.
  const server = createServer((request, response) => void serve(request, response).catch(() => response.destroy()));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const child = start(options, `127.0.0.1:${(server.address() as AddressInfo).port}`, onLine);
  let isGone = false;
  const gone = once(child, 'close').then(([code, signal]) => {
    isGone = true;
    fail(`its process ended (${code ?? signal})`);
    server.close();
    server.closeAllConnections();
  });
  const within = (ms: number, what: string) => {
    const timer = setTimeout(() => {
      fail(what);
      child.kill('SIGKILL');
    }, ms);
    return () => clearTimeout(timer);
  };

  return {
    /** Whether it has stopped accepting invocations. */
    isGone: () => isGone || child.killed,
    /**
     * Runs the function once it has started, and returns the result as JSON. Rejects if the function fails or times
     * out.
     */
    invoke: async (event: string): Promise<string> => {
      const started = within(INIT_MS, `was not ready after ${INIT_MS} ms`);
      await ready.promise.finally(started);
      current = { id: randomUUID(), event, answer: Promise.withResolvers() };
      const ended = within(timeoutSeconds * 1_000, `timed out after ${timeoutSeconds} seconds`);
      handOver();
      return current.answer.promise.finally(() => {
        ended();
        current = undefined;
      });
    },
    stop: async (): Promise<void> => {
      child.kill('SIGKILL');
      await gone;
    },
  };
};

export type Environment = Awaited<ReturnType<typeof startEnvironment>>;
