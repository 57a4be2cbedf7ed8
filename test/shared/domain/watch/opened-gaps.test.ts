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

describe('the gaps that opened', () => {
  test('contain those about falls that did not exist before', () => {
    expect(openedGaps([], [noRule('a'), off(1), { kind: 'no_sensors' }])).toHaveLength(3);
    expect(openedGaps([], [{ kind: 'no_rule_for_silence', sensorIds: ['a'], total: 1 }])).toEqual([]);
    expect(openedGaps([noRule('a'), off(1)], [noRule('a'), off(1)])).toEqual([]);
  });

  test('have only the sensors and rules that are new', () => {
    expect(openedGaps([noRule('a')], [noRule('a', 'b')])).toEqual([noRule('b')]);
    expect(openedGaps([off(1)], [off(1, 2)])).toEqual([off(2)]);
  });

  test('include hours only if some of them were covered before', () => {
    const before = [hours('06:00', '21:00', 'a')];
    expect(openedGaps(before, [hours('07:00', '21:00', 'a')])).toEqual([]);
    expect(openedGaps(before, [hours('06:00', '21:01', 'a')])).toEqual([hours('06:00', '21:01', 'a')]);
    expect(openedGaps(before, [hours('06:00', '21:00', 'a', 'b')])).toEqual([hours('06:00', '21:00', 'b')]);
    expect(openedGaps([noRule('a')], [hours('06:00', '21:00', 'a')])).toEqual([]);
    const halves = [hours('06:00', '12:00', 'a'), hours('12:00', '21:00', 'a')];
    expect(openedGaps(halves, [hours('08:00', '20:00', 'a')])).toEqual([]);
  });

  test('leave out sensors if the list before was too long to name them all', () => {
    const before: Gap = { kind: 'no_rule', sensorIds: ['a'], total: 500 };
    expect(openedGaps([before], [noRule('b')])).toEqual([]);
  });
});

test('a gap is attributed to changes of what it depends on', () => {
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
