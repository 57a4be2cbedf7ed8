import { describe, expect, test } from 'vitest';
import type { Gap } from '#shared/domain/watch/gap.ts';
import { isCreation, mayOpen, openedGaps } from '#shared/domain/watch/opened-gaps.ts';

const webhookId = '00000000-0000-4000-8000-000000000001';
const noRule = (...sensorIds: string[]): Gap => ({ kind: 'no_rule', sensorIds, total: sensorIds.length });
const hours = (from: string, to: string, ...sensorIds: string[]): Gap => ({
  kind: 'hours_without_rule',
  sensorIds,
  total: sensorIds.length,
  days: [1, 2],
  from,
  to,
});
const off = (...ruleIds: number[]): Gap => ({ kind: 'webhook_off', webhookId, ruleIds });

test('openedGaps returns only new fall gaps', () => {
  expect(openedGaps([], [noRule('a'), off(1), { kind: 'no_sensors' }])).toHaveLength(3);
  expect(openedGaps([], [{ kind: 'no_rule_for_silence', sensorIds: ['a'], total: 1 }])).toEqual([]);
  expect(openedGaps([noRule('a'), off(1)], [noRule('a'), off(1)])).toEqual([]);
});

test('openedGaps names only the new sensors and rules', () => {
  expect(openedGaps([noRule('a')], [noRule('a', 'b')])).toEqual([noRule('b')]);
  expect(openedGaps([off(1)], [off(1, 2)])).toEqual([off(2)]);
});

test('openedGaps includes uncovered hours only if they were covered before', () => {
  const before = [hours('06:00', '21:00', 'a')];
  expect(openedGaps(before, [hours('07:00', '21:00', 'a')])).toEqual([]);
  expect(openedGaps(before, [hours('06:00', '21:01', 'a')])).toEqual([hours('06:00', '21:01', 'a')]);
  expect(openedGaps(before, [hours('06:00', '21:00', 'a', 'b')])).toEqual([hours('06:00', '21:00', 'b')]);
  expect(openedGaps([noRule('a')], [hours('06:00', '21:00', 'a')])).toEqual([]);
  const halves = [hours('06:00', '12:00', 'a'), hours('12:00', '21:00', 'a')];
  expect(openedGaps(halves, [hours('08:00', '20:00', 'a')])).toEqual([]);
});

test('openedGaps skips sensors if the earlier list was truncated', () => {
  const before: Gap = { kind: 'no_rule', sensorIds: ['a'], total: 500 };
  expect(openedGaps([before], [noRule('b')])).toEqual([]);
  expect(openedGaps([before], [{ ...hours('06:00', '21:00', 'b'), total: 500 } as Gap])).toEqual([]);
});

test('openedGaps compares a gap only with those that may include the same sensors', () => {
  const offline: Gap = { kind: 'sensor_offline', sensorIds: ['a'], total: 500 };
  expect(openedGaps([offline], [noRule('b')])).toEqual([noRule('b')]);
  expect(openedGaps([offline], [hours('06:00', '21:00', 'a')])).toEqual([hours('06:00', '21:00', 'a')]);
  const truncated = { ...hours('06:00', '21:00', 'a'), total: 500 } as Gap;
  expect(openedGaps([truncated], [noRule('b')])).toEqual([noRule('b')]);
});

test('openedGaps skips sensors if any of the earlier lists was truncated', () => {
  const before: Gap[] = [hours('06:00', '07:00', 'c'), { kind: 'no_rule', sensorIds: ['a'], total: 500 }];
  expect(openedGaps(before, [hours('06:00', '21:00', 'b')])).toEqual([]);
});

test('openedGaps reports how much the total of a truncated list has grown', () => {
  const shown = (total: number, ...sensorIds: string[]): Gap => ({ kind: 'no_rule', sensorIds, total });
  expect(openedGaps([shown(100, 'a', 'd')], [shown(120, 'a', 'b')])).toEqual([shown(20, 'b')]);
  expect(openedGaps([shown(100, 'a')], [shown(101, 'a', 'b', 'c')])).toEqual([shown(1, 'b')]);
  expect(openedGaps([shown(100, 'a')], [shown(120, 'a')])).toEqual([shown(20)]);
  expect(openedGaps([shown(100, 'a')], [shown(100, 'a', 'b')])).toEqual([]);
});

test('openedGaps compares totals for the same hours if both lists are truncated', () => {
  const at = (from: string, total: number): Gap => ({ ...hours(from, '21:00', 'a'), total }) as Gap;
  const before = [at('06:00', 100), at('08:00', 50)];
  expect(openedGaps(before, [at('06:00', 100), at('08:00', 70)])).toEqual([{ ...at('08:00', 20), sensorIds: [] }]);
  expect(openedGaps(before, [at('06:00', 80), at('08:00', 70)])).toEqual([]);
});

test('a gap is attributed only to changes that could have caused it', () => {
  const line = (operation: string, kind: 'rule' | 'user' | 'webhook' | 'sensor') => ({
    operation,
    object: { kind, id: '1' },
  });
  expect(mayOpen(noRule('a'), line('deleteRule', 'rule'))).toBe(true);
  expect(mayOpen(noRule('a'), line('tryRule', 'rule'))).toBe(false);
  expect(mayOpen(noRule('a'), line('deleteChannel', 'user'))).toBe(false);
  expect(mayOpen({ kind: 'nobody_on_duty', ruleIds: [1], by: 'sms' }, line('endDuty', 'user'))).toBe(true);
  expect(mayOpen(off(1), line('updateWebhook', 'webhook'))).toBe(true);
  expect(
    mayOpen({ kind: 'fall_detection_off', sensorIds: ['a'], total: 1 }, line('putMakerBBasicConfig', 'sensor')),
  ).toBe(true);
  expect(mayOpen({ kind: 'sensor_offline', sensorIds: ['a'], total: 1 }, line('linkSensor', 'sensor'))).toBe(false);
  expect(['createRule', 'copyRule', 'updateRule'].map((name) => isCreation(line(name, 'rule')))).toEqual([
    true,
    true,
    false,
  ]);
  expect(mayOpen(off(1), line('copyRule', 'rule'))).toBe(true);
  const imported = { operation: 'createImport', object: { kind: 'customer', id: '1' } } as const;
  expect([
    mayOpen(noRule('a'), imported),
    mayOpen({ kind: 'sensor_offline', sensorIds: ['a'], total: 1 }, imported),
  ]).toEqual([true, false]);
});

describe('changes that open gaps', () => {
  type Kind = Parameters<typeof mayOpen>[1]['object']['kind'];
  const operations: Partial<Record<Kind, string[]>> = {
    rule: ['createRule', 'copyRule', 'updateRule', 'deleteRule'],
    webhook: ['createWebhook', 'updateWebhook', 'deleteWebhook'],
    bot: ['deleteBot'],
    sensor: ['linkSensor', 'setSensorCustomer', 'deleteSensor', 'putMakerABasicConfig', 'putMakerBFallConfig'],
    sensor_group: ['createSensorGroup', 'updateSensorGroup', 'deleteSensorGroup'],
    user: ['deleteUser', 'setUserAccess', 'setChannel', 'deleteChannel', 'beginDuty', 'endDuty'],
    customer: ['updateCustomer', 'setRoster', 'createImport'],
  };
  const causes: Record<string, Kind[]> = {
    no_sensors: ['sensor'],
    no_rule: ['rule', 'webhook', 'sensor', 'sensor_group'],
    hours_without_rule: ['rule', 'webhook', 'sensor', 'sensor_group', 'customer'],
    silent_mode: ['sensor'],
    fall_detection_off: ['sensor'],
    nobody_on_duty: ['rule', 'user', 'customer'],
    unreachable_recipient: ['rule', 'user', 'bot', 'webhook'],
    webhook_off: ['rule', 'webhook'],
    webhook_failing: ['rule', 'webhook'],
    raw_only: ['rule', 'webhook'],
    sensor_offline: [],
    unknown_messages: [],
  };
  const opening = (kind: string, operation: string, object: Kind) =>
    mayOpen({ kind } as Gap, { operation, object: { kind: object, id: '1' } });
  test.each(Object.entries(causes))('a %s gap can be opened only by a change to %j', (kind, objects) => {
    for (const [object, all] of Object.entries(operations) as [Kind, string[]][])
      for (const operation of all) {
        const isImport = operation === 'createImport' && objects.length > 0;
        expect([object, operation, opening(kind, operation, object)]).toEqual([
          object,
          operation,
          objects.includes(object) || isImport,
        ]);
      }
  });

  test('an operation is matched by its full name', () => {
    for (const [object, all] of Object.entries(operations) as [Kind, string[]][])
      for (const operation of all)
        for (const other of [`x${operation}`, `${operation}x`])
          for (const kind of Object.keys(causes)) expect(opening(kind, other, object)).toBe(false);
    expect(opening('no_rule', 'putMakerCBasicConfig', 'sensor')).toBe(false);
    expect(opening('no_rule', 'putMakerAConfig', 'sensor')).toBe(false);
    expect(opening('no_rule', 'createImport', 'rule_hit')).toBe(false);
  });

  test('isCreation recognizes creations by the start of the operation name', () => {
    const names = ['createRule', 'copyRule', 'linkSensor', 'deleteRule', 'unlinkSensor', 'updateRule'];
    const created = names.filter((operation) => isCreation({ operation, object: { kind: 'rule', id: '1' } }));
    expect(created).toEqual(['createRule', 'copyRule', 'linkSensor']);
  });
});

test('a gap without sensors is new unless it existed for the same channel, webhook and user', () => {
  const duty = (by: 'sms' | 'push', ...ruleIds: number[]): Gap => ({ kind: 'nobody_on_duty', ruleIds, by });
  expect(openedGaps([duty('sms', 1)], [duty('push', 1)])).toEqual([duty('push', 1)]);
  expect(openedGaps([duty('sms', 1)], [duty('sms', 2, 1)])).toEqual([duty('sms', 2)]);
  expect(openedGaps([off(1)], [{ ...off(1), webhookId: webhookId.replace('1', '2') } as Gap])).toHaveLength(1);
  expect(openedGaps([{ kind: 'no_sensors' }], [{ kind: 'no_sensors' }])).toEqual([]);
  const hoursOf = (days: number[]): Gap => ({ ...hours('06:00', '21:00', 'a'), days }) as Gap;
  expect(openedGaps([hoursOf([1])], [hoursOf([1, 2])])).toEqual([hoursOf([1, 2])]);
  expect(openedGaps([hoursOf([1, 2])], [hoursOf([2])])).toEqual([]);
  const offline = (...sensorIds: string[]): Gap => ({ kind: 'sensor_offline', sensorIds, total: sensorIds.length });
  expect(openedGaps([noRule('a')], [offline('a', 'b')])).toEqual([offline('a', 'b')]);
});
