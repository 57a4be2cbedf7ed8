import { describe, expect, test } from 'vitest';
import { actorOfCaller, auditIdText } from '#shared/domain/identity/audit.ts';
import { auditIdOf, firstAuditIdAt, timeOfAuditId } from '#shared/domain/identity/audit-id.ts';
import type { Caller } from '#shared/domain/identity/permission.ts';

describe('audit log ids', () => {
  test('an audit log id contains the time and six random bytes, and sorts by time', () => {
    const id = auditIdOf(1_800_000_000_000, Uint8Array.of(0, 1, 2, 253, 254, 255, 9));
    expect(id).toBe('01800000000000000102fdfeff');
    expect([auditIdText.safeParse(id).success, timeOfAuditId(id)]).toEqual([true, 1_800_000_000_000]);
    expect(timeOfAuditId(auditIdOf(99_999_999_999_999, new Uint8Array(6)))).toBe(99_999_999_999_999);
    const times = [0, 9, 10, 99_999_999_999_999].map((time) => auditIdOf(time, new Uint8Array(6)));
    expect(times.toSorted()).toEqual(times);
  });

  test('an audit log id sorts after the start of its millisecond and before the next one', () => {
    for (const random of [new Uint8Array(6), new Uint8Array(6).fill(255)]) {
      expect(auditIdOf(5, random) > firstAuditIdAt(5)).toBe(true);
      expect(auditIdOf(5, random) < firstAuditIdAt(6)).toBe(true);
    }
    expect([firstAuditIdAt(-1), firstAuditIdAt(10 ** 15)]).toEqual(['0'.repeat(14), '9'.repeat(14)]);
  });

  test.each(['0180000000000000010 2fdfeff', '1'.repeat(25), '1'.repeat(27), '01800000000000000102FDFEFF'])(
    '%j is not a valid audit log id',
    (text) => {
      expect(auditIdText.safeParse(text).success).toBe(false);
    },
  );
});

test("an audit actor is the user or the user's access token", () => {
  const actor = (kind: 'session' | 'token') => actorOfCaller({ kind, accountId: 7, name: 'anna' } as Caller);
  expect(actor('session')).toEqual({ kind: 'user', id: '7', name: 'anna' });
  expect(actor('token')).toEqual({ kind: 'token', id: '7', name: 'anna' });
});
