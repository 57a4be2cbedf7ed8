import { describe, expect, test } from 'vitest';
import { hasValidSignature, linkTokenOf, parseLinkToken } from '#shared/delivery/acknowledgement-link.ts';

test.each([0, 999, 1_000, 12_000])('the acknowledgement link for message %i is parsed and verified', (message) => {
  const claim = { hitId: 2 ** 33 + 1, message, until: 1_800_000_000 };
  const read = parseLinkToken(linkTokenOf('key', claim, 'an event'));
  expect(read).toMatchObject(claim);
  expect(read && hasValidSignature('key', read, 'an event')).toBe(true);
});

const claim = { hitId: 12, message: 3, until: 1_800_000_000 };
const token = () => linkTokenOf('key', claim, 'an event');

test.each<[string, Partial<typeof claim>, string?]>([
  ['hit', { hitId: 13 }],
  ['message', { message: 4 }],
  ['time', { until: 1_800_000_001 }],
  ['event', {}, 'another event'],
])('an acknowledgement link with a changed %s or another signing key is rejected', (_, change, event = 'an event') => {
  const read = parseLinkToken(token());
  if (!read) throw new Error('the link could not be read');
  expect(hasValidSignature('key', { ...read, ...change }, event)).toBe(false);
  expect(hasValidSignature('another', read, event)).toBe(false);
});

describe('acknowledgement link tokens', () => {
  const end = 'a'.repeat(22);

  test('the acknowledgement token format never changes, so links in sent messages stay valid', () => {
    expect(token()).toBe('12-3-1800000000-Uye4bM3tiFHu4c3hapCRIg');
  });

  test('an acknowledgement token can hold the largest hit id, message number and expiry', () => {
    expect(parseLinkToken(`${'9'.repeat(15)}1-999999-999999999999-${end}`)).toEqual({
      hitId: Number(`${'9'.repeat(15)}1`),
      message: 999_999,
      until: 999_999_999_999,
      signature: end,
    });
    expect(parseLinkToken(`1-0-1-${'-_'.repeat(11)}`)).toMatchObject({ hitId: 1, message: 0, until: 1 });
  });

  test.each([
    '',
    ` 1-0-1-${end}`,
    `a1-0-1-${end}`,
    `1-0-1-${end}a`,
    `1-0-1-${end.slice(1)}`,
    `1-0-1-${end.slice(1)}!`,
    `${'1'.repeat(17)}-0-1-${end}`,
    `1-${'1'.repeat(7)}-1-${end}`,
    `1-0-${'1'.repeat(13)}-${end}`,
    `a-0-1-${end}`,
    `1-a-1-${end}`,
    `1-0-a-${end}`,
    `-0-1-${end}`,
  ])('a malformed acknowledgement token is rejected: %j', (malformed) => {
    expect(parseLinkToken(malformed)).toBe(null);
  });
});
