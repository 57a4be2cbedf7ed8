import type { Answer } from './answer-reader.ts';

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

/** The duration (ms) of each phase, or null if it did not take place, for example on a reused connection. */
type Timings = { dns: number | null; connect: number | null; tls: number | null; firstByte: number | null };

/**
 * The result of a single POST. Exactly one of `status` and `error` is null. Once there is a status line, a failure
 * while reading the body is not an error. `responseBody` is the text in the first 4 KiB of the body. Without a status,
 * it is what was received instead of a status line, or the OpenSSL code for a TLS failure. `retryAfter` is the header
 * as received, and `acknowledgedBy` the text from X-Acknowledged-By.
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
/**
 * What was observed during an exchange. `reason`: the OpenSSL code for a TLS failure. `stale`: the receiver had already
 * closed the reused connection.
 */
export type Observed = {
  marks: Marks;
  answer: Answer | null;
  body: Buffer[];
  error: ErrorClass | null;
  reason: string;
  stale: boolean;
};

/** Classifies an error by its code and the progress of the exchange. */
export function classify(code: string, marks: Marks, reused: boolean, target: URL): ErrorClass {
  if (code === 'address_denied' || code === 'dns_failed') return code;
  if (code === 'ETIMEDOUT') return 'timeout';
  if (!reused && marks.connect === undefined) return code === 'ECONNREFUSED' ? 'connect_refused' : 'connect_failed';
  if (!reused && marks.tls === undefined && target.protocol === 'https:') return 'tls_failed';
  return code === 'ECONNRESET' || code === 'EPIPE' ? 'connection_reset' : 'protocol_error';
}

/** Returns the OpenSSL code for an error. For a refused handshake, Node hides the code in the EPROTO message. */
export function opensslCode({ message }: Error, code: string): string {
  const [, reason] = /:SSL routines:[^:]*:([\w ]+):/.exec(message) ?? [];
  return code === 'EPROTO' && reason ? `ERR_SSL_${reason.toUpperCase().replaceAll(' ', '_')}` : code;
}

const utf8 = new TextDecoder('utf-8', { fatal: true });

/** Returns the text in a header. It was decoded as Latin-1, but most receivers send names in UTF-8. */
function textOf(value: string | null): string | null {
  if (value === null) return null;
  try {
    return utf8.decode(Buffer.from(value, 'latin1'));
  } catch {
    return value;
  }
}

/** Returns what an attempt keeps as text. With `stream`, a character cut off at 4 KiB is left out. */
const keptText = ({ answer, body, reason }: Observed): string =>
  reason || new TextDecoder().decode(answer?.isRefused ? answer.start : Buffer.concat(body), { stream: true });

export function toAttempt(observed: Observed, duration: number): Attempt {
  const { marks, answer, error } = observed;
  const head = answer?.head ?? null;
  const took = (end: number | undefined, begin: number) => (end === undefined ? null : Math.round(end - begin));
  return {
    status: head?.status ?? null,
    error: head ? null : error,
    responseBody: keptText(observed),
    retryAfter: head?.retryAfter ?? null,
    acknowledgedBy: textOf(head?.acknowledgedBy ?? null),
    durationMs: Math.round(duration),
    timings: {
      dns: took(marks.dns, marks.start),
      connect: took(marks.connect, marks.dns ?? marks.start),
      tls: took(marks.tls, marks.connect ?? marks.start),
      firstByte: took(marks.head, marks.tls ?? marks.connect ?? marks.start),
    },
  };
}
