import { describe, expect, test } from 'vitest';
import { readHead, statusIn } from '#shared/delivery/answer-head.ts';

const END = '\r\n\r\n';
/** Reads a head consisting of a status line and header lines. */
const read = (lines: readonly string[], statusLine = 'HTTP/1.1 200 OK', end = END) =>
  readHead([statusLine, ...lines].join('\r\n'), end);
/** The lines Node's parser reads instead. */
const framing = (lines: readonly string[], statusLine?: string, end?: string) =>
  read(lines, statusLine, end).forParser.split('\r\n');
const kept = (...more: string[]) => ['HTTP/1.1 200 ', 'Connection: keep-alive', ...more, '', ''];
const closed = (...more: string[]) => ['HTTP/1.1 200 ', 'Connection: close', ...more, '', ''];

describe('status lines', () => {
  test.each([
    ['HTTP/1.1 200 OK', 200],
    ['HTTP/1.0 100', 100],
    ['HTTP/1.1 599 ', 599],
    ['HTTP/1.1\t  404\tNot\nFound', 404],
  ])('the status is read from a status line: %j', (line, status) => {
    expect(statusIn(line)).toBe(status);
  });

  test.each([
    '',
    'HTTP/1.2 200',
    'HTTP/1.1 200OK',
    'HTTP/1.1200',
    'HTTP/1.1 600',
    'HTTP/1.1 20',
    ' HTTP/1.1 200',
    '200',
  ])('no status is read from a malformed status line: %j', (line) => {
    expect(statusIn(line)).toBe(null);
  });
});

test.each([
  ['with a length', ['Content-Length: 2'], ['Content-Length: 2']],
  ['with chunks', ['Transfer-Encoding: Chunked'], ['Transfer-Encoding: chunked']],
  ['with a length of 15 digits', [`Content-Length: ${'9'.repeat(15)}`], [`Content-Length: ${'9'.repeat(15)}`]],
  [
    'with Connection options other than close',
    ['Connection: Keep-Alive, Upgrade', 'Content-Length: 2'],
    ['Content-Length: 2'],
  ],
  ['with Latin-1 bytes and tabs in a value', ['X-A:\t~\x80\xff ', 'Content-Length: 2'], ['Content-Length: 2']],
  ['with any token as a header name', ["!#$%&'*+.^`|~-9aZ_: x", 'Content-Length: 2'], ['Content-Length: 2']],
])('a connection is kept open after a well-formed head %s', (_, lines, framed) => {
  expect(framing(lines)).toEqual(kept(...framed));
});

test.each([
  ['without a length', []],
  ['with a length of 16 digits', [`Content-Length: ${'9'.repeat(16)}`]],
  ['with a length that is not a number', ['Content-Length: 2x']],
  ['with an empty length', ['Content-Length:']],
  ['with another transfer coding', ['Transfer-Encoding: gzip']],
  ['with two lengths', ['Content-Length: 2', 'Content-Length: 3']],
])('a connection is closed after a head %s, because only the close ends the body', (_, lines) => {
  expect(framing(lines)).toEqual(closed());
});

test.each([
  ['a length twice', ['Content-Length: 2', 'Content-Length: 2'], ['Content-Length: 2']],
  ['a length twice on one line', ['Content-Length: 2, 2'], ['Content-Length: 2']],
  ['chunks and a length', ['Transfer-Encoding: chunked', 'Content-Length: 2'], ['Transfer-Encoding: chunked']],
  ['several codings', ['Transfer-Encoding: gzip, chunked'], ['Transfer-Encoding: chunked']],
  [
    'codings on several lines',
    ['Transfer-Encoding: gzip', 'Transfer-Encoding: chunked'],
    ['Transfer-Encoding: chunked'],
  ],
  ['chunks that are not the last coding', ['Transfer-Encoding: chunked, gzip'], []],
  ['a space before the colon', ['Content-Length : 2'], ['Content-Length: 2']],
  ['a space in a name', ['X A: a', 'Content-Length: 2'], ['Content-Length: 2']],
  ['a line without a colon', ['nonsense', 'Content-Length: 2'], ['Content-Length: 2']],
  ['an empty name', [': x', 'Content-Length: 2'], ['Content-Length: 2']],
  ['a control character', ['X-A: \x01', 'Content-Length: 2'], ['Content-Length: 2']],
  ['a DEL', ['X-A: \x7f', 'Content-Length: 2'], ['Content-Length: 2']],
  ['a CR in a value', ['X-A: a\rb', 'Content-Length: 2'], ['Content-Length: 2']],
  ['a folded line', ['X-A: a', ' b', 'Content-Length: 2'], ['Content-Length: 2']],
  ['Connection: close', ['Content-Length: 2', 'Connection: x, Close'], ['Content-Length: 2']],
])('a connection is closed after a head with %s', (_, lines, framed) => {
  expect(framing(lines)).toEqual(closed(...framed));
});

test('a connection is closed after lines without CRLF endings', () => {
  expect(framing(['Content-Length: 2'], undefined, '\n\n')).toEqual(closed('Content-Length: 2'));
  const lf = readHead('HTTP/1.1 200 OK\nContent-Length: 2', END);
  const cr = readHead('HTTP/1.1 200 OK\r\r\nContent-Length: 2', END);
  for (const { forParser } of [lf, cr]) expect(forParser.split('\r\n')).toEqual(closed('Content-Length: 2'));
});

test('an HTTP/1.0 connection is kept open only if the receiver says so, and never after a chunked response', () => {
  const old = 'HTTP/1.0 200 OK';
  expect(framing(['Content-Length: 2'], old)).toEqual(closed('Content-Length: 2'));
  expect(framing(['Connection: keep-alive', 'Content-Length: 2'], old)).toEqual(kept('Content-Length: 2'));
  expect(framing(['Connection: keep-alive', 'Transfer-Encoding: chunked'], old)).toEqual(
    closed('Transfer-Encoding: chunked'),
  );
});

test.each([204, 304])('a connection stays open after a %i response unless a header forbids it', (status) => {
  const line = `HTTP/1.1 ${status} x`;
  const without = (connection: string) => [
    `HTTP/1.1 ${status} `,
    `Connection: ${connection}`,
    'Content-Length: 0',
    '',
    '',
  ];
  expect(framing([], line)).toEqual(without('keep-alive'));
  expect(framing(['Content-Length: 0'], line)).toEqual(without('keep-alive'));
  expect(framing(['Content-Length: 2'], line)).toEqual(without('close'));
  expect(framing(['Content-Length: 0', 'Content-Length: 2'], line)).toEqual(without('close'));
  expect(framing(['Transfer-Encoding: chunked'], line)).toEqual(without('close'));
  expect(framing([], 'HTTP/1.1 205 x')[1]).toBe('Connection: close');
});

test('a connection uses the idle timeout from the Keep-Alive header', () => {
  const idle = (...values: string[]) =>
    framing(['Content-Length: 2', ...values.map((value) => `Keep-Alive: ${value}`)]).slice(3, -2);
  expect(idle('timeout=5, max=100')).toEqual(['Keep-Alive: timeout=5']);
  expect(idle('timeout=123456789')).toEqual(['Keep-Alive: timeout=123456789']);
  for (const value of ['max=100', 'x timeout=5', 'timeout=x', '']) expect(idle(value), value).toEqual([]);
  expect(idle('timeout=5', 'timeout=6')).toEqual([]);
  expect(idle()).toEqual([]);
});

test('a response that ends within the head does not have a body', () => {
  expect(framing(['Content-Length: 2', 'X-Acknowledged-By: Anna'], undefined, '')).toEqual(closed('Content-Length: 0'));
  expect(read(['X-Acknowledged-By: Anna'], undefined, '')).toMatchObject({ status: 200, acknowledgedBy: 'Anna' });
});

describe('header parsing', () => {
  test.each([
    ['regardless of case and without surrounding spaces', ['retry-AFTER : \t120 \t'], '120'],
    ['without a space after the colon', ['Retry-After:120'], '120'],
    ['with colons in the value', ['Retry-After: Wed, 06 Nov 2030 08:49:37 GMT'], 'Wed, 06 Nov 2030 08:49:37 GMT'],
    ['if it is folded', ['Retry-After: Wed,', '\t06 Nov', '  2030 '], 'Wed, 06 Nov 2030'],
    ['if it is sent twice with the same value', ['Retry-After: 120', 'Retry-After: 120'], '120'],
    ['if it is empty', ['Retry-After:'], ''],
    ['next to a line without a name', [':x', 'nonsense', 'Retry-After: 120'], '120'],
  ])('a header is parsed %s', (_, lines, value) => {
    expect(read(lines)).toMatchObject({ status: 200, retryAfter: value, acknowledgedBy: null });
  });

  test.each([
    ['is missing', ['X-Retry-After: 120']],
    ['has two different values', ['Retry-After: 120', 'Retry-After: 60', 'Retry-After: 120']],
    ['is folded onto the status line', [' Retry-After: 120']],
  ])('a header is ignored if it %s', (_, lines) => {
    expect(read(lines)).toMatchObject({ retryAfter: null });
  });
});
