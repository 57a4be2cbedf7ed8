import { expect, test } from 'vitest';
import { addressOf, isSigned, readAddress } from '#shared/delivery/acknowledge-address.ts';

test.each([0, 999, 1_000, 12_000])('the address of message %i of a hit is read as it was signed', (message) => {
  const claim = { hitId: 2 ** 33 + 1, message, until: 1_800_000_000 };
  const read = readAddress(addressOf('key', claim, 'an event'));
  expect(read).toMatchObject(claim);
  expect(read && isSigned('key', read, 'an event')).toBe(true);
});
