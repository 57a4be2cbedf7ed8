import { describe, expect, test } from 'vitest';
import { createAnswerReader } from '#shared/delivery/answer-reader.ts';

const OK = 'HTTP/1.1 200 OK\r\n';
/** Reads chunks, and returns the response, how often its head was reported, and what Node's parser gets. */
const reading = (...chunks: string[]) => {
  let heads = 0;
  const reader = createAnswerReader(() => {
    heads += 1;
  });
  const bytes = chunks.map((chunk) => reader.take(Buffer.from(chunk, 'latin1')).toString('latin1'));
  return { reader, answer: reader.answer, bytes, heads: () => heads };
};
const framed = (status: number, body = '') => `HTTP/1.1 ${status} \r\nConnection: close\r\n\r\n${body}`;
const cut = `HTTP/1.1 200 \r\nConnection: close\r\nContent-Length: 0\r\n\r\n`;

test('a response is passed on as soon as the head is complete', () => {
  const { answer, bytes, heads } = reading('HTTP/1.1 2', '00 OK\r\nX-A: b\r', '\n\r\nfirst', 'second\r\n\r\n');
  expect(bytes).toEqual(['', '', framed(200, 'first'), 'second\r\n\r\n']);
  expect(answer).toMatchObject({ head: { status: 200 }, isRefused: false });
  expect(heads()).toBe(1);
});

test('a response body can contain any bytes of any length', () => {
  const body = `\xff\xe9${'x'.repeat(70_000)}`;
  const { answer, bytes } = reading(`${OK}\r\n${body}`);
  expect([bytes, answer.isRefused]).toEqual([[framed(200, body)], false]);
});

test('a response can follow interim responses and empty lines', () => {
  const { bytes, answer } = reading(`\r\n\nHTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Hints\nA: b\n\n${OK}\r\nbody`);
  expect(bytes).toEqual([framed(200, 'body')]);
  expect(answer.head?.status).toBe(200);
  expect(reading('HTTP/1.1 199 x\r\n\r\n', `${OK}\r\n`).bytes).toEqual(['', framed(200)]);
});

test.each(['\r\n\r\n', '\n\n', '\r\r\n\r\r\n', '\r\n\n', '\n\r\n'])(
  'a response head ends with the empty line %j',
  (end) => {
    for (let at = 0; at <= end.length; at += 1) {
      const { bytes } = reading(`HTTP/1.1 200 OK${end.slice(0, at)}`, `${end.slice(at)}body`);
      expect(bytes.join('')).toBe(framed(200, 'body'));
    }
  },
);

test('the first 200 response bytes are kept', () => {
  expect(reading('a'.repeat(150), 'b'.repeat(150)).answer.start.toString()).toBe('a'.repeat(150) + 'b'.repeat(50));
  const long = reading('H', 'TTP/1.1 200 ', 'b'.repeat(150), 'c'.repeat(150), 'd').answer.start.toString();
  expect(long).toBe(`HTTP/1.1 200 ${'b'.repeat(150)}${'c'.repeat(37)}`);
  expect(reading('x'.repeat(300)).answer.start).toHaveLength(200);
});

test.each([
  ['in another protocol', 'ICY 200 OK\r\n'],
  ['a protocol switch', 'HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\n\r\n'],
  ['a protocol switch after an interim response', 'HTTP/1.1 100 x\r\n\r\nHTTP/1.1 101 x\r\n'],
])('a response is rejected if it is %s', (_, text) => {
  const { answer, bytes, heads } = reading(text);
  expect([answer.isRefused, answer.head, bytes, heads()]).toEqual([true, null, [''], 0]);
});

test('a response is cut off after 64 KiB of headers, and the incomplete last line is dropped', () => {
  const line = `X-A: ${'x'.repeat(993)}\r\n`;
  const before = `${OK}X-Acknowledged-By: Anna\r\n`;
  const rest = 65_536 - before.length;
  const fitting = reading(before, line.repeat(100).slice(0, rest));
  expect(fitting.answer.head).toBe(null);
  expect(fitting.reader.take(Buffer.from('x')).toString()).toBe(cut);
  expect(fitting.answer).toMatchObject({ head: { status: 200, acknowledgedBy: 'Anna' }, isRefused: false });
  expect(reading(before, `Retry-After: ${'1'.repeat(rest)}`).answer.head).toMatchObject({ retryAfter: null });
});

test('a response is rejected after 64 KiB without a status', () => {
  expect(reading('HTTP/1.1 100 x\r\nA: '.padEnd(65_536, 'x')).answer.isRefused).toBe(false);
  expect(reading('HTTP/1.1 100 x\r\nA: '.padEnd(65_537, 'x')).answer.isRefused).toBe(true);
  expect(reading('HTTP/1.1 200 '.padEnd(65_537, 'x')).answer.isRefused).toBe(true);
  expect(reading('HTTP/1.1 100 x\r\n\r\n'.repeat(4_000)).answer.isRefused).toBe(true);
});

describe('responses that end within the head', () => {
  const ended = (ending: 'eof' | 'failure', ...chunks: string[]) => {
    const { reader, answer } = reading(...chunks);
    return { bytes: reader.end(ending).toString('latin1'), answer };
  };

  test('an incomplete response head still provides its status and complete lines', () => {
    for (const ending of ['eof', 'failure'] as const) {
      const { bytes, answer } = ended(ending, `${OK}X-Acknowledged-By: Anna\r\n`);
      expect(bytes).toBe(cut);
      expect(answer).toMatchObject({ head: { status: 200, acknowledgedBy: 'Anna' }, isRefused: false });
    }
  });

  test('an incomplete last header line is ignored only after a failure', () => {
    expect(ended('failure', `${OK}Retry-After: 12`).answer.head).toMatchObject({ status: 200, retryAfter: null });
    expect(ended('eof', `${OK}Retry-After: 12`).answer.head).toMatchObject({ status: 200, retryAfter: '12' });
  });

  test('an incomplete response head needs a complete status line', () => {
    expect(ended('eof', 'HTTP/1.1 503').answer.head).toMatchObject({ status: 503 });
    expect(ended('failure', 'HTTP/1.1 503').answer).toMatchObject({ head: null, isRefused: false });
  });

  test.each(['H', 'HTTP/1.', 'HTTP/1.1 10'])(
    'an incomplete response head is ignored if it could have become valid: %s',
    (text) => {
      expect(ended('failure', text)).toMatchObject({ bytes: '', answer: { head: null, isRefused: false } });
    },
  );

  test.each(['SSH-2.0', 'HTTQ', 'HTTP/2', 'xHTTP/1.'])(
    'an incomplete response head is rejected if it could not become valid: %s',
    (text) => {
      expect(ended('failure', text)).toMatchObject({ bytes: '', answer: { head: null, isRefused: true } });
      expect(ended('eof', text).answer.isRefused).toBe(true);
    },
  );

  test('interim responses alone do not count as a response', () => {
    for (const ending of ['eof', 'failure'] as const)
      expect(ended(ending, 'HTTP/1.1 100 x\r\nA: b\r\n')).toMatchObject({
        bytes: '',
        answer: { head: null, isRefused: false },
      });
  });

  test('an incomplete response head is rejected if it switches protocols', () => {
    expect(ended('eof', 'HTTP/1.1 101 x').answer).toMatchObject({ head: null, isRefused: true });
  });

  test('an incomplete response head is not parsed twice', () => {
    expect(ended('eof', `${OK}\r\nbody`)).toMatchObject({ bytes: '', answer: { isRefused: false } });
    expect(ended('eof', 'ICY 200 OK\r\n').bytes).toBe('');
    expect(ended('eof')).toMatchObject({ bytes: '', answer: { head: null, isRefused: false } });
  });
});
