import { describe, expect, test } from 'vitest';
import { AcknowledgingUser, ClosingUser } from '#shared/domain/rule/acknowledgement-view.ts';
import { acknowledgedBy, closedBy, isAnsweredAlike, isSameAuthor } from '#shared/domain/rule/noted-acknowledgement.ts';

const anna = { userId: 1, name: 'Anna', date: 100 };
const ben = { userId: 2, name: 'Ben', date: 200 };

describe('first acknowledgement', () => {
  test('a second acknowledgement does not change the author', () => {
    expect(acknowledgedBy({ ...anna, note: 'On my way' }, undefined)).toEqual({ ...anna, note: 'On my way' });
    expect(acknowledgedBy({ ...ben, note: 'Me too' }, anna)).toBeNull();
    expect(acknowledgedBy({ ...anna, isShared: true, note: '' }, undefined)).toEqual(anna);
  });
  test('only the author can change an acknowledgement note', () => {
    const noted = { ...anna, note: 'On my way' };
    expect(acknowledgedBy({ ...anna, date: 300, note: 'There' }, noted)).toEqual({ ...anna, note: 'There' });
    expect(acknowledgedBy({ ...anna, note: '' }, noted)).toEqual(anna);
    expect(acknowledgedBy({ ...anna, note: 'On my way' }, noted)).toBeNull();
    expect(acknowledgedBy(anna, noted)).toBeNull();
    expect(acknowledgedBy({ ...ben, note: '' }, noted)).toBeNull();
  });
  test('an acknowledgement on a shared display belongs to the person named there', () => {
    const display = { userId: 5, name: 'Anna', date: 1, isShared: true as const };
    expect(isSameAuthor(display, { userId: 5, name: 'Anna', date: 0 })).toBe(true);
    expect(isSameAuthor(display, { userId: 5, name: 'Ben', date: 0 })).toBe(false);
    expect(isSameAuthor({ userId: 5, name: 'Anna', date: 1 }, { userId: 5, name: 'Ben', date: 0 })).toBe(true);
    expect(isSameAuthor(display, { userId: 6, name: 'Anna', date: 0 })).toBe(false);
  });
  test('an acknowledgement from a receiver cannot be changed', () => {
    const named = { userId: null, name: 'Anna', date: 1 };
    expect(isSameAuthor(named, named)).toBe(false);
    expect(acknowledgedBy({ ...named, note: 'n' }, named)).toBeNull();
  });
});

describe('fall closures', () => {
  const helped = { ...anna, outcome: 'helped' as const };
  test('anyone can change the outcome and note of a closed alarm', () => {
    expect(closedBy({ outcome: 'helped' }, anna, undefined)).toEqual(helped);
    expect(closedBy({ outcome: 'helped', note: 'unhurt' }, anna, undefined)).toEqual({ ...helped, note: 'unhurt' });
    const noted = { ...helped, note: 'unhurt' };
    expect(closedBy({ outcome: 'got_up' }, ben, noted)).toEqual({ ...noted, outcome: 'got_up' });
    expect(closedBy({ outcome: 'helped', note: 'bruise' }, ben, noted)).toEqual({ ...noted, note: 'bruise' });
    expect(closedBy({ outcome: 'helped', note: '' }, ben, noted)).toEqual(helped);
  });
  test('closing an alarm again with the same outcome and note changes nothing', () => {
    expect(closedBy({ outcome: 'helped' }, ben, helped)).toBeNull();
    expect(closedBy({ outcome: 'helped', note: 'n' }, ben, { ...helped, note: 'n' })).toBeNull();
  });
});

test('two responses are equal only if their acknowledgements and closures are equal', () => {
  const answered = {
    acknowledgement: { ...anna, note: 'n' },
    closure: { ...ben, outcome: 'helped' as const, note: 'm' },
  };
  expect(isAnsweredAlike(answered, structuredClone(answered))).toBe(true);
  expect(isAnsweredAlike({}, {})).toBe(true);
  const { acknowledgement, closure } = answered;
  for (const other of [
    {},
    { acknowledgement },
    { closure },
    { ...answered, acknowledgement: { ...acknowledgement, userId: 9 } },
    { ...answered, acknowledgement: { ...acknowledgement, name: 'Ben' } },
    { ...answered, acknowledgement: { ...acknowledgement, date: 1 } },
    { ...answered, acknowledgement: { ...acknowledgement, note: 'other' } },
    { ...answered, closure: { ...closure, outcome: 'got_up' as const } },
  ]) {
    expect(isAnsweredAlike(answered, other)).toBe(false);
    expect(isAnsweredAlike(other, answered)).toBe(false);
  }
});

describe('response bodies', () => {
  test('an acknowledgement may contain a note of up to 256 characters', () => {
    const accepts = (body: object) => AcknowledgingUser.safeParse(body).success;
    expect([
      accepts({}),
      accepts({ note: '' }),
      accepts({ note: 'n'.repeat(256) }),
      accepts({ name: 'n'.repeat(64) }),
    ]).not.toContain(false);
    expect([
      accepts({ note: 'n'.repeat(257) }),
      accepts({ name: '' }),
      accepts({ name: 'n'.repeat(65) }),
    ]).not.toContain(true);
  });
  test('a fall is closed with one of three outcomes', () => {
    const closes = (outcome: unknown) => ClosingUser.safeParse({ outcome }).success;
    expect(['helped', 'got_up', 'false_alarm'].map(closes)).toEqual([true, true, true]);
    expect([closes('other'), closes(undefined)]).toEqual([false, false]);
    expect(ClosingUser.safeParse({ outcome: 'helped', note: 'n'.repeat(257) }).success).toBe(false);
  });
});
