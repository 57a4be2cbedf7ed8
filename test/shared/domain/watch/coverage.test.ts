import { describe, expect, test } from 'vitest';
import type { WebhookRecord } from '#shared/domain/delivery/webhook.ts';
import type { WatchInput } from '#shared/domain/watch/compute-watch.ts';
import {
  both,
  customerHook,
  night,
  now,
  reaching,
  rule,
  sensor,
  silence,
  toWebhook,
  uuid,
  watchOf,
  webhook,
} from '#test/fixtures/watch-input.ts';

describe('watch coverage', () => {
  test('a rule for all sensors and hours that notifies a webhook covers every fall', () => {
    expect(watchOf()).toMatchObject({ fallsTold: 'all', gaps: [], isSilenceTold: true });
  });

  test('several rules together can cover every sensor and hour', () => {
    const day = { ...night, from: '06:00', to: '21:00' };
    const sensors = [sensor('a'), sensor('b', { groupId: 3 })];
    const rules = [
      rule([toWebhook(1)], { sensorId: 'a', schedule: night }),
      rule([toWebhook(1)], { sensorGroupId: 3, schedule: night }),
      rule([toWebhook(1)], { schedule: day }),
      silence(),
    ];
    expect(watchOf({ sensors, rules })).toMatchObject({ fallsTold: 'all', gaps: [] });
  });

  test('a customer webhook covers falls without a rule, unless a filter excludes falls', () => {
    const withHook = (more: Partial<WebhookRecord>) => watchOf({ rules: [], webhooks: [customerHook(2, more)] });
    expect(withHook({})).toMatchObject({ fallsTold: 'all', gaps: [] });
    expect(withHook({ situations: ['bed_left'] }).gaps.map(({ kind }) => kind)).toEqual([
      'no_rule',
      'no_rule_for_silence',
    ]);
    expect(withHook({ situations: ['fall_detected'] })).toMatchObject({
      fallsTold: 'all',
      gaps: [{ kind: 'no_rule_for_silence', ...both }],
    });
    expect(withHook({ sensorGroupId: 9 }).fallsTold).toBe('none');
  });

  test('one reachable recipient is enough to cover falls', () => {
    const rules = [
      rule([toWebhook(2), { userId: 4, by: 'sms' }, { onDuty: true, by: 'push' }, toWebhook(1)]),
      silence(),
    ];
    expect(watchOf({ rules })).toMatchObject({ fallsTold: 'all', gaps: [] });
  });
});

describe('gaps in fall coverage', () => {
  test('having no sensors is a gap', () => {
    expect(watchOf({ sensors: [] })).toMatchObject({ fallsTold: 'some', gaps: [{ kind: 'no_sensors' }] });
    expect(watchOf({ sensors: [], rules: [] })).toMatchObject({ fallsTold: 'none', gaps: [{ kind: 'no_sensors' }] });
  });

  test.each([
    ['sensor_offline', { isActive: false }],
    ['silent_mode', { isSilent: true }],
    ['fall_detection_off', { detectsFalls: false }],
    ['unknown_messages', { isMisunderstood: true }],
  ])('a %s gap names the sensor', (kind, more) => {
    expect(watchOf({ sensors: [sensor('a'), sensor('b', more)] })).toMatchObject({
      fallsTold: 'some',
      gaps: [{ kind, sensorIds: ['b'], total: 1 }],
      names: { sensors: { b: 'b' } },
    });
  });

  test.each([
    ['for another fall situation', { situation: 'fall_confirmed' }],
    ['for sensitive detection', { situation: 'fall_detected_sensitive' }],
    ['that is disabled', { isEnabled: false }],
  ])('every sensor has a gap if the only rule is one %s', (_, more) => {
    expect(watchOf({ rules: [rule([toWebhook(1)], more), silence()] })).toMatchObject({
      fallsTold: 'none',
      gaps: [{ kind: 'no_rule', ...both }],
    });
  });

  test('a sensor has a gap if its only rule is limited to a region', () => {
    const rules = [
      rule([toWebhook(1)], { sensorId: 'a', regionId: uuid(9) }),
      rule([toWebhook(1)], { sensorId: 'b' }),
      silence(),
    ];
    expect(watchOf({ rules }).gaps).toEqual([{ kind: 'no_rule', sensorIds: ['a'], total: 1 }]);
  });

  test('a night-only rule leaves a daytime gap', () => {
    expect(watchOf({ rules: [rule([toWebhook(1)], { schedule: night }), silence()] })).toMatchObject({
      fallsTold: 'some',
      gaps: [{ kind: 'hours_without_rule', ...both, days: [1, 2, 3, 4, 5, 6, 7], from: '06:00', to: '21:00' }],
    });
  });

  test('sensors with the same uncovered hours share a gap', () => {
    const rules = [
      rule([toWebhook(1)], { sensorId: 'a', schedule: night }),
      rule([toWebhook(1)], { sensorId: 'b', schedule: night }),
      rule([toWebhook(1)], { sensorId: 'c', schedule: { ...night, days: [6] } }),
      silence(),
    ];
    const sensors = ['a', 'b', 'c'].map((id) => sensor(id));
    const gaps = watchOf({ sensors, rules }).gaps;
    expect(gaps.map((gap) => 'sensorIds' in gap && gap.sensorIds)).toEqual([['a', 'b'], ['c'], ['c'], ['c']]);
  });

  test.each([
    ['webhook_off', { isEnabled: false }],
    ['webhook_failing', { consecutiveFailures: 1 }],
    ['webhook_failing', { url: null }],
    ['unreachable_recipient', { retrySchedule: [120, 60] }],
    ['raw_only', { format: 'raw' as const }],
  ])('an unreliable webhook is a gap if it is the only recipient: %s', (kind, more) => {
    const [first, other] = [rule([toWebhook(1)]), rule([toWebhook(2)], { situation: 'sensor_inactive' })];
    expect(watchOf({ rules: [first, other], webhooks: [webhook(1, more), webhook(2)] })).toMatchObject({
      fallsTold: 'none',
      gaps: [{ kind, webhookId: uuid(1), ruleIds: [first.id] }],
      names: { webhooks: { [uuid(1)]: 'hook 1' } },
    });
  });

  test('a webhook is not a gap if its first attempt is made in time', () => {
    const feed = { url: null, lastSuccess: now - 1, retrySchedule: [3_600] };
    for (const more of [feed, { retrySchedule: [119, 3_600] }])
      expect(watchOf({ webhooks: [webhook(1, more)] })).toMatchObject({ fallsTold: 'all', gaps: [] });
    const late = customerHook(2, { retrySchedule: [3_600] });
    expect(watchOf({ rules: [silence()], webhooks: [webhook(1), late] }).gaps).toMatchObject([
      { kind: 'no_rule' },
      { kind: 'unreachable_recipient', webhookId: uuid(2), ruleIds: [] },
    ]);
  });

  test('a failing customer webhook is a gap if no rule covers falls', () => {
    const failing = customerHook(2, { consecutiveFailures: 1 });
    expect(watchOf({ rules: [silence()], webhooks: [webhook(1), failing] }).gaps).toEqual([
      { kind: 'no_rule', ...both },
      { kind: 'webhook_failing', webhookId: uuid(2), ruleIds: [] },
    ]);
    expect(watchOf({ webhooks: [webhook(1), failing] }).gaps).toEqual([]);
  });

  test('a rule with a deleted webhook has a gap', () => {
    const rules = [rule([toWebhook(1)]), rule([toWebhook(2)], { situation: 'sensor_inactive' })];
    const deleted = watchOf({ rules, webhooks: [webhook(2)] }).gaps;
    expect(deleted).toMatchObject([{ kind: 'unreachable_recipient', webhookId: uuid(1), userId: null, by: null }]);
    const elsewhere = watchOf({ rules, webhooks: [webhook(1, { botId: 8 }), webhook(2)] }).gaps;
    expect(elsewhere).toMatchObject([{ kind: 'unreachable_recipient' }]);
  });

  test("a user who cannot be reached through the rule's channel is a gap", () => {
    const gapsBy = (reach: Partial<WatchInput['reach']>) =>
      watchOf({ rules: [rule([{ userId: 4, by: 'sms' }]), silence()], reach: reaching(reach) }).gaps;
    const unreachable = { kind: 'unreachable_recipient', userId: 4, by: 'sms', webhookId: null };
    expect(gapsBy({ channels: new Map([[4, ['sms']]]) })).toEqual([]);
    expect(gapsBy({ channels: new Map([[4, ['email']]]) })).toMatchObject([unreachable]);
    expect(gapsBy({ channels: new Map([[4, ['sms']]]), sendable: ['email'] })).toMatchObject([unreachable]);
  });

  test('notifying people on duty is a gap if none of them can be reached', () => {
    const watchWith = (reach: Partial<WatchInput['reach']>) =>
      watchOf({ rules: [rule([{ onDuty: true, by: 'sms' }]), silence()], reach: reaching(reach) });
    const channels = new Map([
      [4, ['sms'] as const],
      [5, ['email'] as const],
    ]);
    expect(watchWith({ channels, onDuty: [4, 5] })).toMatchObject({ gaps: [], isNobodyOnDuty: false });
    for (const onDuty of [[], [5], [6]])
      expect(watchWith({ channels, onDuty })).toMatchObject({
        fallsTold: 'none',
        gaps: [{ kind: 'nobody_on_duty', by: 'sms' }],
        isNobodyOnDuty: true,
      });
  });

  test('an unreachable recipient is not a gap in hours that other recipients cover', () => {
    const day = { ...night, from: '06:00', to: '21:00' };
    const rules = [
      rule([toWebhook(1)], { schedule: night }),
      rule([toWebhook(2)], { schedule: day }),
      rule([toWebhook(3)], { schedule: night }),
      silence(),
    ];
    expect(watchOf({ rules }).gaps).toMatchObject([{ kind: 'unreachable_recipient', webhookId: uuid(2) }]);
  });
});

describe('sensors with rules at the same times', () => {
  const off = (n: number) => webhook(n, { isEnabled: false });

  test.each([
    ['a', 'b'],
    ['b', 'a'],
  ])('a sensor whose rule reaches no one is not covered by the rule of another (%s, %s)', (covered, other) => {
    const rules = [
      rule([toWebhook(1)], { sensorId: covered, schedule: night }),
      rule([toWebhook(2)], { sensorId: other, schedule: night }),
      rule([toWebhook(1)], { schedule: { ...night, from: '06:00', to: '21:00' } }),
      silence(),
    ];
    expect(watchOf({ rules, webhooks: [webhook(1), off(2)] })).toMatchObject({
      fallsTold: 'some',
      gaps: [{ kind: 'webhook_off', webhookId: uuid(2) }],
    });
  });

  test('each rule that reaches no one is named', () => {
    const [first, other] = [rule([toWebhook(2)], { sensorId: 'a' }), rule([toWebhook(3)], { sensorId: 'b' })];
    expect(watchOf({ rules: [first, other, silence()], webhooks: [webhook(1), off(2), off(3)] }).gaps).toEqual([
      { kind: 'webhook_off', webhookId: uuid(2), ruleIds: [first.id] },
      { kind: 'webhook_off', webhookId: uuid(3), ruleIds: [other.id] },
    ]);
  });

  test('gaps that differ only in their sensors or rules are listed once', () => {
    const sensors = [sensor('a', { groupId: 3 }), sensor('b', { groupId: 4 })];
    expect(watchOf({ sensors, rules: [silence()] }).gaps).toEqual([{ kind: 'no_rule', ...both }]);
    const rules = [3, 4].map((sensorGroupId) => rule([toWebhook(2)], { sensorGroupId }));
    const ruleIds = rules.map(({ id }) => id);
    expect(watchOf({ sensors, rules: [...rules, silence()], webhooks: [webhook(1), off(2)] }).gaps).toEqual([
      { kind: 'webhook_off', webhookId: uuid(2), ruleIds },
    ]);
    const forAll = rule([toWebhook(2)]);
    expect(watchOf({ sensors, rules: [forAll, silence()], webhooks: [webhook(1), off(2)] }).gaps).toEqual([
      { kind: 'webhook_off', webhookId: uuid(2), ruleIds: [forAll.id] },
    ]);
  });

  test('a customer webhook that fails does not count as a rule', () => {
    const rules = [rule([toWebhook(1)], { schedule: night }), silence()];
    const failing = customerHook(2, { consecutiveFailures: 1 });
    expect(watchOf({ rules, webhooks: [webhook(1), failing] }).gaps).toMatchObject([
      { kind: 'hours_without_rule', ...both, from: '06:00', to: '21:00' },
      { kind: 'webhook_failing', webhookId: uuid(2) },
    ]);
  });

  test('a rule for one of several sensors covers some falls', () => {
    const rules = [rule([toWebhook(1)], { sensorId: 'b' }), silence()];
    expect(watchOf({ rules })).toMatchObject({
      fallsTold: 'some',
      gaps: [{ kind: 'no_rule', sensorIds: ['a'], total: 1 }],
    });
  });
});

describe('other gaps', () => {
  test('a sensor has a gap if no one is notified when it goes offline', () => {
    const rules = [rule([toWebhook(1)]), silence({ sensorId: 'a' })];
    expect(watchOf({ rules })).toMatchObject({
      fallsTold: 'all',
      gaps: [{ kind: 'no_rule_for_silence', sensorIds: ['b'], total: 1 }],
    });
  });

  test.each([
    ['disabled', { isEnabled: false }],
    ['failing', { consecutiveFailures: 1 }],
    ['in the Raw format', { format: 'raw' as const }],
  ])('every sensor has an offline gap if the only offline webhook is %s', (_, more) => {
    const gap = { kind: 'no_rule_for_silence', ...both };
    const rules = [rule([toWebhook(1)]), rule([toWebhook(2)], { situation: 'sensor_inactive' })];
    const ofRule = watchOf({ rules, webhooks: [webhook(1), webhook(2, more)] });
    expect(ofRule).toMatchObject({ fallsTold: 'all', gaps: [gap], isSilenceTold: true });
    const ofCustomer = watchOf({ rules: rules.slice(0, 1), webhooks: [webhook(1), customerHook(2, more)] });
    expect(ofCustomer).toMatchObject({ fallsTold: 'all', gaps: [gap] });
  });

  test('every sensor has an offline gap until someone on duty can be notified', () => {
    const rules = [rule([toWebhook(1)]), rule([{ onDuty: true, by: 'sms' }], { situation: 'sensor_inactive' })];
    const gapsWith = (reach: Partial<WatchInput['reach']>) => watchOf({ rules, reach: reaching(reach) }).gaps;
    expect(gapsWith({})).toEqual([{ kind: 'no_rule_for_silence', ...both }]);
    expect(gapsWith({ channels: new Map([[4, ['sms']]]), onDuty: [4] })).toEqual([]);
  });

  test('an alarm that reached no one is a gap', () => {
    const unnotified = { kind: 'unnotified', sensorId: 'a', situation: 'apnea', hitId: 3, createDate: now } as const;
    expect(watchOf({ unnotified: [unnotified] })).toMatchObject({ fallsTold: 'all', gaps: [unnotified] });
  });

  test('gaps for alarms about people come first', () => {
    const sensors = Array.from({ length: 250 }, (_, at) => sensor(`${uuid(at)}`, { isActive: false }));
    const alarm = (situation: 'sensor_inactive' | 'fall_detected' | 'apnea', at: number, createDate: number) =>
      ({ kind: 'unnotified', sensorId: uuid(at), situation, hitId: at, createDate }) as const;
    const silent = sensors.map((_, at) => alarm('sensor_inactive', at, 100 + at));
    const people = [alarm('fall_detected', 3, 50), alarm('apnea', 4, 500)];
    const { gaps, totalGaps, names, fallsTold } = watchOf({ sensors, unnotified: [...people, ...silent] });
    expect(gaps.slice(0, 2)).toEqual(people.toReversed());
    expect([gaps[2]?.kind, totalGaps, fallsTold]).toEqual(['sensor_offline', 253, 'some']);
    // Only the newest of the other gaps are kept.
    expect(gaps.slice(3)).toEqual(silent.toReversed().slice(0, gaps.length - 3));
    expect(gaps.length).toBeGreaterThan(20);
    expect(names.sensors).toMatchObject({ [uuid(3)]: uuid(3), [uuid(249)]: uuid(249) });
  });

  test('other gaps are still listed even if there are a great many alarms about people', () => {
    const unnotified = Array.from({ length: 300 }, (_, at) => {
      return { kind: 'unnotified', sensorId: 'a', situation: 'fall_detected', hitId: at, createDate: at } as const;
    });
    const sensors = [sensor('a'), sensor('b', { isSilent: true })];
    expect(watchOf({ sensors, unnotified })).toMatchObject({
      gaps: expect.arrayContaining([{ kind: 'silent_mode', sensorIds: ['b'], total: 1 }]),
      totalGaps: 301,
    });
  });
});

test('the watch report for a very large home stays small, and looks at each sensor only once', () => {
  let looks = 0;
  const sensors = Array.from({ length: 10_000 }, (_, at) => ({
    ...sensor(`id_${String(at).padStart(23, '0')}`, { name: `Room ${'ü'.repeat(50)} ${at}`, isActive: false }),
    get groupId() {
      looks += 1;
      return at % 200;
    },
  }));
  const rules = Array.from({ length: 400 }, (_, at) =>
    rule([toWebhook(2)], { sensorGroupId: (at % 200) + 1, schedule: { ...night, days: [(at % 7) + 1] } }),
  );
  const watch = watchOf({ sensors, rules });
  // The watch is computed during a request, so the work must not grow with the number of sensors times rules.
  expect(looks).toBe(10_000);
  expect(Buffer.byteLength(JSON.stringify(watch))).toBeLessThanOrEqual(20_000);
  expect(watch.gaps[0]).toMatchObject({ kind: 'sensor_offline', total: 10_000 });
});
