import { expect, test } from 'vitest';
import { emptyPlan, FloorPlanUpdate } from '#shared/domain/sensor/floor-plan.ts';
import { NewSensorGroup, SensorGroupUpdate } from '#shared/domain/sensor/sensor-group.ts';

const room = (sensorId: string, more: object = {}) => ({ sensorId, x: 4, y: 0.5, rotation: 0, ...more });
const plan = (more: object = {}) => FloorPlanUpdate.safeParse({ width: 42.5, height: 18, rooms: [], ...more });
const problems = (more: object) =>
  plan(more).error?.issues.map((issue) => [issue.path.join('.'), 'params' in issue ? issue.params : issue.code]) ?? [];

test('a floor plan contains each room only once', () => {
  expect(
    problems({ rooms: [room('a'), room('b', { x: 42.5, y: 18, rotation: 360 }), room('c', { x: 0, y: 0 })] }),
  ).toEqual([]);
  expect(problems({ rooms: [room('a'), room('b'), room('a')] })).toEqual([['rooms.2.sensorId', { key: 'invalid' }]]);
  expect(problems({ rooms: [room('a'), room('b', { x: 42.501, y: 18.001 })] })).toEqual([
    ['rooms.1.x', { key: 'maximum', limit: 42.5 }],
    ['rooms.1.y', { key: 'maximum', limit: 18 }],
  ]);
});

test('a floor plan has sides of 1 to 1,000 m and at most 200 rooms', () => {
  const rooms = (count: number) => Array.from({ length: count }, (_, at) => room(`id ${at}`));
  for (const good of [{ width: 4 }, { width: 1_000, height: 1_000 }, { rooms: rooms(200) }, { width: 1, height: 1 }])
    expect(plan(good).success).toBe(true);
  for (const bad of [
    { width: 0.9 },
    { height: 0.9 },
    { width: 1_000.1 },
    { height: 1_000.1 },
    { rooms: rooms(201) },
    { rooms: [room('')] },
    { rooms: [room('a'.repeat(27))] },
    { rooms: [room('a', { x: -0.1 })] },
    { rooms: [room('a', { y: -0.1 })] },
    { rooms: [room('a', { rotation: -1 })] },
    { rooms: [room('a', { rotation: 361 })] },
    { width: 2_000, rooms: [room('a', { x: 1_001 })] },
  ])
    expect([bad, plan(bad).success]).toEqual([bad, false]);
  expect(plan({ rooms: [room('a'.repeat(26), { x: 1.23456 })] }).data?.rooms[0]?.x).toBe(1.235);
});

test('the default floor plan is empty, 40 m wide and 20 m high', () => {
  expect(emptyPlan).toEqual({ width: 40, height: 20, rooms: [] });
});

test('a sensor group has a name and at most 5,000 sensors', () => {
  const group = { name: 'n'.repeat(64), sensorIds: ['s'.repeat(26)] };
  expect(NewSensorGroup.parse(group)).toEqual(group);
  expect(SensorGroupUpdate.safeParse({ ...group, sensorIds: Array(5_000).fill('s') }).success).toBe(true);
  for (const more of [
    { name: '' },
    { name: 'n'.repeat(65) },
    { sensorIds: [''] },
    { sensorIds: ['s'.repeat(27)] },
    { sensorIds: Array(5_001).fill('s') },
    { customerId: 0 },
  ])
    expect(NewSensorGroup.safeParse({ ...group, ...more }).success).toBe(false);
});
