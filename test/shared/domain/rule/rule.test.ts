import { describe, expect, test } from 'vitest';
import { type EventDetails, eventOf, isTrustedTime, type Situation } from '#shared/domain/event/event.ts';
import { NewRule, type Rule, RuleCopy, RuleUpdate } from '#shared/domain/rule/rule.ts';
import { fires, unmetConditions } from '#shared/domain/rule/rule-conditions.ts';
import { fillPlaceholders, MAX_SENT_LENGTH } from '#shared/domain/rule/rule-texts.ts';

const recipients = [{ botId: 1, webhookId: '00000000-0000-4000-8000-000000000000' }];
const body = { name: 'n', title: 't', message: 'm', situation: 'fall_detected', recipients };
const rule: Rule = { ...NewRule.parse(body), id: 1, createDate: 0, updateDate: 0, customerId: 1 };
const now = Date.parse('2026-01-05T12:00:00Z');
const atOnce = { createDate: now, receiveDate: now };
const fall = eventOf('fall_detected');

describe('rules', () => {
  test('a rule fires only for the configured situation', () => {
    expect(fires(rule, fall, atOnce, undefined)).toBe(true);
    expect(fires(rule, eventOf('fall_suspected'), atOnce, undefined)).toBe(false);
    expect(fires(rule, { ...fall, situation: null }, atOnce, undefined)).toBe(false);
  });

  test.each<[string, Partial<Rule>, Partial<EventDetails>, boolean]>([
    ['does not fire if it is disabled', { isEnabled: false }, {}, false],
    ['does not fire for an event with isSilent', {}, { isSilent: true }, false],
    [
      'does not fire for a new fall with isSilent',
      { includeSimulated: true },
      { isSilent: true, newFall: true },
      false,
    ],
    ['does not fire for a simulated event', {}, { isSimulated: true }, false],
    ['fires for a simulated event with includeSimulated', { includeSimulated: true }, { isSimulated: true }, true],
    ['does not fire for an event without a region if the rule has a region', { regionId: 'a' }, {}, false],
    ['fires in its region', { regionId: 'a' }, { region: { id: 'a', index: 0, name: '' } }, true],
    ['does not fire in another region', { regionId: 'a' }, { region: { id: 'b', index: 0, name: '' } }, false],
    ['fires in any region if the rule has no region', {}, { region: { id: 'b', index: 0, name: '' } }, true],
  ])('a rule %s', (_, ruleMore, more, expected) => {
    expect(fires({ ...rule, ...ruleMore }, { ...fall, ...more }, atOnce, undefined)).toBe(expected);
  });

  test('a rule fires only within the schedule', () => {
    const at = (from: string, to: string) => ({ ...rule, schedule: { days: [1], from, to, timeZone: 'UTC' } });
    expect(fires(at('12:00', '12:01'), fall, atOnce, undefined)).toBe(true);
    expect(fires(at('12:01', '13:00'), fall, atOnce, undefined)).toBe(false);
  });

  test('a scheduled rule also fires based on the receipt time if the situation is urgent', () => {
    const late = { createDate: now, receiveDate: now + 2 * 3_600_000 };
    const firesAt = (from: string, to: string, situation: Situation = 'fall_detected') => {
      const scheduled = { ...rule, situation, schedule: { days: [1], from, to, timeZone: 'UTC' } };
      return fires(scheduled, eventOf(situation), late, undefined);
    };
    expect([firesAt('11:00', '13:00'), firesAt('13:00', '15:00'), firesAt('12:30', '13:30')]).toEqual([
      true,
      true,
      false,
    ]);
    expect(firesAt('11:00', '13:00', 'bed_left')).toBe(true);
    expect(firesAt('13:00', '15:00', 'bed_left')).toBe(false);
  });

  test('a rule fires again only after the rate limit', () => {
    expect(fires(rule, fall, atOnce, now - 59_999)).toBe(false);
    expect(fires(rule, fall, atOnce, now - 60_000)).toBe(true);
    expect(fires({ ...rule, rateLimitSeconds: 0 }, fall, atOnce, now)).toBe(true);
  });

  test('the rate limit does not apply to a late event from long before the last hit', () => {
    expect(fires(rule, fall, atOnce, now + 59_999)).toBe(false);
    expect(fires(rule, fall, atOnce, now + 60_000)).toBe(true);
    expect(fires({ ...rule, rateLimitSeconds: 0 }, fall, atOnce, now + 1)).toBe(true);
  });

  test('a rule fires for a new fall regardless of the rate limit', () => {
    expect(fires({ ...rule, rateLimitSeconds: 86_400 }, { ...fall, newFall: true }, atOnce, now)).toBe(true);
  });
});

test('unmetConditions lists every condition that prevents a rule from firing', () => {
  const schedule = { days: [2], from: '00:00', to: '00:00', timeZone: 'UTC' };
  const never = { ...rule, isEnabled: false, regionId: 'a', schedule };
  const silent = { ...eventOf('fall_suspected'), isSilent: true, isSimulated: true };
  const all = ['isEnabled', 'situation', 'isSilent', 'isSimulated', 'region', 'schedule', 'rateLimit'];
  expect(unmetConditions(never, silent, atOnce, now)).toEqual(all);
  expect(unmetConditions(rule, fall, atOnce, undefined)).toEqual([]);
});

test('NewRule fills in defaults for missing fields', () => {
  expect(NewRule.parse(body)).toEqual({
    ...body,
    sensorId: null,
    sensorGroupId: null,
    regionId: null,
    schedule: null,
    rateLimitSeconds: 60,
    includeSimulated: false,
    isEnabled: true,
    escalation: [],
    repeatSeconds: null,
    untilAcknowledged: true,
  });
});

test('NewRule allows at most five steps, ordered by time', () => {
  const escalation = [30, 31, 60, 3_600, 86_400].map((afterSeconds) => ({ afterSeconds, recipients }));
  expect(NewRule.parse({ ...body, escalation, repeatSeconds: 86_400 })).toMatchObject({ escalation });
  const twice = [...escalation.slice(0, 2), { afterSeconds: 31, recipients }];
  const { error } = NewRule.safeParse({ ...body, escalation: twice });
  expect(error?.issues.map(({ path }) => path)).toEqual([['escalation', 2, 'afterSeconds']]);
});

test('NewRule allows the longest texts, a sensor or group region, and up to 20 recipients', () => {
  const regionId = '00000000-0000-4000-8000-000000000000';
  for (const more of [
    { name: 'x'.repeat(64), title: 'x'.repeat(128), message: 'x'.repeat(512) },
    { name: 'x', title: 'x', message: 'x' },
    { sensorId: 's'.repeat(26), regionId },
    { sensorGroupId: 1 },
    { rateLimitSeconds: 0, repeatSeconds: 60 },
    { rateLimitSeconds: 86_400 },
    { recipients: Array(20).fill(recipients[0]) },
    { escalation: [{ afterSeconds: 30, recipients: Array(20).fill(recipients[0]) }] },
  ])
    expect(NewRule.parse({ ...body, ...more })).toMatchObject(more);
});

test.each([
  [{ sensorId: 's', sensorGroupId: 1 }, ['sensorGroupId'], 'one_scope'],
  [{ regionId: '00000000-0000-4000-8000-000000000000' }, ['regionId'], 'region_needs_sensor'],
  [
    { regionId: '00000000-0000-4000-8000-000000000000', sensorId: 's', situation: 'apnea' },
    ['regionId'],
    'situation_has_no_region',
  ],
  [
    { escalation: [60, 60].map((afterSeconds) => ({ afterSeconds, recipients })) },
    ['escalation', 1, 'afterSeconds'],
    'steps_rise',
  ],
])('NewRule names the field and the reason when %j contradicts itself', (more, path, key) => {
  const { error } = NewRule.safeParse({ ...body, ...more });
  expect(error?.issues).toMatchObject([{ path, params: { key } }]);
});

test.each([
  { sensorId: '' },
  { sensorId: 's'.repeat(27) },
  { title: '' },
  { message: '' },
  { name: '' },
  { name: 'x'.repeat(65) },
  { title: 'x'.repeat(129) },
  { message: 'x'.repeat(513) },
  { situation: 'unknown' },
  { situation: 'ping' },
  { situation: 'constructor' },
  { sensorId: 'id_123456789', sensorGroupId: 1 },
  { rateLimitSeconds: -1 },
  { rateLimitSeconds: 86_401 },
  { rateLimitSeconds: 1.5 },
  { recipients: [] },
  { recipients: Array(21).fill(recipients[0]) },
  { isEnabled: 'true' },
  { escalation: Array.from({ length: 6 }, (_, at) => ({ afterSeconds: 30 + at, recipients })) },
  { escalation: [{ afterSeconds: 29, recipients }] },
  { escalation: [{ afterSeconds: 86_401, recipients }] },
  { escalation: [{ afterSeconds: 30.5, recipients }] },
  { escalation: [{ afterSeconds: '30', recipients }] },
  { escalation: [{ afterSeconds: 30, recipients: [] }] },
  { escalation: [{ afterSeconds: 30, recipients: Array(21).fill(recipients[0]) }] },
  { escalation: null },
  { escalation: { length: 1 } },
  { repeatSeconds: 59 },
  { repeatSeconds: 86_401 },
  { untilAcknowledged: 'false' },
  { untilAcknowledged: null },
])('NewRule rejects %j', (invalid) => {
  expect(NewRule.safeParse({ ...body, ...invalid }).success).toBe(false);
});

describe('rule text', () => {
  test('fillPlaceholders replaces known placeholders and keeps unknown ones', () => {
    expect(
      fillPlaceholders('{sensor}: {situation} {other} {toString} {sensor}', { sensor: 'S', situation: '' }, 99),
    ).toBe('S:  {other} {toString} S');
  });

  test('fillPlaceholders does not interpret placeholders or patterns in a value', () => {
    expect(fillPlaceholders('{sensor}', { sensor: '{location}$&', location: 'secret' }, 99)).toBe('{location}$&');
  });

  test('fillPlaceholders truncates overlong text at whole characters', () => {
    expect(fillPlaceholders('{sensor}', { sensor: '\u{1f3e5}'.repeat(300) }, 256)).toBe('\u{1f3e5}'.repeat(256));
  });

  test('the longest rule text fits in a payload', () => {
    const longest = { title: '\u{1f3e5}'.repeat(128), message: `{sensor} ${'m'.repeat(503)}` };
    expect(NewRule.safeParse({ ...body, ...longest }).success).toBe(true);
    const filled = fillPlaceholders(longest.message, { sensor: 's'.repeat(128) }, MAX_SENT_LENGTH.message);
    expect([...filled]).toHaveLength(128 + 504);
    expect(fillPlaceholders(longest.title, {}, MAX_SENT_LENGTH.title)).toBe(longest.title);
  });
});

test('isTrustedTime trusts a device clock from -24 h to +5 min', () => {
  const day = 86_400_000;
  const minute = 60_000;
  for (const time of [now, now - day, now + 5 * minute]) expect(isTrustedTime(time, now)).toBe(true);
  for (const time of [0, now - day - 1, now + 5 * minute + 1, 2 ** 53]) expect(isTrustedTime(time, now)).toBe(false);
});

test('a new rule is enabled, covers all sensors and times, and stops once the alarm is acknowledged', () => {
  expect(NewRule.parse(body)).toEqual({
    ...body,
    sensorId: null,
    sensorGroupId: null,
    regionId: null,
    schedule: null,
    rateLimitSeconds: 60,
    includeSimulated: false,
    isEnabled: true,
    escalation: [],
    repeatSeconds: null,
    untilAcknowledged: true,
  });
  expect(NewRule.parse({ ...body, customerId: 7 }).customerId).toBe(7);
  expect(NewRule.safeParse({ ...body, situation: 'sensor_inactive' }).success).toBe(true);
});

test('a new rule limits every text, time and list', () => {
  const accepts = (more: object) => RuleUpdate.safeParse({ ...body, ...more }).success;
  const lengths = (name: string, most: number) =>
    [0, 1, most, most + 1].map((length) => accepts({ [name]: 'x'.repeat(length) }));
  for (const [name, most] of [
    ['name', 64],
    ['title', 128],
    ['message', 512],
    ['sensorId', 26],
  ] as const)
    expect([name, ...lengths(name, most)]).toEqual([name, false, true, true, false]);
  for (const [name, least, most] of [
    ['rateLimitSeconds', 0, 86_400],
    ['repeatSeconds', 60, 86_400],
  ] as const)
    expect([least - 1, least, most, most + 1].map((value) => accepts({ [name]: value }))).toEqual([
      false,
      true,
      true,
      false,
    ]);
  const [recipient] = recipients;
  const many = (count: number) => Array(count).fill(recipient);
  expect([0, 1, 20, 21].map((count) => accepts({ recipients: many(count) }))).toEqual([false, true, true, false]);
  const step = (afterSeconds: number, count = 1) =>
    accepts({ escalation: [{ afterSeconds, recipients: many(count) }] });
  expect([step(29), step(30), step(86_400), step(86_401), step(30, 0), step(30, 20), step(30, 21)]).toEqual([
    false,
    true,
    true,
    false,
    false,
    true,
    false,
  ]);
  expect([RuleCopy.safeParse({ name: 'n' }).success, RuleCopy.safeParse({}).success]).toEqual([true, false]);
});

test.each([
  [{ sensorId: 's', sensorGroupId: 1 }, ['sensorGroupId'], 'one_scope'],
  [{ regionId: '00000000-0000-4000-8000-000000000000' }, ['regionId'], 'region_needs_sensor'],
  [
    { regionId: '00000000-0000-4000-8000-000000000000', sensorId: 's', situation: 'apnea' },
    ['regionId'],
    'situation_has_no_region',
  ],
])('a new rule with an invalid scope is rejected: %o', (more, path, key) => {
  for (const schema of [NewRule, RuleUpdate])
    expect(schema.safeParse({ ...body, ...more }).error?.issues).toMatchObject([
      { code: 'custom', path, params: { key } },
    ]);
});
