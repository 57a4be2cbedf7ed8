import { makers } from '../makers/makers.ts';
import type { FieldError } from '../problem.ts';
import type { RegionKind, RegionUpdate } from './region.ts';
import type { Mounting, Region, RoomUpdate } from './room.ts';
import { SHORTEST_SIDE } from './room-limits.ts';
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

const regionErrors = (room: RoomUpdate, region: RegionUpdate, at: number): FieldError[] => {
  const { topLeftX: left, topLeftY: top, bottomRightX: right, bottomRightY: bottom, zMin, zMax } = region;
  const fault = (name: string, problem: FieldError['problem'], holds: boolean, values = {}): FieldError[] =>
    holds ? [] : [{ path: `regions.${at}.${name}`, problem, values }];
  const inside = (name: string, value: number, least: number, most: number): FieldError[] =>
    fault(name, 'outside_room', value >= least && value <= most, { least, most });
  const side = { limit: SHORTEST_SIDE };
  return [
    ...fault('topLeftX', 'region_corners', left < right),
    ...fault('topLeftY', 'region_corners', top > bottom),
    ...inside('topLeftX', left, -room.xMin, room.xMax),
    ...inside('topLeftY', top, -room.yMin, room.yMax),
    ...inside('bottomRightX', right, -room.xMin, room.xMax),
    ...inside('bottomRightY', bottom, -room.yMin, room.yMax),
    ...fault('bottomRightX', 'region_side', left >= right || right - left >= SHORTEST_SIDE, side),
    ...fault('topLeftY', 'region_side', top <= bottom || top - bottom >= SHORTEST_SIDE, side),
    ...fault('zMin', 'z_order', zMin < zMax),
  ];
};

const countErrors = ({ regions }: RoomUpdate, manufacturer: Manufacturer): FieldError[] => {
  const { all, kinds } = makers[manufacturer].regions;
  const seen: Partial<Record<RegionKind, number>> = {};
  const ofKind = regions.flatMap(({ kind }, at): FieldError[] => {
    const most = kinds[kind] ?? 0;
    seen[kind] = (seen[kind] ?? 0) + 1;
    const path = `regions.${at}.kind`;
    if (most === 0) return [{ path, problem: 'unsupported', values: supported(kinds) }];
    return (seen[kind] ?? 0) > most ? [{ path, problem: 'region_count', values: { limit: most } }] : [];
  });
  return regions.length > all
    ? [...ofKind, { path: 'regions', problem: 'region_count', values: { limit: all } }]
    : ofKind;
};

/** Gives all errors of a room for a sensor of this maker. The list is empty if the room is valid. */
export const roomErrors = (room: RoomUpdate, manufacturer: Manufacturer): FieldError[] => [
  ...extentErrors(room, manufacturer),
  ...countErrors(room, manufacturer),
  ...room.regions.flatMap((region, at) => regionErrors(room, region, at)),
];

const rank = ({ kind }: { kind: RegionKind }): number => {
  if (kind === 'bed' || kind === 'monitored_bed') return 0;
  return kind === 'door' ? 1 : 2;
};

/**
 * Gives the ids of regions. An id that is sent is kept, the first time. A region without one keeps that of a region
 * `before` of the same kind and name; otherwise one is drawn.
 */
const idsOf = (regions: readonly RegionUpdate[], before: readonly Region[], drawId: () => string): string[] => {
  const sent = new Set(regions.map(({ id }) => id));
  const free = before.filter(({ id }) => !sent.has(id));
  const used = new Set<string>();
  return regions.map(({ id: own, kind, name }) => {
    const same = free.find((region) => region.kind === kind && region.name === name && !used.has(region.id));
    const wanted = own ?? same?.id;
    const id = wanted === undefined || used.has(wanted) ? drawId() : wanted;
    used.add(id);
    return id;
  });
};

/**
 * Gives the regions as they are stored instead of those of `before`, in the order of the body. `positionIdx` counts beds
 * first, then doors, then all others.
 */
export const placeRegions = (
  regions: readonly RegionUpdate[],
  before: readonly Region[],
  drawId: () => string,
): Region[] => {
  const order = regions
    .map((region, at) => ({ at, rank: rank(region) }))
    .sort((a, b) => a.rank - b.rank || a.at - b.at);
  const ids = idsOf(regions, before, drawId);
  return regions.map((region, at): Region => {
    const positionIdx = order.findIndex((place) => place.at === at);
    return {
      ...region,
      id: ids[at] ?? drawId(),
      positionIdx,
      isLowSnr: region.isLowSnr ?? (region.kind === 'bed' || region.kind === 'monitored_bed'),
    };
  });
};
