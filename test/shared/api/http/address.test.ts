import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { addressOf, type TrustedProxy } from '#shared/api/http/address.ts';
import type { APIGatewayProxyEvent } from '#shared/api/http/exchange.ts';

const secret = 'the-secret-of-the-hop';
const proxy: TrustedProxy = {
  TRUSTED_PROXY_HEADER: 'x-viewer',
  TRUSTED_PROXY_SECRET_HEADER: 'x-hop',
  TRUSTED_PROXY_SECRET: secret,
};
const none = { TRUSTED_PROXY_HEADER: '', TRUSTED_PROXY_SECRET_HEADER: '', TRUSTED_PROXY_SECRET: '' };
const PEER = '203.0.113.9';

const at = (headers: Record<string, string[]>, by = proxy, sourceIp = PEER): string =>
  addressOf({ multiValueHeaders: headers, requestContext: { identity: { sourceIp } } } as APIGatewayProxyEvent, by);
const through = (...viewer: string[]) => at({ 'X-Hop': [secret], 'X-Viewer': viewer });

describe('caller address behind the trusted proxy', () => {
  test.each([
    [['192.0.2.1'], '192.0.2.1'],
    [['10.0.0.1, 198.51.100.7 ,192.0.2.1'], '192.0.2.1'],
    [['10.0.0.1', '192.0.2.1'], '192.0.2.1'],
    [['192.0.2.1:46532'], '192.0.2.1'],
    [['2001:DB8:1:2:3:4:5:6'], '2001:db8:1:2'],
    [['[2001:0db8:1:2::1]:443'], '2001:db8:1:2'],
    [['2001:db8:1:2::c4a:42838'], '2001:db8:1:2'],
    [['2001:db8::1'], '2001:db8:0:0'],
    [['::ffff:192.0.2.1'], '192.0.2.1'],
  ])("the caller address is the last entry in the proxy's header: %j yields %s", (viewer, address) => {
    expect(through(...viewer)).toBe(address);
  });
  test.each([
    [[]],
    [['']],
    [['192.0.2.1,']],
    [['unknown']],
    [['192.0.2.256']],
    [['192.0.2.1:port']],
    [['fe80::1%eth0']],
    [['192.0.2.1 192.0.2.2']],
    [['[192.0.2.1']],
  ])('the caller address falls back to the TCP peer if the header has no address: %j', (viewer) => {
    expect(through(...viewer)).toBe(PEER);
  });
  test('the caller address falls back to the TCP peer if the header appears twice with different capitalization', () => {
    expect(at({ 'X-Hop': [secret], 'X-Viewer': ['192.0.2.1'], 'x-viewer': ['192.0.2.2'] })).toBe(PEER);
  });
  test('the caller address falls back to the TCP peer unless the header contains the secret exactly once', () => {
    const viewer = { 'X-Viewer': ['192.0.2.1'] };
    expect(at(viewer)).toBe(PEER);
    for (const hop of [[''], ['a-guess'], [secret, secret], ['a-guess', secret], [`${secret}, ${secret}`]])
      expect(at({ ...viewer, 'X-Hop': hop }), String(hop)).toBe(PEER);
    expect(at({ ...viewer, 'X-Hop': [secret], 'x-hop': [secret] })).toBe(PEER);
    expect(at({ ...viewer, '': [''] }, none)).toBe(PEER);
  });
  test('the proxy must send the secret itself, even if only its hash is configured', () => {
    const hash = `sha256:${createHash('sha256').update(secret).digest('hex')}`;
    const hashed = { ...proxy, TRUSTED_PROXY_SECRET: hash };
    expect(at({ 'X-Hop': [secret], 'X-Viewer': ['192.0.2.1'] }, hashed)).toBe('192.0.2.1');
    expect(at({ 'X-Hop': [hash], 'X-Viewer': ['192.0.2.1'] }, hashed)).toBe(PEER);
  });
});

test('recognizes the trusted proxy by its lowercase headers on the device API', () => {
  // The payload of an HTTP API, version 1.0.
  // https://docs.aws.amazon.com/apigateway/latest/developerguide/http-api-develop-integrations-lambda.html
  const headers = { 'x-hop': [secret], 'x-viewer': ['192.0.2.1'], 'X-Forwarded-For': ['198.51.100.7, 203.0.113.9'] };
  expect(at(headers)).toBe('192.0.2.1');
  expect(at({ ...headers, 'x-hop': ['a-guess'] })).toBe(PEER);
  expect(at(headers, none)).toBe(PEER);
});

test.each([
  ['2001:db8:1:2:ffff::1', '2001:db8:1:2'],
  ['::ffff:198.51.100.7', '198.51.100.7'],
  ['fe80::1%eth0', 'fe80:0:0:0'],
  ['::1', '0:0:0:0'],
  ['', ''],
])('the TCP peer %s counts as %s', (sourceIp, address) => {
  expect(at({}, none, sourceIp)).toBe(address);
});
