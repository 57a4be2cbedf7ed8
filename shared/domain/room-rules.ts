import type { Fault } from './problem.ts';
import type { RegionKind, RegionUpdate } from './region.ts';
import { type Mounting, mountings, type Region, type RoomUpdate } from './room.ts';
import type { Manufacturer } from './sensor.ts';

/** Shortest side of a region, cm. */
const SHORTEST = 20;

/** How many regions a sensor knows, in all and of a kind. */
const counts: Record<Manufacturer, { all: number; kinds: Partial<Record<RegionKind, number>> }> = {
  maker_a: { all: 6, kinds: { default: 6, door: 2, bed: 1 } },
  maker_b: { all: 16, kinds: { default: 16, door: 16, bed: 16, interference: 16, monitored_bed: 1 } },
};

const above = (path: string, value: number, limit: number): Fault[] =>
  value > limit ? [{ path, problem: 'maximum', values: { limit } }] : [];
const below = (path: string, value: number, limit: number): Fault[] =>
  value < limit ? [{ path, problem: 'minimum', values: { limit } }] : [];

const extentFaults = (room: RoomUpdate, manufacturer: Manufacturer): Fault[] => {
  const mounting = mountings[manufacturer][room.sensorMounting as Mounting];
  if (!mounting) return [{ path: 'sensorMounting', problem: 'mounting' }];
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

const isInside = (room: RoomUpdate, x: number, y: number): boolean =>
  x >= -room.xMin && x <= room.xMax && y >= -room.yMin && y <= room.yMax;

const regionFaults = (room: RoomUpdate, region: RegionUpdate, at: number): Fault[] => {
  const { topLeftX: left, topLeftY: top, bottomRightX: right, bottomRightY: bottom, zMin, zMax } = region;
  const fault = (name: string, problem: Fault['problem'], holds: boolean): Fault[] =>
    holds ? [] : [{ path: `regions.${at}.${name}`, problem }];
  return [
    ...fault('topLeftX', 'region_corners', left < right),
    ...fault('topLeftY', 'region_corners', top > bottom),
    ...fault('topLeftX', 'outside_room', isInside(room, left, top)),
    ...fault('bottomRightX', 'outside_room', isInside(room, right, bottom)),
    ...fault('bottomRightX', 'region_side', left >= right || right - left >= SHORTEST),
    ...fault('topLeftY', 'region_side', top <= bottom || top - bottom >= SHORTEST),
    ...fault('zMin', 'z_order', zMin < zMax),
  ];
};

const countFaults = ({ regions }: RoomUpdate, manufacturer: Manufacturer): Fault[] => {
  const { all, kinds } = counts[manufacturer];
  const seen: Partial<Record<RegionKind, number>> = {};
  const ofKind = regions.flatMap(({ kind }, at): Fault[] => {
    const most = kinds[kind] ?? 0;
    seen[kind] = (seen[kind] ?? 0) + 1;
    const path = `regions.${at}.kind`;
    if (most === 0) return [{ path, problem: 'region_kind' }];
    return (seen[kind] ?? 0) > most ? [{ path, problem: 'region_count', values: { limit: most } }] : [];
  });
  return regions.length > all
    ? [...ofKind, { path: 'regions', problem: 'region_count', values: { limit: all } }]
    : ofKind;
};

/** Everything that is wrong with a room for a sensor of that maker; nothing when it fits. */
export const roomFaults = (room: RoomUpdate, manufacturer: Manufacturer): Fault[] => [
  ...extentFaults(room, manufacturer),
  ...countFaults(room, manufacturer),
  ...room.regions.flatMap((region, at) => regionFaults(room, region, at)),
];

const rank = ({ kind }: { kind: RegionKind }): number =>
  kind === 'bed' || kind === 'monitored_bed' ? 0 : kind === 'door' ? 1 : 2;

/**
 * The regions as they are stored, in the order of the body: ids kept when valid and unique in the room, else drawn;
 * `positionIdx` counts beds first, then doors, then the others.
 */
export const placeRegions = (regions: readonly RegionUpdate[], drawId: () => string): Region[] => {
  const order = regions
    .map((region, at) => ({ at, rank: rank(region) }))
    .sort((a, b) => a.rank - b.rank || a.at - b.at);
  const used = new Set<string>();
  return regions.map((region, at): Region => {
    const id = region.id !== undefined && !used.has(region.id) ? region.id : drawId();
    used.add(id);
    const positionIdx = order.findIndex((one) => one.at === at);
    return {
      ...region,
      id,
      positionIdx,
      isLowSnr: region.isLowSnr ?? (region.kind === 'bed' || region.kind === 'monitored_bed'),
    };
  });
};
