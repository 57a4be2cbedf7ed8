import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { ApiError, refuse } from '../../shared/api/errors.ts';
import { dropRest } from './bodies.ts';
import { refuseRequest, refuseUnreadable } from './unreadable.ts';

/** How long the headers of a request may take, and how often that is looked at, in ms. */
const timeouts = { headersTimeout: 10_000, connectionsCheckingInterval: 1_000 };

export type Answer = (request: IncomingMessage, response: ServerResponse) => Promise<void>;

const checkHost = ({ httpVersion, headersDistinct: { host = [] } }: IncomingMessage): void => {
  if (host.length > 1) refuse('Host', 'repeated_header');
  if (host.length === 0 && httpVersion === '1.1') refuse('Host', 'required');
};

const starting: Answer = async () => {
  throw new ApiError('unavailable', { waitSeconds: 1 });
};
const refuseExpectation: Answer = async () => {
  throw new ApiError('expectation_unknown');
};

type Options = { version: string; onError: (error: unknown) => void; limits?: Partial<typeof timeouts> };
export type FrontDoor = { server: Server; open: (api: Answer) => void };

/**
 * The HTTP server of this host. Whatever comes is answered with the body and the headers of every answer, what HTTP
 * itself refuses too; until it is opened, with a 503 at once.
 */
export const createFrontDoor = ({ version, onError, limits }: Options): FrontDoor => {
  const server = createServer({ ...timeouts, ...limits, requireHostHeader: false });
  let api = starting;
  const answer = async (request: IncomingMessage, response: ServerResponse, how: Answer): Promise<void> => {
    try {
      checkHost(request);
      await how(request, response);
    } catch (error) {
      // Its sender was cut off, or went away, before all of it was here: nobody to answer, nothing of ours.
      if (request.destroyed && !request.complete) return void response.destroy();
      if (!(error instanceof ApiError)) onError(error);
      await refuseRequest(request, response, error instanceof ApiError ? error : new ApiError('internal'), version);
    } finally {
      dropRest(request);
    }
  };
  server.on('request', (request, response) => void answer(request, response, api));
  server.on('checkExpectation', (request, response) => void answer(request, response, refuseExpectation));
  server.on('clientError', (error, socket) => void refuseUnreadable(socket, error, version));
  return {
    server,
    open: (given) => {
      api = given;
    },
  };
};
