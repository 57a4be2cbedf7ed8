/** `connect`: how long (ms) opening a connection may take. `answer`: how long (ms) a call may wait for its answer or the rest of it. */
type Timeouts = { connect: number; answer: number };

/** AWS answers within some ms, rarely some hundred: a call that takes longer gets no answer any more. */
const TIMEOUTS: Timeouts = { connect: 1_000, answer: 2_000 };

/**
 * The `requestHandler` of every AWS client: a call without an answer ends as a TimeoutError. `requestTimeout` alone only
 * warns, and stops with the first line of the answer; `socketTimeout` covers the rest of the answer.
 * https://docs.aws.amazon.com/sdk-for-javascript/v3/developer-guide/migrating/notable-changes/
 */
export const transport = ({ connect, answer }: Timeouts = TIMEOUTS) => ({
  connectionTimeout: connect,
  requestTimeout: answer,
  socketTimeout: answer,
  throwOnRequestTimeout: true,
});

type Socket = { destroy: () => unknown };
type Agent = { freeSockets?: Readonly<Record<string, readonly Socket[] | undefined>> };
/** The part of the SDK's request handler that exists once it was used. */
type Handler = { httpHandlerConfigs?: () => { httpAgent?: Agent; httpsAgent?: Agent } };

const dropIdle = (handler: Handler): void => {
  const { httpAgent, httpsAgent } = handler.httpHandlerConfigs?.() ?? {};
  for (const agent of [httpAgent, httpsAgent])
    for (const sockets of Object.values(agent?.freeSockets ?? {})) for (const socket of sockets ?? []) socket.destroy();
};

type Client = {
  config: { requestHandler: object };
  middlewareStack: {
    add(
      middleware: <A, R>(next: (args: A) => Promise<R>) => (args: A) => Promise<R>,
      where: { name: string; step: 'finalizeRequest'; priority: 'low' },
    ): void;
  };
};

/**
 * Makes a client drop its kept-alive sockets after a try that met a dead one. While a process was frozen all of its
 * sockets may have died, and each of them would cost a whole timeout.
 */
export const withFreshSockets = <C extends Client>(client: C): C => {
  client.middlewareStack.add(
    (next) => async (args) => {
      try {
        return await next(args);
      } catch (error) {
        if ((error as Error).name === 'TimeoutError') dropIdle(client.config.requestHandler);
        throw error;
      }
    },
    // The middleware is inside of the retries, so that each try counts.
    { name: 'freshSockets', step: 'finalizeRequest', priority: 'low' },
  );
  return client;
};
