import { describe, expect, test } from 'vitest';
import { type Decision, numberAfter } from '#shared/domain/event/decision.ts';
import { eventOf } from '#shared/domain/event/event.ts';
import { NewRule, type Rule } from '#shared/domain/rule/rule.ts';
import { evaluateRules } from '#shared/domain/rule/rule-conditions.ts';

const now = 1_800_000_000_000;

describe('rule evaluation', () => {
  const rule = (id: number, more: object = {}): Rule => ({
    ...NewRule.parse({
      name: 'n',
      title: 't',
      message: 'm',
      situation: 'bed_left',
      recipients: [{ userId: 1, by: 'sms' }],
      ...more,
    }),
    id,
    createDate: 0,
    updateDate: 0,
    customerId: 1,
  });
  const event = (createDate: number) => ({
    id: 1,
    uuid: '00000000-0000-4000-8000-000000000001',
    receiveDate: now,
    source: null,
    createDate,
    happening: eventOf('bed_left'),
  });
  const fired = (before: Record<string, number>, dates: number[], ...rules: Rule[]) =>
    evaluateRules(before, dates.map(event), () => rules);
  test('a rule fires only once within the rate limit', () => {
    const { decided, fired: after } = fired(
      {},
      [now, now + 59_999, now + 60_000],
      rule(7),
      rule(8, { rateLimitSeconds: 0 }),
    );
    expect(decided.map(({ rules }) => rules)).toEqual([[7, 8], [8], [7, 8]]);
    expect(after).toEqual({ 7: now + 60_000, 8: now + 60_000 });
  });
  test("a rule's last event is remembered for a day, the longest possible rate limit", () => {
    const day = 24 * 60 * 60_000;
    expect(fired({ 1: now - day, 2: now - day - 1 }, [now], rule(7)).fired).toEqual({ 1: now - day, 7: now });
    expect(fired({ 7: now + 90_000 }, [now], rule(7)).fired).toEqual({ 7: now + 90_000 });
    const before = { 1: now - 2 * day };
    expect(fired(before, [now], rule(7, { isEnabled: false })).fired).toBe(before);
  });
  test('hit numbers have no gaps', () => {
    const decided = fired({}, [now, now + 60_000], rule(7), rule(8)).decided;
    const decision: Decision = { decided, after: null, numbered: { series: 5, number: 10 } };
    expect(numberAfter(decision, now)).toEqual({ series: 5, number: 14 });
    expect(numberAfter(null, now)).toEqual({ series: now, number: 0 });
  });
});
