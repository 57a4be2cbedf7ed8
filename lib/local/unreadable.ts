import { randomUUID } from 'node:crypto';
import type { Duplex } from 'node:stream';
import { ApiError } from '../../shared/api/errors.ts';
import { headersOfAll, refusal } from '../../shared/api/middleware/answer.ts';

/**
 * Refuses what Node cannot read as HTTP, or not in its time, or with more than 16 KB of headers: as any other bad request,
 * with the headers of every answer. Nobody reads on behind it, so the connection ends.
 */
export const refuseUnreadable = async (socket: Duplex, version: string): Promise<void> => {
  if (!socket.writable) return void socket.destroy();
  const unreadable = new ApiError('bad_request', { faults: [{ path: '', problem: 'invalid' }] });
  const { statusCode, body } = await refusal(unreadable);
  const length = { 'Content-Length': Buffer.byteLength(body), Connection: 'close' };
  const all = { ...headersOfAll(version, randomUUID()), ...length };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.end(`HTTP/1.1 ${statusCode} Bad Request\r\n${lines.join('')}\r\n${body}`, () => socket.destroy());
};
