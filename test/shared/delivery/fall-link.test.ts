import { expect, test } from 'vitest';
import { fallTokenOf, isSignedFall, parseFallToken, parseLinkToken } from '#shared/delivery/acknowledgement-link.ts';

const uuid = '0190f3a2-4c5d-7e6f-8a9b-0c1d2e3f4a5b';
const claim = { customerId: 7, userId: 12, until: 1_800_000_000, sensorId: 'abcdefghijklmnopqrstuvwxyz', uuid };

test('reads and verifies a link to a fall', () => {
  const token = fallTokenOf('key', claim);
  const read = parseFallToken(token);
  expect(read).toMatchObject(claim);
  expect(read && isSignedFall('key', read)).toBe(true);
  expect(token.length).toBeLessThan(100);
});

test.each([
  ['customer', { customerId: 8 }],
  ['user', { userId: 13 }],
  ['time', { until: 1_800_000_001 }],
  ['sensor', { sensorId: 'bbcdefghijklmnopqrstuvwxyz' }],
  ['event', { uuid: '0190f3a2-4c5d-7e6f-8a9b-0c1d2e3f4a5c' }],
])('rejects a link to a fall whose %s was changed, or that another key signed', (_, change) => {
  const read = parseFallToken(fallTokenOf('key', claim));
  if (!read) throw new Error('the link could not be read');
  expect(isSignedFall('key', { ...read, ...change })).toBe(false);
  expect(isSignedFall('another', read)).toBe(false);
});

test('never mistakes a link to a fall for one to a hit', () => {
  expect(parseLinkToken(fallTokenOf('key', claim))).toBeNull();
  expect(parseFallToken(`1-0-1800000000-${'a'.repeat(22)}`)).toBeNull();
});
