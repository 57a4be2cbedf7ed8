import { describe, expect, test } from 'vitest';
import type { RegionUpdate } from '#shared/domain/sensor/region.ts';
import type { Region, RoomUpdate } from '#shared/domain/sensor/room.ts';
import { defaultRoom } from '#shared/domain/sensor/room-geometry.ts';
import { regionCounts } from '#shared/domain/sensor/room-limits.ts';
import { numberRegions, roomErrors } from '#shared/domain/sensor/room-rules.ts';

const region = (more: Partial<RegionUpdate> = {}): RegionUpdate => ({
  kind: 'default',
  name: 'Table',
  topLeftX: -100,
  topLeftY: 100,
  bottomRightX: 100,
  bottomRightY: 0,
  zMin: 0,
  zMax: 120,
  enterDuration: 120,
  exitDuration: 120,
  fallDetectionEnabled: true,
  presenceDetectionEnabled: true,
  isHorizontal: false,
  ...more,
});
const room = (more: Partial<RoomUpdate> = {}): RoomUpdate => ({ ...defaultRoom, ...more });
const withRegion = (more: Partial<RegionUpdate>) => roomErrors(room({ regions: [region(), region(more)] }), 'maker_a');

test('a room is valid at maximum size and with the smallest region', () => {
  const largest = { xMin: 200, xMax: 200, yMax: 400, sensorHeight: 200 };
  const edges = { topLeftX: -200, bottomRightX: 200, topLeftY: 400, bottomRightY: -30 };
  expect(roomErrors(room({ ...largest, regions: [region(edges)] }), 'maker_a')).toEqual([]);
  expect(roomErrors(room({ sensorHeight: 100 }), 'maker_a')).toEqual([]);
  expect(withRegion({ topLeftX: 0, bottomRightX: 20, topLeftY: 20, bottomRightY: 0, zMin: 119 })).toEqual([]);
});

test.each<[Partial<RoomUpdate>, string, string, number]>([
  [{ xMin: 201 }, 'xMin', 'maximum', 200],
  [{ xMax: 201 }, 'xMax', 'maximum', 200],
  [{ yMax: 401 }, 'yMax', 'maximum', 400],
  [{ sensorHeight: 99 }, 'sensorHeight', 'minimum', 100],
  [{ sensorHeight: 201 }, 'sensorHeight', 'maximum', 200],
])("a room is rejected beyond the mounting's range: %o", (more, path, problem, limit) => {
  expect(roomErrors(room(more), 'maker_a')).toEqual([{ path, problem, values: { limit } }]);
});

test('a room needs a height and a mounting supported by the maker', () => {
  expect(roomErrors(room({ zMin: 180 }), 'maker_a')).toEqual([{ path: 'zMin', problem: 'z_order' }]);
  expect(roomErrors(room({ zMin: 179 }), 'maker_a')).toEqual([]);
  expect(roomErrors(room({ sensorMounting: 'ceiling_45deg', xMin: 9_999 }), 'maker_b')).toEqual([
    { path: 'sensorMounting', problem: 'unsupported', values: { choices: 'wall, ceiling' } },
  ]);
});

describe('regions', () => {
  const at = (name: string, problem: string, values = {}) => ({ path: `regions.1.${name}`, problem, values });
  const x = { least: -180, most: 180 };
  const y = { least: -30, most: 350 };
  test.each<[Partial<RegionUpdate>, object[]]>([
    [{ topLeftX: -181 }, [at('topLeftX', 'outside_room', x)]],
    [{ bottomRightX: 181 }, [at('bottomRightX', 'outside_room', x)]],
    [{ topLeftY: 351 }, [at('topLeftY', 'outside_room', y)]],
    [{ bottomRightY: -31 }, [at('bottomRightY', 'outside_room', y)]],
    [{ topLeftX: 181 }, [at('topLeftX', 'region_corners'), at('topLeftX', 'outside_room', x)]],
    [{ bottomRightX: -181 }, [at('topLeftX', 'region_corners'), at('bottomRightX', 'outside_room', x)]],
    [{ topLeftY: -31 }, [at('topLeftY', 'region_corners'), at('topLeftY', 'outside_room', y)]],
    [{ bottomRightY: 351 }, [at('topLeftY', 'region_corners'), at('bottomRightY', 'outside_room', y)]],
    [{ topLeftX: 100 }, [at('topLeftX', 'region_corners')]],
    [{ topLeftY: 0 }, [at('topLeftY', 'region_corners')]],
    [{ topLeftX: 81 }, [at('bottomRightX', 'region_side', { limit: 20 })]],
    [{ topLeftY: 19 }, [at('topLeftY', 'region_side', { limit: 20 })]],
    [{ bottomRightY: 81 }, [at('topLeftY', 'region_side', { limit: 20 })]],
    [{ zMin: 120 }, [at('zMin', 'z_order')]],
  ])('a region must lie inside the room and have a size: %o', (more, errors) => {
    expect(withRegion(more)).toEqual(errors);
  });

  test.each(['maker_a', 'maker_b'] as const)(
    'a room with more regions than %s sensors support is rejected',
    (maker) => {
      const { all, kinds } = regionCounts[maker];
      const errors = (kind: RegionUpdate['kind'], count: number) =>
        roomErrors(room({ regions: Array.from({ length: count }, () => region({ kind })) }), maker);
      for (const [kind, limit] of Object.entries(kinds) as [RegionUpdate['kind'], number][]) {
        expect(errors(kind, limit)).toEqual([]);
        const tooMany = { path: `regions.${limit}.kind`, problem: 'region_count', values: { limit } };
        const inAll = { path: 'regions', problem: 'region_count', values: { limit: all } };
        expect(errors(kind, limit + 1)).toEqual(limit === all ? [tooMany, inAll] : [tooMany]);
      }
    },
  );

  test('a region needs a kind supported by the maker', () => {
    expect(roomErrors(room({ regions: [region({ kind: 'interference' })] }), 'maker_a')).toEqual([
      { path: 'regions.0.kind', problem: 'unsupported', values: { choices: 'default, door, bed' } },
    ]);
  });
});

describe('region numbering', () => {
  let last = 0;
  const newId = () => `new-${++last}`;
  const number = (regions: Partial<RegionUpdate>[], before: Region[] = []) => {
    last = 0;
    return numberRegions(regions.map(region), before, newId);
  };
  const old = (id: string, more: Partial<Region> = {}) =>
    ({ ...region(), id, positionIdx: 0, isLowSnr: false, ...more }) as Region;

  test('regions are numbered with beds first, then doors, then the rest', () => {
    const kinds = ['default', 'door', 'interference', 'monitored_bed', 'door', 'bed'] as const;
    const numbered = number(kinds.map((kind) => ({ kind })));
    expect(numbered.map(({ positionIdx }) => positionIdx)).toEqual([4, 2, 5, 0, 3, 1]);
    expect(numbered.map(({ kind }) => kind)).toEqual(kinds);
    expect(numbered.map(({ isLowSnr }) => isLowSnr)).toEqual([false, false, false, true, false, true]);
    expect(number([{ isLowSnr: true }, { kind: 'bed', isLowSnr: false }]).map(({ isLowSnr }) => isLowSnr)).toEqual([
      true,
      false,
    ]);
  });

  test('a region keeps its id if kind and name stay the same', () => {
    const ids = (regions: Partial<RegionUpdate>[], earlier: Region[]) => number(regions, earlier).map(({ id }) => id);
    expect(ids([{}, {}, {}], [old('a'), old('b')])).toEqual(['a', 'b', 'new-1']);
    expect(ids([{}], [old('a', { kind: 'bed' }), old('b', { name: 'Chair' })])).toEqual(['new-1']);
    expect(ids([{ id: 'x' }, { id: 'x' }], [])).toEqual(['x', 'new-1']);
    // The first region cannot take the id that the second one names.
    expect(ids([{}, { id: 'a', name: 'Chair' }], [old('a')])).toEqual(['new-1', 'a']);
  });
});
