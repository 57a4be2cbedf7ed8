import { makers } from '../makers/makers.ts';
import type { FieldError } from '../problem.ts';
import type { RegionKind, RegionUpdate } from './region.ts';
import type { Mounting, Region, RoomUpdate } from './room.ts';
import { MIN_REGION_SIDE } from './room-limits.ts';
import type { Manufacturer } from './sensor.ts';

const above = (path: string, value: number, limit: number): FieldError[] =>
  value > limit ? [{ path, problem: 'maximum', values: { limit } }] : [];
const below = (path: string, value: number, limit: number): FieldError[] =>
  value < limit ? [{ path, problem: 'minimum', values: { limit } }] : [];

const supported = (table: object) => ({ choices: Object.keys(table).join(', ') });

const extentErrors = (room: RoomUpdate, manufacturer: Manufacturer): FieldError[] => {
  const { mountings } = makers[manufacturer];
  const mounting = mountings[room.sensorMounting as Mounting];
  if (!mounting) return [{ path: 'sensorMounting', problem: 'unsupported', values: supported(mountings) }];
  const { x, y, height } = mounting;
  return [
    ...above('xMin', room.xMin, x),
    ...above('xMax', room.xMax, x),
    ...above('yMax', room.yMax, y),
    ...below('sensorHeight', room.sensorHeight, height.min),
    ...above('sensorHeight', room.sensorHeight, height.max),
    ...(room.zMin >= room.zMax ? [{ path: 'zMin', problem: 'z_order' as const }] : []),
  ];
};

const regionErrors = (room: RoomUpdate, region: RegionUpdate, index: number): FieldError[] => {
  const { topLeftX: left, topLeftY: top, bottomRightX: right, bottomRightY: bottom, zMin, zMax } = region;
  const check = (name: string, problem: FieldError['problem'], isValid: boolean, values = {}): FieldError[] =>
    isValid ? [] : [{ path: `regions.${index}.${name}`, problem, values }];
  const inside = (name: string, value: number, least: number, most: number): FieldError[] =>
    check(name, 'outside_room', value >= least && value <= most, { least, most });
  const side = { limit: MIN_REGION_SIDE };
  return [
    ...check('topLeftX', 'region_corners', left < right),
    ...check('topLeftY', 'region_corners', top > bottom),
    ...inside('topLeftX', left, -room.xMin, room.xMax),
    ...inside('topLeftY', top, -room.yMin, room.yMax),
    ...inside('bottomRightX', right, -room.xMin, room.xMax),
    ...inside('bottomRightY', bottom, -room.yMin, room.yMax),
    ...check('bottomRightX', 'region_side', left >= right || right - left >= MIN_REGION_SIDE, side),
    ...check('topLeftY', 'region_side', top <= bottom || top - bottom >= MIN_REGION_SIDE, side),
    ...check('zMin', 'z_order', zMin < zMax),
  ];
};

const countErrors = ({ regions }: RoomUpdate, manufacturer: Manufacturer): FieldError[] => {
  const { all, kinds } = makers[manufacturer].regions;
  const counts: Partial<Record<RegionKind, number>> = {};
  const ofKind = regions.flatMap(({ kind }, index): FieldError[] => {
    const limit = kinds[kind] ?? 0;
    const count = (counts[kind] ?? 0) + 1;
    counts[kind] = count;
    const path = `regions.${index}.kind`;
    if (limit === 0) return [{ path, problem: 'unsupported', values: supported(kinds) }];
    return count > limit ? [{ path, problem: 'region_count', values: { limit } }] : [];
  });
  return regions.length > all
    ? [...ofKind, { path: 'regions', problem: 'region_count', values: { limit: all } }]
    : ofKind;
};

/** Returns all errors in a room, for a sensor from this maker. Empty if the room is valid. */
export const roomErrors = (room: RoomUpdate, manufacturer: Manufacturer): FieldError[] => [
  ...extentErrors(room, manufacturer),
  ...countErrors(room, manufacturer),
  ...room.regions.flatMap((region, index) => regionErrors(room, region, index)),
];

const rank = ({ kind }: { kind: RegionKind }): number => {
  if (kind === 'bed' || kind === 'monitored_bed') return 0;
  return kind === 'door' ? 1 : 2;
};

/**
 * Returns the region ids. Each id in the request is used once. A region without an id gets the id of the region with
 * the same kind and name in `before`, otherwise a new one.
 */
const idsOf = (regions: readonly RegionUpdate[], before: readonly Region[], newId: () => string): string[] => {
  const sent = new Set(regions.map(({ id }) => id));
  const free = before.filter(({ id }) => !sent.has(id));
  const used = new Set<string>();
  return regions.map(({ id: own, kind, name }) => {
    const same = free.find((region) => region.kind === kind && region.name === name && !used.has(region.id));
    const wanted = own ?? same?.id;
    const id = wanted === undefined || used.has(wanted) ? newId() : wanted;
    used.add(id);
    return id;
  });
};

/**
 * Returns the regions that replace those in `before`, in request order. `positionIdx` counts beds first, then doors,
 * then all others.
 */
export const numberRegions = (
  regions: readonly RegionUpdate[],
  before: readonly Region[],
  newId: () => string,
): Region[] => {
  const order = regions
    .map((region, index) => ({ index, rank: rank(region) }))
    .sort((a, b) => a.rank - b.rank || a.index - b.index);
  const ids = idsOf(regions, before, newId);
  return regions.map((region, index): Region => {
    const positionIdx = order.findIndex((ranked) => ranked.index === index);
    return {
      ...region,
      id: ids[index] ?? newId(),
      positionIdx,
      isLowSnr: region.isLowSnr ?? (region.kind === 'bed' || region.kind === 'monitored_bed'),
    };
  });
};
