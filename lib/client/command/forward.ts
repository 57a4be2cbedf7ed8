import * as http from 'node:http';
import * as https from 'node:https';
import type { FeedDelivery } from '#openapi';
import { FRESH } from '../feed.ts';
import { Problem } from '../problem.ts';
import type { Io } from './command.ts';
import { printable } from './print.ts';

/** How long (ms) a local server may take, as the service gives receivers. */
const LONGEST = 15_000;
const LONGEST_PAUSE = 30;
/** What a connection says of itself; everything else is sent as it is. */
const ofConnections = ['host', 'connection', 'content-length', 'transfer-encoding', 'keep-alive', 'expect'];

/** Posts a message with its exact headers and bytes. Gives the status of the answer, whose body is not read. */
const post = (url: URL, { headers, body }: FeedDelivery, signal: AbortSignal): Promise<number> =>
  new Promise((resolve, reject) => {
    const own = Object.entries(headers).filter(([name]) => !ofConnections.includes(name.toLowerCase()));
    const request = (url.protocol === 'https:' ? https : http).request(url, {
      method: 'POST',
      headers: { ...Object.fromEntries(own), 'Content-Length': Buffer.byteLength(body) },
      signal: AbortSignal.any([signal, AbortSignal.timeout(LONGEST)]),
    });
    request.on('response', (response) => {
      response.on('error', () => {}).resume();
      resolve(response.statusCode ?? 0);
    });
    request.on('error', reject);
    request.end(body);
  });

/** What a message tells, where its body says so. */
const subjectOf = (body: string): string => {
  try {
    const { event, eventType } = Object(JSON.parse(body));
    return printable(event?.type ? `${event.type}/${event.action}` : `event ${eventType ?? '-'}`);
  } catch {
    return '-';
  }
};

const reasonOf = (error: unknown): string => {
  const { code, name, message } = error as NodeJS.ErrnoException;
  return name === 'TimeoutError' ? 'timeout' : (code ?? message);
};

/**
 * Posts a message until it is taken (2xx), and says what became of each attempt. Gives false when that was ended before,
 * or the message has to be fetched again, because its signature becomes too old.
 */
export const forward = async (url: URL, message: FeedDelivery, isJson: boolean, io: Io): Promise<boolean> => {
  const end = io.now() + FRESH;
  for (let seconds = 1; !io.signal.aborted && io.now() <= end; seconds = Math.min(2 * seconds, LONGEST_PAUSE)) {
    const start = io.now();
    const status = await post(url, message, io.signal).catch((error: unknown) => reasonOf(error));
    if (io.signal.aborted) return false;
    const isTaken = typeof status === 'number' && status >= 200 && status < 300;
    const at = new Date(start).toISOString();
    const ms = io.now() - start;
    if (isJson) io.out(JSON.stringify({ at, id: message.id, status, ms, retryIn: isTaken ? null : seconds }));
    else {
      const again = isTaken ? '' : `, again in ${seconds} s`;
      io.out(`${at.slice(11, 19)}  ${message.id}  ${subjectOf(message.body)}  ${status}  ${ms} ms${again}`);
    }
    if (isTaken) return true;
    await io.pause(seconds, io.signal).catch(() => {});
  }
  return false;
};

/** Why the service was not reached, for people. */
export const troubleText = (error: unknown): string =>
  error instanceof Problem ? `${error.message} (${error.status})` : 'the service does not answer';
