import { expect, test } from 'vitest';
import { dutyChanges } from '#shared/domain/people/duty.ts';
import type { DutyPlan } from '#shared/domain/people/shifts.ts';
import type { Recipient } from '#shared/domain/rule/recipient.ts';
import { NewRule, type Rule } from '#shared/domain/rule/rule.ts';
import { channelsOnDuty, nextDutyCheck, rulesOnDuty } from '#shared/domain/watch/duty-gap.ts';

const ALL_DAYS = [1, 2, 3, 4, 5, 6, 7];
const at = (text: string): number => Date.parse(`${text}:00Z`);

test('duty is checked again after the next change, and within an hour', () => {
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

const onDuty = (by: 'sms' | 'push' | 'email'): Recipient => ({ onDuty: true, by });
let lastRule = 0;
const ruleFor = (recipients: Recipient[], more: object = {}): Rule => ({
  ...NewRule.parse({ name: 'n', title: 't', message: 'm', situation: 'fall_detected', recipients, ...more }),
  id: ++lastRule,
  customerId: 1,
  createDate: 0,
  updateDate: 0,
});

test('an urgent rule needs someone on duty if any of its steps notifies people on duty', () => {
  const user: Recipient = { userId: 1, by: 'sms' };
  const needed = [
    ruleFor([onDuty('sms')]),
    ruleFor([user], { escalation: [{ afterSeconds: 60, recipients: [onDuty('push')] }] }),
    ruleFor([onDuty('sms')], { situation: 'sensor_inactive' }),
  ];
  const others = [
    ruleFor([user]),
    ruleFor([onDuty('sms')], { isEnabled: false }),
    ruleFor([onDuty('sms')], { situation: 'bed_left' }),
  ];
  expect(rulesOnDuty([...others, ...needed])).toEqual(needed);
});

test('going on duty requires only the channels used by currently active rules', () => {
  const schedule = { days: ALL_DAYS, from: '20:00', to: '06:00', timeZone: 'UTC' };
  const rules = [
    ruleFor([{ userId: 1, by: 'email' }, onDuty('sms')]),
    ruleFor([onDuty('push'), onDuty('sms')], { schedule }),
  ];
  expect(channelsOnDuty(rules, at('2027-01-04T12:00'))).toEqual(['sms']);
  expect(channelsOnDuty(rules, at('2027-01-04T20:00')).toSorted()).toEqual(['push', 'sms']);
  expect(channelsOnDuty([...rules].reverse(), at('2027-01-04T20:00'))).toEqual(
    channelsOnDuty(rules, at('2027-01-04T20:00')),
  );
  expect(channelsOnDuty([], at('2027-01-04T20:00'))).toEqual([]);
});
