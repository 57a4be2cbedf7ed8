import * as http from 'node:http';
import * as https from 'node:https';
import type { FeedDelivery } from '#openapi';
import { REFETCH_AFTER_MS } from '../feed.ts';
import { Problem } from '../problem.ts';
import type { CommandIo } from './command.ts';
import { printable } from './print.ts';

/** Timeout (ms) for the local server, the same as for any webhook receiver. */
const TIMEOUT_MS = 15_000;
const MAX_PAUSE_SECONDS = 30;
/** Connection headers. All others are forwarded unchanged. */
const connectionHeaders = ['host', 'connection', 'content-length', 'transfer-encoding', 'keep-alive', 'expect'];

/** Posts a message with the exact original headers and bytes. Returns the response status. The body is not read. */
const post = (url: URL, { headers, body }: FeedDelivery, signal: AbortSignal): Promise<number> =>
  new Promise((resolve, reject) => {
    const forwarded = Object.entries(headers).filter(([name]) => !connectionHeaders.includes(name.toLowerCase()));
    const request = (url.protocol === 'https:' ? https : http).request(url, {
      method: 'POST',
      headers: { ...Object.fromEntries(forwarded), 'Content-Length': Buffer.byteLength(body) },
      signal: AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]),
    });
    request.on('response', (response) => {
      response.on('error', () => {}).resume();
      resolve(response.statusCode ?? 0);
    });
    request.on('error', reject);
    request.end(body);
  });

/** Returns the event in a message; '-' if the body is not JSON. */
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
 * Posts a message until it is accepted (2xx), and prints each attempt. Returns false if the command is stopped first,
 * or if the message has to be fetched again because its signature is getting too old.
 */
export const forward = async (url: URL, message: FeedDelivery, isJson: boolean, io: CommandIo): Promise<boolean> => {
  const end = io.now() + REFETCH_AFTER_MS;
  for (let seconds = 1; !io.signal.aborted && io.now() <= end; seconds = Math.min(2 * seconds, MAX_PAUSE_SECONDS)) {
    const start = io.now();
    const status = await post(url, message, io.signal).catch((error: unknown) => reasonOf(error));
    if (io.signal.aborted) return false;
    const isAccepted = typeof status === 'number' && status >= 200 && status < 300;
    const at = new Date(start).toISOString();
    const ms = io.now() - start;
    if (isJson) io.out(JSON.stringify({ at, id: message.id, status, ms, retryIn: isAccepted ? null : seconds }));
    else {
      const retry = isAccepted ? '' : `, retrying in ${seconds} s`;
      io.out(`${at.slice(11, 19)}  ${message.id}  ${subjectOf(message.body)}  ${status}  ${ms} ms${retry}`);
    }
    if (isAccepted) return true;
    await io.pause(seconds, io.signal).catch(() => {});
  }
  return false;
};

/** Explains to the user why a request to the service failed. */
export const serviceErrorText = (error: unknown): string =>
  error instanceof Problem ? `${error.message} (${error.status})` : 'the service does not respond';
