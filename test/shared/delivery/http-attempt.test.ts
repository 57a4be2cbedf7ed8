import { describe, expect, test } from 'vitest';
import { classify, type Marks, type Observed, opensslCode, toAttempt } from '#shared/delivery/http-attempt.ts';

const [http, https] = [new URL('http://receiver.test/'), new URL('https://receiver.test/')];

describe('error classification', () => {
  const connected = { start: 0, connect: 1 };
  const secured = { ...connected, tls: 2 };
  test.each<[string, string, Marks, boolean, URL]>([
    ['address_denied', 'address_denied', { start: 0 }, false, https],
    ['dns_failed', 'dns_failed', { start: 0 }, false, https],
    ['ETIMEDOUT', 'timeout', { start: 0 }, false, https],
    ['ECONNREFUSED', 'connect_refused', { start: 0 }, false, https],
    ['EHOSTUNREACH', 'connect_failed', { start: 0 }, false, https],
    ['ECONNRESET', 'connect_failed', { start: 0 }, false, http],
    ['ECONNRESET', 'tls_failed', connected, false, https],
    ['DEPTH_ZERO_SELF_SIGNED_CERT', 'tls_failed', connected, false, https],
    ['ECONNRESET', 'connection_reset', connected, false, http],
    ['EPIPE', 'connection_reset', secured, false, https],
    ['HPE_INVALID', 'protocol_error', secured, false, https],
    ['HPE_INVALID', 'protocol_error', connected, false, http],
    ['ECONNRESET', 'connection_reset', { start: 0 }, true, https],
    ['ECONNREFUSED', 'protocol_error', { start: 0 }, true, https],
  ])("a %s error is classified as %s depending on the request's progress", (code, error, marks, reused, target) => {
    expect(classify(code, marks, reused, target)).toBe(error);
  });

  test('a TLS error has the OpenSSL code', () => {
    const hidden = new Error(
      'write EPROTO 00A0:error:0A000410:SSL routines:ssl3_read_bytes:sslv3 alert handshake failure:x',
    );
    expect(opensslCode(hidden, 'EPROTO')).toBe('ERR_SSL_SSLV3_ALERT_HANDSHAKE_FAILURE');
    expect(opensslCode(hidden, 'ECONNRESET')).toBe('ECONNRESET');
    expect(opensslCode(new Error('write EPROTO'), 'EPROTO')).toBe('EPROTO');
  });
});

describe('attempts', () => {
  const nothing: Observed = {
    marks: { start: 10 },
    answer: null,
    body: [],
    error: 'timeout',
    reason: '',
    stale: false,
  };
  const head = { status: 200, retryAfter: '5', acknowledgedBy: 'Anna', forParser: '' };
  const answer = { head, start: Buffer.from('HTTP/1.1 200'), isRefused: false };

  test('an attempt without a status line records the error', () => {
    expect(toAttempt(nothing, 7.5)).toEqual({
      status: null,
      error: 'timeout',
      responseBody: '',
      retryAfter: null,
      acknowledgedBy: null,
      durationMs: 8,
      timings: { dns: null, connect: null, tls: null, firstByte: null },
    });
  });

  test('an attempt with a status line never has an error, regardless of the body', () => {
    const observed = { ...nothing, answer, body: [Buffer.from('th'), Buffer.from('änks')] };
    expect(toAttempt(observed, 7)).toMatchObject({
      status: 200,
      error: null,
      responseBody: 'thänks',
      retryAfter: '5',
      acknowledgedBy: 'Anna',
    });
  });

  test('an attempt never stores half a character', () => {
    expect(toAttempt({ ...nothing, answer, body: [Buffer.from('aü').subarray(0, 2)] }, 7).responseBody).toBe('a');
  });

  test('an attempt stores the text sent by a non-HTTP server or the TLS failure reason', () => {
    const refused = { head: null, start: Buffer.from('220 mail'), isRefused: true };
    expect(toAttempt({ ...nothing, answer: refused, error: 'protocol_error' }, 1)).toMatchObject({
      status: null,
      error: 'protocol_error',
      responseBody: '220 mail',
    });
    expect(toAttempt({ ...nothing, answer: refused, reason: 'CERT_HAS_EXPIRED' }, 1).responseBody).toBe(
      'CERT_HAS_EXPIRED',
    );
  });

  test('an attempt includes the name of the person who acknowledged, in UTF-8 or Latin-1', () => {
    const nameOf = (acknowledgedBy: string | null) =>
      toAttempt({ ...nothing, answer: { ...answer, head: { ...head, acknowledgedBy } } }, 1).acknowledgedBy;
    expect(nameOf(Buffer.from('Jürgen').toString('latin1'))).toBe('Jürgen');
    expect(nameOf('Jürgen')).toBe('Jürgen');
    expect(nameOf('')).toBe('');
    expect(nameOf(null)).toBe(null);
  });

  test.each<[string, Omit<Marks, 'start'>, (number | null)[]]>([
    ['on a new connection', { dns: 12, connect: 15, tls: 19.6, head: 30 }, [2, 3, 5, 10]],
    ['when connecting to an address', { connect: 15, tls: 19, head: 30 }, [null, 5, 4, 11]],
    ['without TLS', { dns: 12, connect: 15, head: 30 }, [2, 3, null, 15]],
    ['on a reused connection', { head: 30 }, [null, null, null, 20]],
  ])('an attempt records the duration of each phase %s', (_, marks, [dns, connect, tls, firstByte]) => {
    expect(toAttempt({ ...nothing, marks: { start: 10, ...marks } }, 1).timings).toEqual({
      dns,
      connect,
      tls,
      firstByte,
    });
  });
});
