import { expect, test } from 'vitest';
import { dutyChanges } from '#shared/domain/people/duty.ts';
import type { DutyPlan } from '#shared/domain/people/shifts.ts';
import { nextDutyCheck } from '#shared/domain/watch/duty-gap.ts';

const ALL_DAYS = [1, 2, 3, 4, 5, 6, 7];
const at = (text: string): number => Date.parse(`${text}:00Z`);

test('the next check is at the next change of the roster, of what users said, or of a schedule, and within an hour', () => {
  const roster = [{ userId: 1, days: ALL_DAYS, from: '08:00', to: '08:45' }];
  const plan: DutyPlan = { roster, own: [], timeZone: 'UTC' };
  const rule = (from: string) =>
    ({ schedule: { days: ALL_DAYS, from, to: '23:00', timeZone: 'UTC' } }) as Parameters<typeof nextDutyCheck>[0][0];
  expect(dutyChanges(plan, at('2027-01-04T08:10'))).toContain(at('2027-01-04T08:45'));
  expect(nextDutyCheck([], plan, at('2027-01-04T07:30'))).toBe(at('2027-01-04T08:00'));
  expect(nextDutyCheck([], plan, at('2027-01-04T08:10'))).toBe(at('2027-01-04T08:45'));
  expect(nextDutyCheck([], plan, at('2027-01-04T12:00'))).toBe(at('2027-01-04T13:00'));
  expect(nextDutyCheck([rule('12:20')], plan, at('2027-01-04T12:00'))).toBe(at('2027-01-04T12:20'));
  const own = [{ userId: 1, until: at('2027-01-04T12:10') }];
  expect(nextDutyCheck([rule('12:20')], { ...plan, own }, at('2027-01-04T12:00'))).toBe(at('2027-01-04T12:10'));
});
