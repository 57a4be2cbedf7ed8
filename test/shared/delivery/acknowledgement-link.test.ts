import { expect, test } from 'vitest';
import { hasValidSignature, linkTokenOf, parseLinkToken } from '#shared/delivery/acknowledgement-link.ts';

test.each([0, 999, 1_000, 12_000])('reads and verifies the acknowledgement link of message %i of a hit', (message) => {
  const claim = { hitId: 2 ** 33 + 1, message, until: 1_800_000_000 };
  const read = parseLinkToken(linkTokenOf('key', claim, 'an event'));
  expect(read).toMatchObject(claim);
  expect(read && hasValidSignature('key', read, 'an event')).toBe(true);
});
