import { describe, expect, test } from 'vitest';
import { RegionUpdate } from '#shared/domain/sensor/region.ts';
import { boundsOf, regionByIndex } from '#shared/domain/sensor/region-of-point.ts';
import { Mounting, RoomUpdate } from '#shared/domain/sensor/room.ts';
import { defaultRoom, extentOf, firstRoom, normalize, rotationOf } from '#shared/domain/sensor/room-geometry.ts';
import { roomErrors } from '#shared/domain/sensor/room-rules.ts';
import { outerLimits, roomLimitsText } from '#shared/domain/sensor/room-texts.ts';

const extent = { xMin: 100, xMax: 300, yMin: 50, yMax: 150, zMax: 200 };

describe('room coordinates', () => {
  test.each([
    [
      { x: -100, y: -50, z: 0 },
      { x: 0, y: 0, z: 0 },
    ],
    [
      { x: 300, y: 150, z: 200 },
      { x: 1, y: 1, z: 1 },
    ],
    [
      { x: 0, y: 0 },
      { x: 0.25, y: 0.25, z: 0 },
    ],
    [
      { x: 100, y: 100, z: 50 },
      { x: 0.5, y: 0.75, z: 0.25 },
    ],
    [
      { x: -101, y: -51, z: -1 },
      { x: 0, y: 0, z: 0 },
    ],
    [
      { x: 301, y: 151, z: 201 },
      { x: 1, y: 1, z: 1 },
    ],
  ])('normalize maps %o to %o, always inside the room', (point, expected) => {
    expect(normalize(point, extent)).toEqual(expected);
  });

  test('normalize returns 0 for a room without extent', () => {
    const none = { xMin: 0, xMax: 0, yMin: 0, yMax: 0, zMax: 0 };
    expect(normalize({ x: 5, y: 5, z: 5 }, none)).toEqual({ x: 0, y: 0, z: 0 });
    expect(extentOf({ ...extent, zMin: 7 } as typeof extent)).toEqual(extent);
  });
});

test('a new sensor has a valid default room', () => {
  const room = firstRoom({ id: 'id_1', createDate: 7 });
  expect(room).toEqual({ ...defaultRoom, sensorId: 'id_1', createDate: 7, updateDate: 7, rotation: 0 });
  for (const maker of ['maker_a', 'maker_b'] as const) expect(roomErrors(defaultRoom, maker)).toEqual([]);
  expect(defaultRoom).toEqual({
    sensorMounting: 'wall',
    xMin: 180,
    xMax: 180,
    yMax: 350,
    yMin: 30,
    zMin: 0,
    zMax: 180,
    sensorHeight: 150,
    enterDuration: 120,
    exitDuration: 120,
    regions: [],
  });
  expect(Mounting.options.map(rotationOf)).toEqual([0, 0, 45, 45]);
});

test('every room field has a lower and an upper limit', () => {
  const accepts = (more: object) => RoomUpdate.safeParse({ ...defaultRoom, ...more }).success;
  for (const [name, low, high] of [
    ['xMin', 20, 2 ** 31 - 1],
    ['xMax', 20, 2 ** 31 - 1],
    ['yMax', 20, 2 ** 31 - 1],
    ['yMin', 20, 200],
    ['zMin', 0, 180],
    ['zMax', 0, 180],
    ['sensorHeight', -(2 ** 31), 2 ** 31 - 1],
    ['enterDuration', 1, 300],
    ['exitDuration', 1, 300],
  ] as const)
    expect([name, ...[low - 1, low, high, high + 1].map((value) => accepts({ [name]: value }))]).toEqual([
      name,
      false,
      true,
      true,
      false,
    ]);
  const region = { kind: 'bed', name: 'Bed', topLeftX: 0, topLeftY: 1, bottomRightX: 1, bottomRightY: 0 };
  expect([64, 65].map((count) => accepts({ regions: Array(count).fill(region) }))).toEqual([true, false]);
  expect(RegionUpdate.parse(region)).toEqual({
    ...region,
    zMin: 0,
    zMax: 120,
    enterDuration: 120,
    exitDuration: 120,
    fallDetectionEnabled: true,
    presenceDetectionEnabled: true,
    isHorizontal: false,
  });
  for (const more of [
    { zMin: 181 },
    { zMax: -1 },
    { zMax: 181 },
    { enterDuration: 0 },
    { exitDuration: 301 },
    { name: '' },
  ])
    expect(RegionUpdate.safeParse({ ...region, ...more }).success).toBe(false);
});

test('the API document states the room limits for each maker and mounting', () => {
  expect(outerLimits).toEqual({ x: 300, y: 400, lowest: 100, highest: 330, regions: 16 });
  for (const line of [
    '| maker | sensorMounting | largest xMin, xMax | largest yMax | sensorHeight |',
    '| maker_a | wall | 200 | 400 | 100 to 200 |',
    '| maker_a | ceiling | 250 | 200 | 230 to 300 |',
    '| maker_a | ceiling_45deg | 250 | 200 | 230 to 300 |',
    '| maker_a | wall_tilt_45deg | 200 | 400 | 180 to 250 |',
    '| maker_b | wall | 300 | 400 | 140 to 330 |',
    '| maker_b | ceiling | 300 | 200 | 150 to 330 |',
    'A maker_a sensor has at most 6 regions, of which at most 6 `default`, 2 `door`, 1 `bed`. A maker_b sensor has at most 16',
    'no side is shorter than 20.',
  ])
    expect(roomLimitsText).toContain(line);
  expect(roomLimitsText.split('\n\n')).toHaveLength(5);
});

test('a region that only the device knows has no id or name', () => {
  const place = { topLeftX: 0, topLeftY: 1, bottomRightX: 1, bottomRightY: 0, zMin: 0, zMax: 9 };
  const regions = [1, 2].map((positionIdx) => ({ ...place, id: `id ${positionIdx}`, name: 'n', positionIdx }));
  expect(regionByIndex(regions, 2)).toEqual({ id: 'id 2', index: 2, name: 'n' });
  expect(regionByIndex(regions, 0)).toEqual({ id: '', index: 0, name: '' });
  const [first = expect.unreachable()] = regions;
  expect(boundsOf({ ...first, kind: 'bed' } as typeof first)).toEqual(first);
});
