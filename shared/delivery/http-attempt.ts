import type { IncomingMessage } from 'node:http';

/** Why an attempt got no status line. These words must not change: the retry schedule and the delivery log use them. */
export type ErrorClass =
  | 'url_denied'
  | 'address_denied'
  | 'dns_failed'
  | 'connect_refused'
  | 'connect_failed'
  | 'tls_failed'
  | 'connection_reset'
  | 'protocol_error'
  | 'timeout';

/** The duration of each phase in ms; null if it did not take place, for example on a reused connection. */
type Timings = { dns: number | null; connect: number | null; tls: number | null; firstByte: number | null };

/**
 * The result of one POST. Exactly one of `status` and `error` is null: once there is a status line, a failing body is
 * not an error. `responseBody` is the text of its first 4 KiB, `retryAfter` the header as received, and
 * `acknowledgedBy` the text of X-Acknowledged-By.
 */
export type Attempt = {
  status: number | null;
  error: ErrorClass | null;
  responseBody: string;
  retryAfter: string | null;
  acknowledgedBy: string | null;
  durationMs: number;
  timings: Timings;
};

/** When (ms) each phase ended. */
export type Marks = { start: number; dns?: number; connect?: number; tls?: number; head?: number };
/** What was observed during an exchange. `stale`: the reused connection had already been closed by the receiver. */
export type Observed = {
  marks: Marks;
  response: IncomingMessage | null;
  body: Buffer[];
  error: ErrorClass | null;
  stale: boolean;
};

/** Returns the class of an error, by its code and the progress of the exchange. */
export function classify(code: string, marks: Marks, reused: boolean, target: URL): ErrorClass {
  if (code === 'address_denied' || code === 'dns_failed') return code;
  if (code === 'ETIMEDOUT') return 'timeout';
  if (!reused && marks.connect === undefined) return code === 'ECONNREFUSED' ? 'connect_refused' : 'connect_failed';
  if (!reused && marks.tls === undefined && target.protocol === 'https:') return 'tls_failed';
  return code === 'ECONNRESET' || code === 'EPIPE' ? 'connection_reset' : 'protocol_error';
}

const utf8 = new TextDecoder('utf-8', { fatal: true });

/** Returns the text of a header. Node decodes it as Latin-1, but most receivers send names in UTF-8. */
function textOf(header: string | string[] | undefined): string | null {
  if (header === undefined) return null;
  const value = [header].flat().join(', ');
  try {
    return utf8.decode(Buffer.from(value, 'latin1'));
  } catch {
    return value;
  }
}

export function toAttempt({ marks, response, body, error }: Observed, duration: number): Attempt {
  const took = (end: number | undefined, begin: number) => (end === undefined ? null : Math.round(end - begin));
  return {
    status: response?.statusCode ?? null,
    error: response ? null : error,
    // With `stream`, a character that is cut off at 4 KiB is left out.
    responseBody: new TextDecoder().decode(Buffer.concat(body), { stream: true }),
    retryAfter: response?.headers['retry-after'] ?? null,
    acknowledgedBy: textOf(response?.headers['x-acknowledged-by']),
    durationMs: Math.round(duration),
    timings: {
      dns: took(marks.dns, marks.start),
      connect: took(marks.connect, marks.dns ?? marks.start),
      tls: took(marks.tls, marks.connect ?? marks.start),
      firstByte: took(marks.head, marks.tls ?? marks.connect ?? marks.start),
    },
  };
}
