import type { EventRegion, Point } from '../event/event.ts';
import type { Region } from './room.ts';

/** What of a region tells whether a point is in it, and how events name it. */
export type Place = Pick<
  Region,
  'id' | 'positionIdx' | 'name' | 'topLeftX' | 'topLeftY' | 'bottomRightX' | 'bottomRightY' | 'zMin' | 'zMax'
>;

export const placeOf = (region: Place): Place => {
  const { id, positionIdx, name, topLeftX, topLeftY, bottomRightX, bottomRightY, zMin, zMax } = region;
  return { id, positionIdx, name, topLeftX, topLeftY, bottomRightX, bottomRightY, zMin, zMax };
};

const eventRegionOf = ({ id, positionIdx: index, name }: Place): EventRegion => ({ id, index, name });

/** Gives the region with this positionIdx as events name it; of a region that only the device knows there is only that. */
export const regionByIndex = (places: readonly Place[], index: number): EventRegion => {
  const place = places.find(({ positionIdx }) => positionIdx === index);
  return place ? eventRegionOf(place) : { id: '', index, name: '' };
};

/** Edges belong to a region. A point without a height is in it at any height. */
const isIn = (place: Place, { x, y, z }: Point): boolean =>
  x >= place.topLeftX &&
  x <= place.bottomRightX &&
  y >= place.bottomRightY &&
  y <= place.topLeftY &&
  (z === undefined || (z >= place.zMin && z <= place.zMax));

const areaOf = ({ topLeftX, topLeftY, bottomRightX, bottomRightY }: Place): number =>
  (bottomRightX - topLeftX) * (topLeftY - bottomRightY);

/** Gives the region that a point lies in: of several the one with the smallest area, of these the first by positionIdx. */
export const regionAt = (places: readonly Place[], point: Point): EventRegion | null => {
  const [smallest] = places
    .filter((place) => isIn(place, point))
    .toSorted((place, other) => areaOf(place) - areaOf(other) || place.positionIdx - other.positionIdx);
  return smallest ? eventRegionOf(smallest) : null;
};
