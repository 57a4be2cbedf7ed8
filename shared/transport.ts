/** How long (ms) a connection may take to stand, and how long a call may be without an answer or the rest of it. */
export type Timeouts = { connect: number; answer: number };

/** AWS answers in some ms, seldom in some hundred: whoever waits longer waits for nobody. */
const TIMEOUTS: Timeouts = { connect: 1_000, answer: 2_000 };

/**
 * The `requestHandler` of every client of AWS: a call that nobody answers ends as a TimeoutError. `requestTimeout` alone
 * only warns, and ends with the first line of the answer; `socketTimeout` is for the rest of it.
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
/** What the SDK's handler says of itself, once it was used. */
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
 * The same client; after a try that met a dead socket the next one takes none that was kept. While a process was frozen
 * all of its sockets may have died, and each would cost a whole timeout.
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
    // Within what repeats a call, so that each try counts.
    { name: 'freshSockets', step: 'finalizeRequest', priority: 'low' },
  );
  return client;
};
