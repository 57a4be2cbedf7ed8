import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { ApiError, refuse } from '#shared/api/errors.ts';
import { refuseRequest, refuseUnreadable } from './bad-requests.ts';
import { dropRest } from './bodies.ts';
import type { Tls } from './tls.ts';

/**
 * Timeouts in ms: for the headers of a request, how often this is checked, and how long an idle connection is kept.
 * That is longer than clients keep one (usually 60 s), because a call on a connection that is just being closed
 * fails.
 */
const timeouts = { headersTimeout: 10_000, connectionsCheckingInterval: 1_000, keepAliveTimeout: 65_000 };

export type RequestHandler = (request: IncomingMessage, response: ServerResponse) => Promise<void>;

const checkHost = ({ httpVersion, headersDistinct: { host = [] } }: IncomingMessage): void => {
  if (host.length > 1) refuse('Host', 'repeated_header');
  if (host.length === 0 && httpVersion === '1.1') refuse('Host', 'required');
};

const starting: RequestHandler = async () => {
  throw new ApiError('unavailable', { waitSeconds: 1 });
};
const refuseExpectation: RequestHandler = async () => {
  throw new ApiError('expectation_unknown');
};

type Options = {
  version: string;
  corsOrigins?: readonly string[];
  onError: (error: unknown) => void;
  limits?: Partial<typeof timeouts>;
  /** With it the server speaks HTTPS. */
  tls?: Tls | null;
};
type HttpServer = { server: Server; open: (api: RequestHandler) => void };

/**
 * Creates the HTTP server of this host. Every request gets an answer with the usual body and headers, even one that
 * is invalid HTTP. Until `open` is called, the answer is 503.
 */
export const createHttpServer = ({ version, corsOrigins = [], onError, limits, tls = null }: Options): HttpServer => {
  const options = { ...timeouts, ...limits, requireHostHeader: false };
  const server = tls ? createTlsServer({ ...options, ...tls.pair() }) : createServer(options);
  if ('setSecureContext' in server) tls?.attach(server);
  let api = starting;
  const answer = async (request: IncomingMessage, response: ServerResponse, how: RequestHandler): Promise<void> => {
    try {
      checkHost(request);
      await how(request, response);
    } catch (error) {
      // The sender was cut off, or closed the connection, before the request was complete. There is nobody to answer,
      // and it is no error of the service.
      if (request.destroyed && !request.complete) return void response.destroy();
      if (!(error instanceof ApiError)) onError(error);
      const refused = error instanceof ApiError ? error : new ApiError('internal');
      await refuseRequest(request, response, refused, { version, corsOrigins });
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
