import { describe, expect, test } from 'vitest';
import { render } from '../../../shared/delivery/formats/render.ts';
import type { Snapshot } from '../../../shared/domain/delivery.ts';

const snapshot: Snapshot = {
  event: {
    id: 7,
    uuid: 'f603585e-d6b4-5a8c-9897-a4d1548407ea',
    createDate: 1_795_230_444_137,
    type: 'fall',
    action: 'fall_detected',
    code: 1,
    coordinates: { x: 0.5, y: 0.25, z: 0 },
    text: 'Fall detected',
    source: 'f603585e-d6b4-5a8c-9897-a4d1548407ea',
  },
  sensor: { id: 'id_123456789', deviceId: `id_${'a'.repeat(23)}`, name: 'Room 1', groupId: 0 },
  customer: { id: 3, name: 'Maple', location: 'Ground floor' },
  rule: {
    id: 4,
    createDate: 1,
    name: 'Falls',
    title: 'T',
    message: 'M',
    groupId: 0,
    situation: 'fall_detected',
    hasRegion: false,
    regionIndex: -1,
    regionName: '',
  },
};
const around = {
  service: { name: 'Sensor Cloud', url: 'https://cloud.example', version: '1' },
  webhook: { id: 'w', name: 'hook', isCustomerHook: false },
  raw: '{"type":5,  "payload":{"b":1,"a":1.50}}',
};

/** The same fields in the opposite order, as a table may give them back. */
const reversed = <T>(value: T): T => {
  if (value === null || typeof value !== 'object' || Array.isArray(value)) return value;
  return Object.fromEntries(
    Object.entries(value)
      .reverse()
      .map(([name, one]) => [name, reversed(one)]),
  ) as T;
};

describe('render', () => {
  test.each(['full', 'custom1', 'raw'] as const)(
    '%s: the same bytes in whatever order the snapshot has its fields',
    (format) => {
      expect(render(format, reversed(snapshot), around)).toBe(render(format, snapshot, around));
    },
  );

  test('full: every key is there, null without a point, customer or rule', () => {
    const bare = { ...snapshot, customer: null, rule: null, event: { ...snapshot.event, coordinates: null } };
    const payload = JSON.parse(render('full', bare, { ...around, raw: null }));
    expect(payload).toMatchObject({ customer: null, rule: null, event: { normalizedCoordinates: null, raw: {} } });
    expect(Object.keys(payload)).toEqual(['service', 'webhook', 'event', 'sensor', 'customer', 'rule']);
  });

  test('custom1: texts keep to their limits, and what is missing is absent or filled', () => {
    const long = { ...snapshot, sensor: { ...snapshot.sensor, name: '' }, customer: { id: 1, name: '', location: '' } };
    const event = { ...snapshot.event, coordinates: null, text: '😀'.repeat(300) };
    const payload = JSON.parse(render('custom1', { ...long, event, rule: null }, around));
    expect([...payload.description]).toHaveLength(256);
    expect(payload).toMatchObject({ sensorName: 'id_123456789', location: null, eventType: 1 });
    expect(payload).not.toHaveProperty('title');
    expect(payload).not.toHaveProperty('normalizedCoordinates');
  });

  test('raw: the bytes as the device sent them', () => {
    expect(render('raw', snapshot, around)).toBe(around.raw);
  });
});
