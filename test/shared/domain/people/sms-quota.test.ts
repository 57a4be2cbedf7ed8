import { describe, expect, test } from 'vitest';
import { defaultQuotas } from '#shared/domain/identity/quota.ts';
import {
  isNearSmsLimit,
  SMS_CODES_PER_DAY,
  SMS_WINDOW_SECONDS,
  smsLimitOf,
  smsPurposeOf,
} from '#shared/domain/people/sms-quota.ts';
import { UNASSIGNED } from '#shared/domain/unassigned.ts';
import { bareSnapshot, ruleForPeople, snapshotForPeople } from '#test/fixtures/snapshot.ts';

const quotas = { ...defaultQuotas, smsPerDay: 101, smsCodesPerDay: 7, smsTestsPerDay: 9 };

describe('SMS quotas', () => {
  test.each([
    ['fall_detected', 'vital'],
    ['fall_detected_sensitive', 'vital'],
    ['apnea', 'vital'],
    ['vital_signs_weak', 'vital'],
    ['sensor_inactive', 'other'],
    ['fall_suspected', 'other'],
  ] as const)('an SMS about %s counts as %s', (situation, purpose) => {
    const snapshot = { ...snapshotForPeople, rule: { ...ruleForPeople, situation } };
    expect(smsPurposeOf({ snapshot })).toBe(purpose);
    expect(smsPurposeOf({ snapshot, isTest: true })).toBe('test');
  });
  test('an SMS without a rule counts as other', () => {
    expect(smsPurposeOf({ snapshot: bareSnapshot })).toBe('other');
  });
  test.each([
    ['vital', { subject: 'sms:3', limit: 101 }],
    ['other', { subject: 'sms:3', limit: 51 }],
    ['code', { subject: 'sms:code:3', limit: 7 }],
    ['test', { subject: 'sms:test:3', limit: 9 }],
  ] as const)('the limit for %s SMS leaves enough quota for falls', (purpose, limit) => {
    expect(smsLimitOf(3, purpose, quotas)).toEqual(limit);
  });
  test('an SMS without a customer still counts', () => {
    expect(smsLimitOf(null, 'vital', quotas).subject).toBe(`sms:${UNASSIGNED}`);
  });
});

test('managers are warned once 80% of the daily SMS quota has been used', () => {
  const hundred = { ...quotas, smsPerDay: 100 };
  expect([79, 80, 81].map((count) => isNearSmsLimit(count, hundred))).toEqual([false, true, true]);
});

test('an SMS code can be requested five times a day', () => {
  expect([SMS_CODES_PER_DAY, SMS_WINDOW_SECONDS]).toEqual([5, 24 * 60 * 60]);
});
