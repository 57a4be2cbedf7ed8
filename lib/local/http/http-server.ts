import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse, STATUS_CODES } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { Duplex } from 'node:stream';
import { ApiError, refuse } from '#shared/api/errors.ts';
import { corsHeaders } from '#shared/api/http/cors.ts';
import { headersOfAll, refusal } from '#shared/api/middleware/answer.ts';
import { bestLocale } from '#shared/domain/identity/locale.ts';
import { dropRest } from './bodies.ts';
import type { Tls } from './tls.ts';

/**
 * Timeouts in ms: for the headers of a request, how often this is checked, and how long an idle connection is kept.
 * That is longer than clients keep one (usually 60 s), because a call on a connection that is just being closed
 * fails.
 */
const timeouts = { headersTimeout: 10_000, connectionsCheckingInterval: 1_000, keepAliveTimeout: 65_000 };

export type RequestHandler = (request: IncomingMessage, response: ServerResponse) => Promise<void>;

/** An error answer of this host itself, in the same form as those of the operations. */
const answerOf = async (error: ApiError, version: string, languages?: string) => {
  const { statusCode, headers, body } = await refusal(error, bestLocale(languages));
  const all = {
    ...headersOfAll(version, randomUUID()),
    ...headers,
    'Content-Length': String(Buffer.byteLength(body)),
  };
  return { statusCode, headers: all, body };
};

/** What answers of this host itself need to know of the stage. */
type About = { version: string; corsOrigins: readonly string[] };

/** Refuses a request that reaches no operation. */
const refuseRequest = async (
  request: IncomingMessage,
  response: ServerResponse,
  error: ApiError,
  { version, corsOrigins }: About,
): Promise<void> => {
  if (response.headersSent) {
    response.destroy();
    return;
  }
  const { statusCode, headers, body } = await answerOf(error, version, request.headers['accept-language']);
  const cors = corsHeaders(corsOrigins, request.headers.origin, headers);
  response.writeHead(statusCode, { ...headers, ...cors }).end(body);
};

/**
 * Answers a request that Node cannot read: 400 for invalid HTTP and for more than 16 KB of headers, 408 for a request
 * that does not arrive in time. The answer has the headers of every answer, and the connection ends after it.
 */
const refuseUnreadable = async (socket: Duplex, { code }: NodeJS.ErrnoException, version: string) => {
  if (!socket.writable) {
    socket.destroy();
    return;
  }
  const error =
    code === 'ERR_HTTP_REQUEST_TIMEOUT'
      ? new ApiError('body_too_slow')
      : new ApiError('bad_request', { fieldErrors: [{ path: '', problem: 'invalid' }] });
  const { statusCode, headers, body } = await answerOf(error, version);
  const lines = Object.entries({ ...headers, Connection: 'close' }).map(([name, value]) => `${name}: ${value}\r\n`);
  const head = `HTTP/1.1 ${statusCode} ${STATUS_CODES[statusCode]}\r\n${lines.join('')}\r\n`;
  socket.end(head + body, () => socket.destroy());
};

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
      if (request.destroyed && !request.complete) {
        response.destroy();
        return;
      }
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
