import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse, STATUS_CODES } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { Duplex } from 'node:stream';
import { ApiError, refuse } from '#shared/api/errors.ts';
import { corsHeaders } from '#shared/api/http/cors.ts';
import { baseHeaders, errorResponse } from '#shared/api/middleware/response.ts';
import { bestLocale } from '#shared/domain/identity/language.ts';
import { discardRest } from './bodies.ts';
import type { Tls } from './tls.ts';

/**
 * Times in ms: the timeout for a request's headers, how often it is checked, and how long an idle connection is kept.
 * The server keeps idle connections longer than clients do (usually 60 s), because a request on a closing connection
 * fails.
 */
const timeouts = { headersTimeout: 10_000, connectionsCheckingInterval: 1_000, keepAliveTimeout: 65_000 };

/** Sends the response to a request. */
export type Answer = (response: ServerResponse) => void | Promise<void>;
/** Handles a request and returns the response, which is sent only once every change it may reveal is on the disk. */
export type RequestHandler = (request: IncomingMessage) => Promise<Answer>;

/** An error response from the host itself, in the same format as those from operations. */
const answerOf = async (error: ApiError, version: string, languages?: string) => {
  const { statusCode, headers, body } = await errorResponse(error, bestLocale(languages));
  const all = {
    ...baseHeaders(version, randomUUID()),
    ...headers,
    'Content-Length': String(Buffer.byteLength(body)),
  };
  return { statusCode, headers: all, body };
};

/** The stage settings that the host's own error responses depend on. */
type About = { version: string; corsOrigins: readonly string[] };

/** Rejects a request that reaches no operation. */
const rejectRequest = async (
  request: IncomingMessage,
  response: ServerResponse,
  error: ApiError,
  { version, corsOrigins }: About,
): Promise<void> => {
  const { statusCode, headers, body } = await answerOf(error, version, request.headers['accept-language']);
  const cors = corsHeaders(corsOrigins, request.headers.origin, headers);
  response.writeHead(statusCode, { ...headers, ...cors }).end(body);
};

/**
 * Responds to a request Node cannot read: with 400 for invalid HTTP or more than 16 KB of headers, with 408 for a
 * request that takes too long to arrive. The response has the usual headers, and the connection then ends.
 */
const rejectUnreadable = async (socket: Duplex, { code }: NodeJS.ErrnoException, version: string) => {
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
/** The response to every request once nothing can be stored anymore. */
const notKept = () => new ApiError('unavailable', { waitSeconds: 2 });
const rejectExpectation: RequestHandler = async () => {
  throw new ApiError('expectation_unknown');
};

type Options = {
  version: string;
  corsOrigins?: readonly string[];
  onError: (error: unknown) => void;
  limits?: Partial<typeof timeouts>;
  /** If given, the server speaks HTTPS. */
  tls?: Tls | null;
};
/** Resolves once everything written so far would survive a power loss. */
type Kept = () => Promise<void>;
type HttpServer = { server: Server; open: (api: RequestHandler, kept?: Kept) => void };

/**
 * Creates this host's HTTP server. Every request, even invalid HTTP, gets a response with the usual body and headers.
 * Until `open` is called, the response is 503. No response, not even an error, is sent before everything written so far
 * is on disk, so no response reveals anything a power loss could undo.
 */
export const createHttpServer = ({ version, corsOrigins = [], onError, limits, tls = null }: Options): HttpServer => {
  const options = { ...timeouts, ...limits, requireHostHeader: false };
  const server = tls ? createTlsServer({ ...options, ...tls.pair() }) : createServer(options);
  if ('setSecureContext' in server) tls?.attach(server);
  let api = starting;
  let kept: Kept = async () => {};
  const isKept = () =>
    kept().then(
      () => true,
      () => false,
    );
  const fail = async (request: IncomingMessage, response: ServerResponse, error: unknown): Promise<void> => {
    // The connection ended before the request was complete. There is no one to read a response, and the service did not
    // fail.
    const isAbandoned = request.destroyed && !request.complete;
    if (!isAbandoned && !(error instanceof ApiError)) onError(error);
    if (isAbandoned || response.headersSent) {
      response.destroy();
      return;
    }
    const apiError = error instanceof ApiError ? error : new ApiError('internal');
    await rejectRequest(request, response, (await isKept()) ? apiError : notKept(), { version, corsOrigins });
  };
  const answer = async (request: IncomingMessage, response: ServerResponse, handle: RequestHandler): Promise<void> => {
    try {
      checkHost(request);
      const send = await handle(request);
      if (!(await isKept())) throw notKept();
      await send(response);
    } catch (error) {
      await fail(request, response, error);
    } finally {
      discardRest(request);
    }
  };
  server.on('request', (request, response) => void answer(request, response, api));
  server.on('checkExpectation', (request, response) => void answer(request, response, rejectExpectation));
  server.on('clientError', (error, socket) => void rejectUnreadable(socket, error, version));
  return {
    server,
    open: (opened, whenKept = async () => {}) => {
      api = opened;
      kept = whenKept;
    },
  };
};
