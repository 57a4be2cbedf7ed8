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
  ).why;

describe('why a rule did not fire', () => {
  test.each<[string, More, RegExp]>([
    ['it is switched off', { rule: { isEnabled: false } }, /^it is switched off$/],
    ['silence', { what: { isSilent: true } }, /^the report was a silent one$/],
    ['a simulation', { what: { isSimulated: true } }, /^the fall was simulated/],
    ['a region', { rule: { regionId: 'r' } }, /region r alone, and this was in none$/],
    ['a region, unknown', { rule: { regionId: 'r' }, isExact: false }, /kept only until the sensor's next decision$/],
    ['another sensor', { rule: { sensorId: 's2' } }, /^it is for the sensor s2$/],
    ['another group', { rule: { sensorGroupId: 3 } }, /^it is for the group 3, and the sensor is in group 2 now$/],
    [
      'its schedule',
      { rule: { schedule: { days: [7], from: '00:00', to: '06:00', timeZone: 'UTC' } } },
      /^its schedule is 00:00 to 06:00 on days 7, and it was Monday 12:00 in UTC$/,
    ],
    ['its rate limit', { firedAt: now - 10_000 }, /^it fired for an event 10 s away, and its rate limit is 60 s$/],
    ['its rate limit, perhaps', { firedAt: now, isExact: false }, /unless this was the first report of a new fall$/],
  ])('%s', (_, more, sentence) => {
    expect(whyNot(more)).toEqual([expect.stringMatching(sentence)]);
  });

  test('is explained with all reasons, and with the change of a rule after the event', () => {
    const change = { isEnabled: false, sensorId: 's2', updateDate: now + 1 };
    expect(whyNot({ rule: change })).toEqual([
      'it is for the sensor s2',
      'it is switched off',
      expect.stringMatching(/^it was changed at .*, after the event$/),
    ]);
    expect(whyNot({ rule: { createDate: now + 1 } })[1]).toMatch(/^it was made at .*, after the event$/);
  });

  test('is left unexplained when no stored data says why', () => {
    expect(whyNot({})).toEqual([
      'as it is now it would fire',
      expect.stringContaining('nothing that is kept says why'),
    ]);
  });
});
