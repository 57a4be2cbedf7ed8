import { once } from 'node:events';
import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { afterEach, describe, expect, it } from 'vitest';
import { createHttpClient } from '#shared/delivery/http-client.ts';
import { inPackets, startRawReceiver } from '#test/fixtures/raw-receiver.ts';

const policy = { allowPrivate: true, allowedRanges: [], allowLoopback: true };
const stops: (() => unknown)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0).reverse()) await stop();
});

/** Starts a receiver that responds with these parts, one per packet, and then ends the connection if `isEnded`. */
const receiver = async (answer: readonly (string | Buffer)[], isEnded = true) => {
  const started = await startRawReceiver((socket) => {
    inPackets(socket, answer, () => isEnded && socket.end());
  });
  stops.push(started.stop);
  return started;
};

const client = (deadlineMs = 15_000) => {
  const { post, close } = createHttpClient({ policy, deadlineMs });
  stops.push(close);
  return (url: string) => post({ url, headers: {}, body: '{}' });
};

const ack = 'X-Acknowledged-By: Night desk\r\n';
const accepted = { status: 200, error: null, acknowledgedBy: 'Night desk' };
const ok = `HTTP/1.1 200 OK\r\n`;
const two = 'Content-Length: 2\r\n';
const end = '\r\nok';

/** Responses that accept a delivery and acknowledge its alarm. */
const acceptances: Record<string, string> = {
  'nothing unusual': `${ok}${ack}${two}${end}`,
  'lines ending with LF': 'HTTP/1.1 200 OK\nX-Acknowledged-By: Night desk\nContent-Length: 2\n\nok',
  'header lines ending with LF': `${ok}X-Acknowledged-By: Night desk\nContent-Length: 2\n\nok`,
  'lines ending with CR CR LF': `${ok}${ack}${two}${end}`.replaceAll('\r\n', '\r\r\n'),
  'mixed line endings': `${ok}X-Acknowledged-By: Night desk\n${two}\nok`,
  'an empty line before the status line': `\r\n${ok}${ack}${two}${end}`,
  'no reason phrase': `HTTP/1.1 200\r\n${ack}${two}${end}`,
  'two spaces in the status line': `HTTP/1.1  200  OK\r\n${ack}${two}${end}`,
  'a reason phrase in Latin-1': `HTTP/1.1 200 D'accord \xe9\r\n${ack}${two}${end}`,
  'HTTP/1.0 without a length': `HTTP/1.0 200 OK\r\n${ack}${end}`,
  'a space before the colon': `${ok}X-Acknowledged-By : Night desk\r\nContent-Length : 2\r\n${end}`,
  'no space after the colon': `${ok}X-Acknowledged-By:Night desk\r\nContent-Length:2\r\n${end}`,
  'different capitalization': `${ok}x-ACKNOWLEDGED-by: Night desk\r\ncontent-LENGTH: 2\r\n${end}`,
  'a folded acknowledgement name': `${ok}X-Acknowledged-By: Night\r\n  desk\r\n${two}${end}`,
  'a folded header': `${ok}X-A: a\r\n b\r\n\tc\r\n${ack}${two}${end}`,
  'a folded line after the status line': `${ok} b\r\n${ack}${two}${end}`,
  'Content-Length twice': `${ok}${two}${two}${ack}${end}`,
  'Content-Length twice on one line': `${ok}Content-Length: 2, 2\r\n${ack}${end}`,
  'two different Content-Length values': `${ok}${two}Content-Length: 3\r\n${ack}${end}`,
  'Content-Length and chunked': `${ok}${two}Transfer-Encoding: chunked\r\n${ack}\r\n2\r\nok\r\n0\r\n\r\n`,
  'chunked and Content-Length': `${ok}Transfer-Encoding: chunked\r\n${two}${ack}\r\n2\r\nok\r\n0\r\n\r\n`,
  'an unknown transfer coding': `${ok}Transfer-Encoding: identity\r\n${ack}${end}`,
  'a negative length': `${ok}Content-Length: -1\r\n${ack}${end}`,
  'a length in words': `${ok}Content-Length: two\r\n${ack}${end}`,
  'a length of 40 digits': `${ok}Content-Length: ${'9'.repeat(40)}\r\n${ack}${end}`,
  'the same name twice': `${ok}${ack}${ack}${two}${end}`,
  'a space in a header name': `${ok}X A: a\r\n${ack}${two}${end}`,
  'a line without a colon': `${ok}nonsense\r\n${ack}${two}${end}`,
  'a line with only a colon': `${ok}:\r\n${ack}${two}${end}`,
  'a header name in UTF-8': `${ok}X-Ü: a\r\n${ack}${two}${end}`,
  'a control character in a header': `${ok}X-A: \x00\x01\x7f\r\n${ack}${two}${end}`,
  'a CR within a header': `${ok}X-A: a\rb\r\n${ack}${two}${end}`,
  'a 20 KB header': `${ok}Set-Cookie: ${'x'.repeat(20_000)}\r\n${ack}${two}${end}`,
  '60 KB of headers': `${ok}${`X-A: ${'x'.repeat(500)}\r\n`.repeat(118)}${ack}${two}${end}`,
  'more than 64 KB of headers': `${ok}${ack}${`X-A: ${'x'.repeat(500)}\r\n`.repeat(300)}${two}${end}`,
  'a header without an end': `${ok}${ack}X-A: ${'x'.repeat(200_000)}`,
  'a preceding 100': `HTTP/1.1 100 Continue\r\n\r\n${ok}${ack}${two}${end}`,
  'a preceding 103 with headers': `HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n${ok}${ack}${two}${end}`,
  'a malformed preceding 100': `HTTP/1.1 100\nX : \n\n${ok}${ack}${two}${end}`,
  'forty preceding 102 responses': `${'HTTP/1.1 102 Processing\r\n\r\n'.repeat(40)}${ok}${ack}${two}${end}`,
  'an offer to switch protocols': `${ok}Upgrade: h2,h2c\r\nConnection: Upgrade, close\r\n${ack}${two}${end}`,
  'headers that are cut off': `${ok}${ack}X-A`,
  'headers that are cut off after the acknowledgement name': `${ok}X-Acknowledged-By: Night desk`,
  'chunks without a last chunk': `${ok}Transfer-Encoding: chunked\r\n${ack}\r\n2\r\nok\r\n`,
  'no chunks despite chunked coding': `${ok}Transfer-Encoding: chunked\r\n${ack}${end}`,
  'a body that is too short': `${ok}Content-Length: 10\r\n${ack}${end}`,
  'a body that is too long': `${ok}Content-Length: 1\r\n${ack}${end}`,
};

describe('response parser', () => {
  it.each(Object.entries(acceptances))('the response parser accepts a 200 response with %s', async (_, answer) => {
    const { url, requests } = await receiver([Buffer.from(answer, 'latin1')]);
    expect(await client()(url)).toMatchObject(accepted);
    expect(requests).toHaveLength(1);
  });

  it.each(Object.entries(acceptances).filter(([, { length }]) => length < 2_000))(
    'the response parser accepts a 200 response that arrives byte by byte with %s',
    async (_, answer) => {
      const bytes = [...Buffer.from(answer, 'latin1')].map((byte) => Buffer.of(byte));
      const { url } = await receiver(bytes);
      expect(await client()(url)).toMatchObject(accepted);
    },
  );

  it.each([
    ['a 204 with a body', `HTTP/1.1 204 No Content\r\n${two}${end}`, 204],
    ['a 205', 'HTTP/1.1 205 Reset Content\r\n\r\n', 205],
    ['a 206', `HTTP/1.1 206 Partial Content\r\n${two}${end}`, 206],
    ['a 299', `HTTP/1.1 299 Ok\nContent-Length: 0\n\n`, 299],
    ['a 410', `HTTP/1.1 410 Gone\n${two}${two}\nok`, 410],
    ['the largest status, 599', `HTTP/1.0 599\n\n`, 599],
  ])('the response parser accepts %s', async (_, answer, status) => {
    const { url } = await receiver([answer]);
    expect(await client()(url)).toMatchObject({ status, error: null });
  });

  it('the response parser accepts a status line even if the connection is reset within the headers', async () => {
    const started = await startRawReceiver((socket) => inPackets(socket, [ok, ack], () => socket.resetAndDestroy()));
    stops.push(started.stop);
    expect(await client()(started.url)).toMatchObject(accepted);
    expect(started.requests).toHaveLength(1);
  });

  it('the response parser accepts a status line even if the headers never end', async () => {
    const { url } = await receiver([`${ok}${ack}X-A: b\r\n`], false);
    expect(await client(100)(url)).toMatchObject({ ...accepted, timings: { firstByte: expect.any(Number) } });
  });

  it('the response parser keeps the body of a malformed response', async () => {
    const { url } = await receiver([`HTTP/1.1 400 Bad Request\n${two}${two}\n`, 'no'], false);
    expect(await client()(url)).toMatchObject({ status: 400, responseBody: 'no' });
  });

  it('the response parser accepts a compressed body that was not requested', async () => {
    const { url } = await receiver([`${ok}Content-Encoding: gzip\r\n\r\n`, gzipSync('ok')]);
    expect(await client()(url)).toMatchObject({ status: 200, error: null });
  });

  it.each([
    ['from a line ending with LF', 'Retry-After: 120\n', '120'],
    ['sent twice with the same value', 'Retry-After: 120\r\nRetry-After : 120\r\n', '120'],
    ['as missing if it has two different values', 'Retry-After: 120\r\nRetry-After: 60\r\n', null],
  ])('the response parser reads Retry-After %s', async (_, header, retryAfter) => {
    const { url } = await receiver([`HTTP/1.1 503 Busy\r\n${header}\r\n`]);
    expect(await client()(url)).toMatchObject({ status: 503, retryAfter });
  });

  it('the response parser ignores X-Acknowledged-By if there are two different names', async () => {
    const { url } = await receiver([`${ok}${ack}X-Acknowledged-By: Day desk\r\n${two}${end}`]);
    expect(await client()(url)).toMatchObject({ status: 200, acknowledgedBy: null });
  });

  it('the response parser treats the first empty line as the end of the headers', async () => {
    const { url } = await receiver([`HTTP/1.1 200 OK\n\n${ack}\r\n`]);
    expect(await client()(url)).toMatchObject({ status: 200, acknowledgedBy: null, responseBody: `${ack}\r\n` });
  });

  it('the response parser accepts the status line regardless of what follows', async () => {
    const post = client(1_000);
    let answer: Uint8Array = Buffer.of();
    const started = await startRawReceiver((socket) => inPackets(socket, [ok, answer], () => socket.end()));
    stops.push(started.stop);
    const noise = fc.oneof(
      fc.uint8Array({ maxLength: 400 }),
      fc.array(fc.constantFrom('\r', '\n', ':', ' ', 'a', two, '0', 'Transfer-Encoding: chunked\r\n'), {
        maxLength: 60,
      }),
    );
    const bytesOf = (value: Uint8Array | string[]) => (Array.isArray(value) ? Buffer.from(value.join('')) : value);
    const property = fc.asyncProperty(noise, async (value) => {
      answer = bytesOf(value);
      const before = started.requests.length;
      expect(await post(started.url)).toMatchObject({ status: 200, error: null });
      expect(started.requests.length - before).toBe(1);
    });
    await fc.assert(property, { numRuns: 300 });
  });
});

describe('responses without a status line', () => {
  const html = '<br />\n<b>Warning</b>: x\r\nHTTP/1.1 200 OK\r\n\r\nok';
  it.each([
    ['another protocol', 'ICY 200 OK\r\n\r\nok'],
    ['HTTP/1.2', `HTTP/1.2 200 OK\r\n${two}${end}`],
    ['HTTP/2', `HTTP/2 200 OK\r\n${two}${end}`],
    ['HTTP/0.9', 'accepted'],
    ['lower case', `http/1.1 200 OK\r\n${two}${end}`],
    ['a status of four digits', 'HTTP/1.1 2000 OK\r\n\r\n'],
    ['a status of two digits', 'HTTP/1.1 20 OK\r\n\r\n'],
    ['a status above 599', 'HTTP/1.1 600 OK\r\n\r\n'],
    ['a status below 100', 'HTTP/1.1 099 OK\r\n\r\n'],
    ['text before the status line', html],
    ['TLS bytes', '\x15\x03\x01\x00\x02\x02\x46'],
    ['a protocol switch', 'HTTP/1.1 101 Switching Protocols\r\nUpgrade: h2c\r\n\r\n'],
  ])('a response without a status line ends as protocol_error and keeps the text: %s', async (_, answer) => {
    const { url } = await receiver([answer]);
    const failure = { status: null, error: 'protocol_error', responseBody: answer, acknowledgedBy: null };
    expect(await client()(url)).toMatchObject(failure);
  });

  it('a response without a status line keeps up to 200 bytes of text', async () => {
    const { url } = await receiver(['y'.repeat(150), 'z'.repeat(300)]);
    const responseBody = 'y'.repeat(150) + 'z'.repeat(50);
    expect(await client()(url)).toMatchObject({ error: 'protocol_error', responseBody });
  });

  it('a non-HTTP response ends as protocol_error even if the connection stays open until the deadline', async () => {
    const { url } = await receiver(['SSH-2.0-x'], false);
    expect(await client(100)(url)).toMatchObject({ error: 'protocol_error', responseBody: 'SSH-2.0-x' });
  });

  it('64 KiB of 1xx responses end as protocol_error', async () => {
    const { url } = await receiver(['HTTP/1.1 102 Processing\r\n\r\n'.repeat(3_000)], false);
    expect(await client()(url)).toMatchObject({ status: null, error: 'protocol_error' });
  });
});

describe('connection reuse', () => {
  /** Posts twice to a receiver that leaves connections open. Returns the statuses and the number of connections. */
  const postTwice = async (first: readonly string[], isClosed = false) => {
    const started = await startRawReceiver((socket, requests) =>
      inPackets(socket, requests === 1 ? first : [`HTTP/1.1 202 Accepted\r\n${two}${end}`]),
    );
    stops.push(started.stop);
    const post = client();
    const statuses = [(await post(started.url)).status];
    const [socket] = started.sockets;
    if (isClosed && socket && !socket.closed) await once(socket, 'close');
    statuses.push((await post(started.url)).status);
    return { statuses, connections: started.sockets.length };
  };

  it.each([
    ['a length', 200, `${ok}${two}${end}`],
    ['chunks', 200, `${ok}Transfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n`],
    ['no body', 204, 'HTTP/1.1 204 No Content\r\n\r\n'],
    ['HTTP/1.0 and keep-alive', 200, `HTTP/1.0 200 OK\r\nConnection: Keep-Alive\r\n${two}${end}`],
  ])('a connection stays open after a well-formed response with %s', async (_, status, answer) => {
    expect(await postTwice([answer])).toEqual({ statuses: [status, 202], connections: 1 });
  });

  it.each([
    ['lines ending with LF', 'HTTP/1.1 200 OK\nContent-Length: 2\n\nok'],
    ['Content-Length twice', `${ok}${two}${two}${end}`],
    ['Content-Length and chunked', `${ok}${two}Transfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n`],
    ['a space before the colon', `${ok}Content-Length : 2\r\n${end}`],
    ['a line without a colon', `${ok}nonsense\r\n${two}${end}`],
    ['HTTP/1.0', `HTTP/1.0 200 OK\r\n${two}${end}`],
    ['Connection: close', `${ok}Connection: close\r\n${two}${end}`],
  ])('a connection closes after a response with %s', async (_, answer) => {
    expect(await postTwice([answer], true)).toEqual({ statuses: [200, 202], connections: 2 });
  });

  const another = `HTTP/1.1 500 Error\r\n${two}${end}`;
  it.each([
    ['both in one packet', [`${ok}${two}${end}${another}`]],
    ['each in its own packet', [`${ok}${two}${end}`, another]],
    ['after a malformed response', [`${ok}${two}${two}${end}${another}`]],
    ['after a response without a body', ['HTTP/1.1 204 No Content\r\nContent-Length: 2\r\n\r\n', `ok${another}`]],
  ])('a second response is never returned to the next request: %s', async (_, answers) => {
    expect(await postTwice(answers, true)).toEqual({ statuses: [expect.any(Number), 202], connections: 2 });
  });

  it('a request is never repeated once part of a response has arrived, even on a reused connection', async () => {
    const started = await startRawReceiver((socket, requests) =>
      requests === 1
        ? inPackets(socket, [`${ok}${two}${end}`])
        : inPackets(socket, ['HTTP/1.1 '], () => socket.resetAndDestroy()),
    );
    stops.push(started.stop);
    const post = client();
    expect(await post(started.url)).toMatchObject({ status: 200 });
    expect(await post(started.url)).toMatchObject({ status: null, error: 'connection_reset' });
    expect(started.requests).toHaveLength(2);
  });

  it('a request is never repeated if a new connection breaks without a response', async () => {
    const started = await startRawReceiver((socket) => void socket.resetAndDestroy());
    stops.push(started.stop);
    expect(await client()(started.url)).toMatchObject({ status: null, error: 'connection_reset' });
    expect(started.requests).toHaveLength(1);
  });

  it('a connection closes when an unexpected response arrives', async () => {
    const { url, sockets } = await receiver([`${ok}${two}${end}`], false);
    const post = client();
    expect(await post(url)).toMatchObject({ status: 200 });
    const [socket] = sockets;
    socket?.write(another);
    if (socket) await once(socket, 'close');
    expect(await post(url)).toMatchObject({ status: 200 });
    expect(sockets).toHaveLength(2);
  });
});
