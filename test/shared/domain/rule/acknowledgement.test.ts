import { describe, expect, test } from 'vitest';
import { LINK_SECONDS, nameFrom, nameOfUser } from '#shared/domain/rule/acknowledgement.ts';

describe('acknowledgement names', () => {
  test.each([
    ['Anna Meier', 'Anna Meier'],
    ['  Anna  ', 'Anna'],
    ['Anna\u0000\u001bMeier\u007f', 'Anna  Meier'],
    ['Anna \ud83d', 'Anna \ufffd'],
    ['\ufffeAnna\uffff', 'Anna'],
    ['\u{1f691}'.repeat(65), '\u{1f691}'.repeat(64)],
    [`${'a'.repeat(63)} b`, 'a'.repeat(63)],
    [`  ${'a'.repeat(64)}`, 'a'.repeat(64)],
  ])('nameFrom turns %j into %j', (text, name) => {
    expect(nameFrom(text)).toBe(name);
  });

  test.each(['', '   ', '\u0000', '\u007f\uffff'])('nameFrom returns null for %j', (text) => {
    expect(nameFrom(text)).toBeNull();
  });

  test('nameOfUser returns the full name, or the username if both names are empty', () => {
    const user = { firstName: 'Anna', lastName: 'Meier', username: 'night' };
    expect(nameOfUser(user)).toBe('Anna Meier');
    expect(nameOfUser({ ...user, firstName: '' })).toBe('Meier');
    expect(nameOfUser({ ...user, firstName: ' ', lastName: '' })).toBe('night');
  });
});

test('an acknowledgement link is valid for a day', () => {
  expect(LINK_SECONDS).toBe(24 * 60 * 60);
});
