import { describe, expect, test } from 'vitest';
import { nameFrom, nameOfUser } from '#shared/domain/rule/acknowledgement.ts';

describe('the name of an acknowledgement', () => {
  test.each([
    ['Anna Meier', 'Anna Meier'],
    ['  Anna  ', 'Anna'],
    ['Anna\u0000\u001bMeier\u007f', 'Anna  Meier'],
    ['Anna \ud83d', 'Anna \ufffd'],
    ['\ufffeAnna\uffff', 'Anna'],
    ['\u{1f691}'.repeat(65), '\u{1f691}'.repeat(64)],
    [`${'a'.repeat(63)} b`, 'a'.repeat(63)],
  ])('%j is %j: cut to 64 characters, and free of what texts must not have', (given, name) => {
    expect(nameFrom(given)).toBe(name);
  });

  test.each(['', '   ', '\u0000', '\u007f\uffff'])('%j is none', (given) => {
    expect(nameFrom(given)).toBeNull();
  });

  test('of a user is that of the person, else the username', () => {
    const user = { firstName: 'Anna', lastName: 'Meier', username: 'night' };
    expect(nameOfUser(user)).toBe('Anna Meier');
    expect(nameOfUser({ ...user, firstName: '' })).toBe('Meier');
    expect(nameOfUser({ ...user, firstName: ' ', lastName: '' })).toBe('night');
  });
});
