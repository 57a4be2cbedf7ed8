import type { RoomUpdate } from '#openapi';
import { MIN_REGION_SIDE } from '#shared/domain/sensor/room-limits.ts';

/** A rectangle in cm. y grows away from the sensor, so `topLeftY` is the greater one. */
export type Rect = { topLeftX: number; topLeftY: number; bottomRightX: number; bottomRightY: number };
export type Extent = Pick<RoomUpdate, 'xMin' | 'xMax' | 'yMin' | 'yMax'>;
export type Point = { x: number; y: number };
export type Corner = 'topLeft' | 'bottomRight';

/** Coordinates that are drawn by hand are rounded to multiples of this (cm). */
const STEP = 5;

const within = (value: number, least: number, most: number): number => Math.min(most, Math.max(least, value));
const rounded = (value: number): number => Math.round(value / STEP) * STEP;

export const sidesOf = ({ topLeftX, topLeftY, bottomRightX, bottomRightY }: Rect): [width: number, depth: number] => [
  bottomRightX - topLeftX,
  topLeftY - bottomRightY,
];

/** Moves a rectangle, and keeps it inside of the room. */
export const moved = (rect: Rect, dx: number, dy: number, { xMin, xMax, yMin, yMax }: Extent): Rect => {
  const [width, depth] = sidesOf(rect);
  const topLeftX = within(rect.topLeftX + dx, -xMin, Math.max(-xMin, xMax - width));
  const topLeftY = within(rect.topLeftY + dy, Math.min(yMax, depth - yMin), yMax);
  return { topLeftX, topLeftY, bottomRightX: topLeftX + width, bottomRightY: topLeftY - depth };
};

/** Moves a corner of a rectangle to a point, inside of the room, and keeps the least size of a region. */
export const resized = (rect: Rect, corner: Corner, { x, y }: Point, { xMin, xMax, yMin, yMax }: Extent): Rect =>
  corner === 'topLeft'
    ? {
        ...rect,
        topLeftX: within(x, -xMin, rect.bottomRightX - MIN_REGION_SIDE),
        topLeftY: within(y, rect.bottomRightY + MIN_REGION_SIDE, yMax),
      }
    : {
        ...rect,
        bottomRightX: within(x, rect.topLeftX + MIN_REGION_SIDE, xMax),
        bottomRightY: within(y, -yMin, rect.topLeftY - MIN_REGION_SIDE),
      };

/** Gives the rectangle between two points of the room; null when it is smaller than a region may be. */
export const drawn = (a: Point, b: Point, { xMin, xMax, yMin, yMax }: Extent): Rect | null => {
  const xs = [a.x, b.x].map((x) => within(x, -xMin, xMax));
  const ys = [a.y, b.y].map((y) => within(y, -yMin, yMax));
  const rect = {
    topLeftX: rounded(Math.min(...xs)),
    topLeftY: rounded(Math.max(...ys)),
    bottomRightX: rounded(Math.max(...xs)),
    bottomRightY: rounded(Math.min(...ys)),
  };
  return sidesOf(rect).every((side) => side >= MIN_REGION_SIDE) ? rect : null;
};

export const onGrid = ({ x, y }: Point): Point => ({ x: rounded(x), y: rounded(y) });

/** Converts a point that the API gives as fractions of the room's extent to cm. */
export const placeOf = (at: Point, { xMin, xMax, yMin, yMax }: Extent): Point => ({
  x: at.x * (xMin + xMax) - xMin,
  y: at.y * (yMin + yMax) - yMin,
});
