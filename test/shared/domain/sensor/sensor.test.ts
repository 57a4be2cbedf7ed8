import { describe, expect, test } from 'vitest';
import { movedSensor, newSensor, type SensorRecord } from '#shared/domain/sensor/sensor.ts';

const device = {
  id: 'id_ABCDEFGHI',
  hardwareId: '02005E100001',
  manufacturer: 'maker_b',
  firmwareVersion: 42,
} as const;
const settings: Partial<SensorRecord> = {
  name: 'Room 7',
  optimizationEnabled: false,
  isSilent: true,
  isFallDetectionOff: true,
  room: { xMin: -100, xMax: 100, yMin: 0, yMax: 300, zMax: 250, regions: [] },
};
const used = { ...newSensor(device, 1), ...settings, isActive: true, isMisunderstood: true, groupId: 7, updateDate: 5 };
const arrived = { ...newSensor(device, 1), customerId: 2, updateDate: 9 };

describe('moving a sensor to another customer', () => {
  test('a moved sensor reveals nothing about the previous customer', () => {
    expect(movedSensor({ ...used, customerId: 1 }, 2, 9)).toEqual(arrived);
  });

  test('a moved sensor keeps its settings if it had no previous customer', () => {
    expect(movedSensor({ ...used, customerId: null }, 2, 9)).toEqual({ ...arrived, ...settings });
  });

  test('a moved sensor drops internal attributes of the table item', () => {
    const item = { ...used, customerId: null, revision: 3, registrationUntil: 8 };
    expect(movedSensor(item, null, 9)).toEqual({ ...arrived, ...settings, customerId: null });
  });
});
