import { describe, expect, test } from 'vitest';
import { matchesFilters, noFilters } from '#shared/domain/delivery/event-filters.ts';
import { hasUrl, isExpired, isPastRetention, unfetchedSince } from '#shared/domain/delivery/feed.ts';
import { GATHER_SECONDS, isGathered, MAX_GATHERED } from '#shared/domain/delivery/gathering.ts';
import { NewWebhook, type WebhookRecord, webhookView } from '#shared/domain/delivery/webhook.ts';
import { mayManage } from '#shared/domain/delivery/webhook-access.ts';
import { NewSecret, SecretKey } from '#shared/domain/delivery/webhook-secret.ts';
import { bareSnapshot, ruleForPeople } from '#test/fixtures/snapshot.ts';

const now = 1_800_000_000_000;
const DAY = 86_400_000;
const body = { name: 'n', url: 'https://a.example', format: 'full', isCustomerHook: false, botId: 1 };
const record = {
  ...NewWebhook.parse(body),
  id: 'w',
  customerId: 1,
  createDate: 1,
  updateDate: 2,
  disabledReason: null,
  token: 't',
  secretKey: null,
  consecutiveFailures: 0,
} as WebhookRecord;

test('NewWebhook fills in defaults for missing fields', () => {
  expect(NewWebhook.parse(body)).toEqual({
    ...body,
    authMethod: 'bearer',
    retrySchedule: null,
    isEnabled: true,
    eventTypes: null,
    situations: null,
    sensorGroupId: null,
  });
});

test.each([
  [{ isCustomerHook: true, botId: 1 }, ['botId'], 'customer_hook_has_no_bot'],
  [{ botId: null }, ['botId'], 'bot_hook_needs_bot'],
  [{ isCustomerHook: true, botId: null, format: 'chat' }, ['format'], 'format_is_for_bots'],
  [{ eventTypes: [1] }, ['eventTypes'], 'filter_is_for_customer_hooks'],
  [{ situations: ['apnea'] }, ['situations'], 'filter_is_for_customer_hooks'],
  [{ sensorGroupId: 1 }, ['sensorGroupId'], 'filter_is_for_customer_hooks'],
])('NewWebhook names the field and the reason when %j contradicts itself', (more, path, key) => {
  const { error } = NewWebhook.safeParse({ ...body, ...more });
  expect(error?.issues).toMatchObject([{ code: 'custom', path, params: { key } }]);
});

test('NewWebhook allows filters for a customer webhook and a custom retry schedule', () => {
  for (const more of [
    { isCustomerHook: true, botId: null, eventTypes: [1], situations: Array(64).fill('apnea'), sensorGroupId: 1 },
    { retrySchedule: [0] },
    { retrySchedule: Array(20).fill(86_400) },
    { name: 'n'.repeat(64), url: `https://a.example/${'a'.repeat(2_030)}` },
    { url: null, format: 'chat', customerId: 3, secretKey: null },
  ])
    expect(NewWebhook.parse({ ...body, ...more })).toMatchObject(more);
});

test.each<object>([
  { name: '' },
  { name: 'n'.repeat(65) },
  { url: '' },
  { url: 'a'.repeat(2_049) },
  { format: 'xml' },
  { authMethod: 'digest' },
  { retrySchedule: [] },
  { retrySchedule: Array(21).fill(0) },
  { retrySchedule: [-1] },
  { retrySchedule: [86_401] },
  { isCustomerHook: true, botId: null, eventTypes: [] },
  { isCustomerHook: true, botId: null, situations: [] },
  { isCustomerHook: true, botId: null, situations: Array(65).fill('apnea') },
  { isCustomerHook: true, botId: null, eventTypes: [999] },
])('NewWebhook rejects %j', (more) => {
  expect(NewWebhook.safeParse({ ...body, ...more }).success).toBe(false);
});

test('a webhook is shown without the secret, and as healthy if it has no failures', () => {
  const health = { consecutiveFailures: 0, failingSince: null, lastSuccess: null };
  expect(webhookView(record)).toMatchObject({ ...noFilters, hasSecretKey: false, health });
  const failing = {
    ...record,
    secretKey: 's',
    consecutiveFailures: 2,
    failingSince: 5,
    lastSuccess: 3,
    situations: ['apnea' as const],
  };
  expect(webhookView(failing)).toMatchObject({
    hasSecretKey: true,
    health: { consecutiveFailures: 2, failingSince: 5, lastSuccess: 3 },
    situations: ['apnea'],
  });
});

describe('webhook secrets', () => {
  const isSecret = (secret: string) => SecretKey.safeParse(secret).success;
  const standard = (bytes: number) => `whsec_${Buffer.alloc(bytes, 7).toString('base64')}`;
  test.each([
    ['a'.repeat(16), true],
    ['a'.repeat(15), false],
    ['~'.repeat(256), true],
    ['a'.repeat(257), false],
    ['a b c d e f g h i', true],
    [`${'a'.repeat(16)}\n`, false],
    [`é${'a'.repeat(16)}`, false],
    [standard(16), true],
    [standard(15), false],
    [standard(17), true],
    [standard(18), true],
    [standard(64), true],
    [standard(65), false],
    [standard(32).toUpperCase(), false],
    [standard(16).replace('=', ''), false],
    [`whsec_${'-_'.repeat(12)}`, false],
    [`whsec_${'A'.repeat(21)}B==`, false],
    [`x${standard(15)}`, true],
  ])('secret %j is valid: %j', (secret, expected) => {
    expect(isSecret(secret)).toBe(expected);
  });

  test('the error for an ambiguous secret states the allowed key length', () => {
    expect(SecretKey.safeParse(standard(15)).error?.issues).toMatchObject([
      { code: 'custom', params: { key: 'standard_secret', min: 16, max: 64 } },
    ]);
  });

  test('a new secret replaces the previous one at once or after up to a week', () => {
    expect(NewSecret.parse({ secretKey: null })).toEqual({ secretKey: null, overlapSeconds: 0 });
    const overlaps = (overlapSeconds: number) => NewSecret.safeParse({ secretKey: null, overlapSeconds }).success;
    expect([overlaps(604_800), overlaps(604_801), overlaps(-1)]).toEqual([true, false, false]);
  });
});

describe('webhook filters', () => {
  const fall = { code: 1, situation: 'fall_detected' as const };
  const matches = (filters: object, event: object = fall, groupId = 5) =>
    matchesFilters(filters, event as typeof fall, { groupId });
  test('a webhook receives events that match all filters', () => {
    expect(matches({})).toBe(true);
    expect(matches({ eventTypes: [2, 1], situations: ['fall_detected'], sensorGroupId: 5 })).toBe(true);
    expect(matches({ eventTypes: [2] })).toBe(false);
    expect(matches({ situations: ['apnea'] })).toBe(false);
    expect(matches({ sensorGroupId: 4 })).toBe(false);
    expect(matches({ eventTypes: [1], situations: ['apnea'] })).toBe(false);
  });

  test('a webhook without filters receives events that have no code or situation', () => {
    const nothing = { code: null, situation: null };
    expect(matches(noFilters, nothing)).toBe(true);
    expect([matches({ eventTypes: [1] }, nothing), matches({ situations: ['apnea'] }, nothing)]).toEqual([
      false,
      false,
    ]);
  });
});

test('customer webhooks require manage_customers, bot webhooks require manage_bots', () => {
  const may = (permission: 'manage_customers' | 'manage_bots', isCustomerHook: boolean) =>
    mayManage({ isAdmin: false, permissions: [permission] }, { isCustomerHook });
  expect([may('manage_customers', true), may('manage_bots', false)]).toEqual([true, true]);
  expect([may('manage_bots', true), may('manage_customers', false)]).toEqual([false, false]);
});

test('only webhooks without a URL have a feed', () => {
  expect([hasUrl(record), hasUrl({ ...record, url: null })]).toEqual([true, false]);
});

test('a feed keeps deliveries for 14 days', () => {
  expect([isExpired({ createDate: now - 14 * DAY + 1 }, now), isExpired({ createDate: now - 14 * DAY }, now)]).toEqual([
    false,
    true,
  ]);
  expect([isPastRetention(now - 30 * DAY + 1, now), isPastRetention(now - 30 * DAY, now)]).toEqual([false, true]);
});

test('a feed counts as unfetched since the last fetch, or since a later webhook change', () => {
  expect(unfetchedSince(record)).toBe(2);
  expect(unfetchedSince({ ...record, lastSuccess: 9 })).toBe(9);
  expect(unfetchedSince({ ...record, lastSuccess: 1 })).toBe(2);
});

describe('combined messages', () => {
  const about = (situation: string) => ({
    person: { userId: 1, by: 'sms' as const, name: 'n' },
    snapshot: { ...bareSnapshot, rule: { ...ruleForPeople, situation } },
  });

  test.each(['sensor_inactive', 'sensor_active'])(
    'a combined message to a person can include deliveries about %s',
    (situation) => {
      expect(isGathered(about(situation))).toBe(true);
    },
  );

  test('a combined message never includes alarms about people', () => {
    const { snapshot, person } = about('sensor_inactive');
    expect(isGathered(about('fall_detected'))).toBe(false);
    expect(isGathered({ snapshot })).toBe(false);
    expect(isGathered({ snapshot, person, isTest: true })).toBe(false);
    expect(isGathered({ snapshot, person, replayOf: 'x' })).toBe(false);
    expect(isGathered({ snapshot: bareSnapshot, person })).toBe(false);
  });

  test('a combined message waits 20 s for more deliveries and holds at most 500', () => {
    expect([GATHER_SECONDS, MAX_GATHERED]).toEqual([20, 500]);
  });
});
