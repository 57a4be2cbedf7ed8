import type { EventRegion, Point } from '../event/event.ts';
import type { Region } from './room.ts';

/** The region bounds, and how events name the region. */
export type RegionBounds = Pick<
  Region,
  'id' | 'positionIdx' | 'name' | 'topLeftX' | 'topLeftY' | 'bottomRightX' | 'bottomRightY' | 'zMin' | 'zMax'
>;

export const boundsOf = (region: RegionBounds): RegionBounds => {
  const { id, positionIdx, name, topLeftX, topLeftY, bottomRightX, bottomRightY, zMin, zMax } = region;
  return { id, positionIdx, name, topLeftX, topLeftY, bottomRightX, bottomRightY, zMin, zMax };
};

const eventRegionOf = ({ id, positionIdx: index, name }: RegionBounds): EventRegion => ({ id, index, name });

/**
 * Returns the region with this positionIdx as named in events. A region that only the device knows has an empty id and
 * name.
 */
export const regionByIndex = (regions: readonly RegionBounds[], index: number): EventRegion => {
  const region = regions.find(({ positionIdx }) => positionIdx === index);
  return region ? eventRegionOf(region) : { id: '', index, name: '' };
};

/**
 * Whether a point is in a region or on its edges. A point without a height counts as inside, whatever the region's
 * height.
 */
const isIn = (region: RegionBounds, { x, y, z }: Point): boolean =>
  x >= region.topLeftX &&
  x <= region.bottomRightX &&
  y >= region.bottomRightY &&
  y <= region.topLeftY &&
  (z === undefined || (z >= region.zMin && z <= region.zMax));

const areaOf = ({ topLeftX, topLeftY, bottomRightX, bottomRightY }: RegionBounds): number =>
  (bottomRightX - topLeftX) * (topLeftY - bottomRightY);

/**
 * Returns the region containing a point: the smallest or, if areas are equal, the first by positionIdx. Null if there
 * is none.
 */
export const regionAt = (regions: readonly RegionBounds[], point: Point): EventRegion | null => {
  const [smallest] = regions
    .filter((region) => isIn(region, point))
    .toSorted((region, other) => areaOf(region) - areaOf(other) || region.positionIdx - other.positionIdx);
  return smallest ? eventRegionOf(smallest) : null;
};
