import { randomUUID } from 'node:crypto';
import { type IncomingMessage, type ServerResponse, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import { ApiError } from '#shared/api/errors.ts';
import { corsHeaders } from '#shared/api/http/cors.ts';
import { headersOfAll, refusal } from '#shared/api/middleware/answer.ts';
import { bestLocale } from '#shared/domain/identity/locale.ts';

/** An error answer of this host itself, in the same form as those of the operations. */
const answerOf = async (error: ApiError, version: string, languages?: string) => {
  const { statusCode, headers, body } = await refusal(error, bestLocale(languages));
  const length = { 'Content-Length': String(Buffer.byteLength(body)) };
  return { statusCode, headers: { ...headersOfAll(version, randomUUID()), ...headers, ...length }, body };
};

/** What answers of this host itself need to know of the stage. */
type About = { version: string; corsOrigins: readonly string[] };

/** Refuses a request that reaches no operation. */
export const refuseRequest = async (
  request: IncomingMessage,
  response: ServerResponse,
  error: ApiError,
  { version, corsOrigins }: About,
): Promise<void> => {
  if (response.headersSent) return void response.destroy();
  const { statusCode, headers, body } = await answerOf(error, version, request.headers['accept-language']);
  const cors = corsHeaders(corsOrigins, request.headers.origin, headers);
  response.writeHead(statusCode, { ...headers, ...cors }).end(body);
};

/**
 * Answers a request that Node cannot read: 400 for invalid HTTP and for more than 16 KB of headers, 408 for a request
 * that does not arrive in time. The answer has the headers of every answer, and the connection ends after it.
 */
export const refuseUnreadable = async (socket: Duplex, { code }: NodeJS.ErrnoException, version: string) => {
  if (!socket.writable) return void socket.destroy();
  const isLate = code === 'ERR_HTTP_REQUEST_TIMEOUT';
  const unreadable = new ApiError('bad_request', { fieldErrors: [{ path: '', problem: 'invalid' }] });
  const { statusCode, headers, body } = await answerOf(isLate ? new ApiError('body_too_slow') : unreadable, version);
  const lines = Object.entries({ ...headers, Connection: 'close' }).map(([name, value]) => `${name}: ${value}\r\n`);
  const head = `HTTP/1.1 ${statusCode} ${STATUS_CODES[statusCode]}\r\n${lines.join('')}\r\n`;
  socket.end(head + body, () => socket.destroy());
};
