import { expect, test } from 'vitest';
import { fallTokenOf, isSignedFall, parseFallToken, parseLinkToken } from '#shared/delivery/acknowledgement-link.ts';

const uuid = '0190f3a2-4c5d-7e6f-8a9b-0c1d2e3f4a5b';
const claim = { customerId: 7, userId: 12, until: 1_800_000_000, sensorId: 'abcdefghijklmnopqrstuvwxyz', uuid };

test('a valid fall link is parsed and verified', () => {
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
])('a fall link with a changed %s or another signing key is rejected', (_, change) => {
  const read = parseFallToken(fallTokenOf('key', claim));
  if (!read) throw new Error('the link could not be read');
  expect(isSignedFall('key', { ...read, ...change })).toBe(false);
  expect(isSignedFall('another', read)).toBe(false);
});

test('a fall link is never mistaken for a hit link', () => {
  expect(parseLinkToken(fallTokenOf('key', claim))).toBeNull();
  expect(parseFallToken(`1-0-1800000000-${'a'.repeat(22)}`)).toBeNull();
});

test('the fall link format never changes, so links in sent messages stay valid', () => {
  expect(fallTokenOf('key', claim)).toBe(
    'f7-12-1800000000-AZDzokxdfm-KmwwdLj9KWwGQ1gkl_4AJSoviHDB1yWag-abcdefghijklmnopqrstuvwxyz',
  );
});

test('a fall link can hold the largest ids, the latest expiry and any sensor id', () => {
  const longest = {
    ...claim,
    customerId: 9_007_199_254_740_991,
    userId: 1_234_567_890_123_456,
    until: 999_999_999_999,
  };
  expect(parseFallToken(fallTokenOf('key', longest))).toMatchObject(longest);
  expect(parseFallToken(fallTokenOf('key', { ...claim, sensorId: 'id_1-a' }))).toMatchObject({ sensorId: 'id_1-a' });
});

const [id, end] = ['A'.repeat(22), 'B'.repeat(22)];
test.each([
  '',
  `f1-2-3-${id}${end}-`,
  `f1-2-3-${id}${end}-${'s'.repeat(27)}`,
  `f1-2-3-${id}${end}-s!`,
  `f1-2-3-${id}${end}-s `,
  `f1-2-3-${id}${end}!-s`,
  `f1-2-3-!${id.slice(1)}${end}-s`,
  `f1-2-3-${id}!${end.slice(1)}-s`,
  `f1-2-3-${id}${end.slice(1)}-s`,
  `xf1-2-3-${id}${end}-s`,
  `1-2-3-${id}${end}-s`,
  `f${'1'.repeat(17)}-2-3-${id}${end}-s`,
  `f1-${'1'.repeat(17)}-3-${id}${end}-s`,
  `f1-2-${'1'.repeat(13)}-${id}${end}-s`,
  `fa-2-3-${id}${end}-s`,
  `f1-a-3-${id}${end}-s`,
  `f1-2-a-${id}${end}-s`,
])('the malformed fall link %j is rejected', (malformed) => {
  expect(parseFallToken(`f1-2-3-${id}${end}-s`)).toMatchObject({ sensorId: 's' });
  expect(parseFallToken(malformed)).toBe(null);
});
