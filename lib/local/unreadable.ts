import { randomUUID } from 'node:crypto';
import type { Duplex } from 'node:stream';
import { ApiError } from '../../shared/api/errors.ts';
import type { ApiRequest } from '../../shared/api/exchange.ts';
import { explain } from '../../shared/api/middleware/answer.ts';
import type { Settings } from '../../shared/env.ts';
import type { Log } from '../../shared/log.ts';

/**
 * Refuses what Node cannot read as HTTP, or not in its time, or with more than 16 KB of headers: as any other bad request,
 * with the headers of every answer. Nobody reads on behind it, so the connection ends.
 */
export const refuseUnreadable = (settings: Settings, log: Log) => {
  const explained = explain(settings, log);
  const refusal = () => new ApiError('bad_request', { faults: [{ path: '', problem: 'invalid' }] });
  return async (socket: Duplex): Promise<void> => {
    if (!socket.writable) return void socket.destroy();
    const requestContext = { requestId: randomUUID() };
    const request = { error: refusal(), internal: {}, event: { requestContext }, context: {} };
    const { statusCode, headers, body } = await explained(request as unknown as ApiRequest);
    const all = { ...headers, 'Content-Length': Buffer.byteLength(body), Connection: 'close' };
    const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
    socket.end(`HTTP/1.1 ${statusCode} Bad Request\r\n${lines.join('')}\r\n${body}`, () => socket.destroy());
  };
};
