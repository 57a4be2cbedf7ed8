/** Limits (ms). `connect`: opening a connection. `answer`: waiting for a response, or for the rest of it. */
type Timeouts = { connect: number; answer: number };

/**
 * AWS responds within milliseconds, and only rarely takes hundreds of them. A call that takes longer will not get a
 * response.
 */
const TIMEOUTS: Timeouts = { connect: 1_000, answer: 2_000 };

/**
 * Returns the `requestHandler` for every AWS client. It ends a call that gets no response with a TimeoutError.
 * `requestTimeout` alone only warns, and covers only the wait for the first line. `socketTimeout` covers the rest of
 * the response.
 * https://docs.aws.amazon.com/sdk-for-javascript/v3/developer-guide/migrating/notable-changes/
 */
export const requestHandlerOptions = ({ connect, answer }: Timeouts = TIMEOUTS) => ({
  connectionTimeout: connect,
  requestTimeout: answer,
  socketTimeout: answer,
  throwOnRequestTimeout: true,
});

type Socket = { destroy: () => unknown };
type Agent = { freeSockets?: Readonly<Record<string, readonly Socket[] | undefined>> };
/** The part of the SDK request handler available after first use. */
type Handler = { httpHandlerConfigs?: () => { httpAgent?: Agent; httpsAgent?: Agent } };

const closeIdleSockets = (handler: Handler): void => {
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
 * Closes the idle sockets of a client after each timeout. All sockets may have died while the process was frozen, and
 * each dead one would cost a full timeout.
 */
export const withFreshSockets = <C extends Client>(client: C): C => {
  client.middlewareStack.add(
    (next) => async (args) => {
      try {
        return await next(args);
      } catch (error) {
        if ((error as Error).name === 'TimeoutError') closeIdleSockets(client.config.requestHandler);
        throw error;
      }
    },
    // Runs inside the retries, once per attempt.
    { name: 'freshSockets', step: 'finalizeRequest', priority: 'low' },
  );
  return client;
};
