import { describe, expect, test } from 'vitest';
import { verdictOf } from '#lib/tools/trace/rules.ts';
import { type EventDetails, eventOf } from '#shared/domain/event/event.ts';
import { NewRule, type Rule } from '#shared/domain/rule/rule.ts';

const recipients = [{ botId: 1, webhookId: '00000000-0000-4000-8000-000000000000' }];
const body = { name: 'n', title: 't', message: 'm', situation: 'fall_detected', recipients };
const rule: Rule = { ...NewRule.parse(body), id: 1, createDate: 0, updateDate: 0, customerId: 1 };
// A Monday.
const now = Date.parse('2026-01-05T12:00:00Z');
const event = {
  id: 1,
  uuid: 'a',
  receiveDate: now,
  createDate: now,
  type: 'fall',
  action: 'fall_detected',
  code: 1,
  coordinates: null,
  source: 'a',
};
type More = { rule?: Partial<Rule>; what?: Partial<EventDetails>; firedAt?: number; isExact?: boolean };
const whyNot = ({ rule: change = {}, what = {}, firedAt, isExact = true }: More): string[] =>
  verdictOf(
    { ...rule, ...change },
    {
      event,
      seen: { what: { ...eventOf('fall_detected'), ...what }, isExact },
      sensor: { id: 's1', groupId: 2 },
      fired: new Set(),
      firedAt: new Map(firedAt === undefined ? [] : [[1, firedAt]]),
    },
  ).reasons;

describe('verdictOf', () => {
  test.each<[string, More, RegExp]>([
    ['a disabled rule', { rule: { isEnabled: false } }, /^it is disabled$/],
    ['a report marked as silent', { what: { isSilent: true } }, /^the report is marked as silent$/],
    ['a simulated fall', { what: { isSimulated: true } }, /^the fall was simulated/],
    ['a rule for another region', { rule: { regionId: 'r' } }, /only to region r, but the event was in no region$/],
    [
      'a rule for a region when the event region is unknown',
      { rule: { regionId: 'r' }, isExact: false },
      /stored only until the sensor's next decision$/,
    ],
    ['a rule for another sensor', { rule: { sensorId: 's2' } }, /^it applies to sensor s2$/],
    [
      'a rule for another group',
      { rule: { sensorGroupId: 3 } },
      /^it applies to group 3, but the sensor is in group 2 now$/,
    ],
    [
      'a schedule',
      { rule: { schedule: { days: [7], from: '00:00', to: '06:00', timeZone: 'UTC' } } },
      /^its schedule is 00:00 to 06:00 on days 7, but it was Monday 12:00 in UTC$/,
    ],
    ['a rate limit', { firedAt: now - 10_000 }, /^it fired for another event within 10 s, and its rate limit is 60 s$/],
    [
      'a rate limit that may not have applied',
      { firedAt: now, isExact: false },
      /unless this was the first report of a new fall$/,
    ],
  ])('explains that a rule did not fire because of %s', (_, more, sentence) => {
    expect(whyNot(more)).toEqual([expect.stringMatching(sentence)]);
  });

  test('lists all reasons, and a rule change after the event', () => {
    const change = { isEnabled: false, sensorId: 's2', updateDate: now + 1 };
    expect(whyNot({ rule: change })).toEqual([
      'it applies to sensor s2',
      'it is disabled',
      expect.stringMatching(/^it was changed at .*, after the event$/),
    ]);
    expect(whyNot({ rule: { createDate: now + 1 } })[1]).toMatch(/^it was created at .*, after the event$/);
  });

  test('states that the reason is unknown if no stored data shows it', () => {
    expect(whyNot({})).toEqual([
      'its current version would fire',
      expect.stringContaining('the stored data does not show why'),
    ]);
  });
});
