import type { RoomUpdate } from '#openapi';
import { MIN_REGION_SIDE } from '#shared/domain/sensor/room-limits.ts';

/** A rectangle in cm. y increases away from the sensor, so `topLeftY` is greater than `bottomRightY`. */
export type Rect = { topLeftX: number; topLeftY: number; bottomRightX: number; bottomRightY: number };
export type Extent = Pick<RoomUpdate, 'xMin' | 'xMax' | 'yMin' | 'yMax'>;
export type Point = { x: number; y: number };
export type Corner = 'topLeft' | 'bottomRight';

/** Pointer coordinates are rounded to multiples of this (cm). */
const STEP = 5;

const clamp = (value: number, min: number, max: number): number => Math.min(max, Math.max(min, value));
const rounded = (value: number): number => Math.round(value / STEP) * STEP;

export const sidesOf = ({ topLeftX, topLeftY, bottomRightX, bottomRightY }: Rect): [width: number, depth: number] => [
  bottomRightX - topLeftX,
  topLeftY - bottomRightY,
];

/** Moves a rectangle within the room. */
export const moved = (rect: Rect, dx: number, dy: number, { xMin, xMax, yMin, yMax }: Extent): Rect => {
  const [width, depth] = sidesOf(rect);
  const topLeftX = clamp(rect.topLeftX + dx, -xMin, Math.max(-xMin, xMax - width));
  const topLeftY = clamp(rect.topLeftY + dy, Math.min(yMax, depth - yMin), yMax);
  return { topLeftX, topLeftY, bottomRightX: topLeftX + width, bottomRightY: topLeftY - depth };
};

/** Moves a corner of a rectangle to a point in the room, but keeps the minimum region size. */
export const resized = (rect: Rect, corner: Corner, { x, y }: Point, { xMin, xMax, yMin, yMax }: Extent): Rect =>
  corner === 'topLeft'
    ? {
        ...rect,
        topLeftX: clamp(x, -xMin, rect.bottomRightX - MIN_REGION_SIDE),
        topLeftY: clamp(y, rect.bottomRightY + MIN_REGION_SIDE, yMax),
      }
    : {
        ...rect,
        bottomRightX: clamp(x, rect.topLeftX + MIN_REGION_SIDE, xMax),
        bottomRightY: clamp(y, -yMin, rect.topLeftY - MIN_REGION_SIDE),
      };

/** Returns the rectangle between two points in the room, or null if it is smaller than a region may be. */
export const rectBetween = (a: Point, b: Point, { xMin, xMax, yMin, yMax }: Extent): Rect | null => {
  const xs = [a.x, b.x].map((x) => clamp(x, -xMin, xMax));
  const ys = [a.y, b.y].map((y) => clamp(y, -yMin, yMax));
  const rect = {
    topLeftX: rounded(Math.min(...xs)),
    topLeftY: rounded(Math.max(...ys)),
    bottomRightX: rounded(Math.max(...xs)),
    bottomRightY: rounded(Math.min(...ys)),
  };
  return sidesOf(rect).every((side) => side >= MIN_REGION_SIDE) ? rect : null;
};

export const onGrid = ({ x, y }: Point): Point => ({ x: rounded(x), y: rounded(y) });

/** Converts an API point, in fractions of the room size, to cm. */
export const pointAt = (at: Point, { xMin, xMax, yMin, yMax }: Extent): Point => ({
  x: at.x * (xMin + xMax) - xMin,
  y: at.y * (yMin + yMax) - yMin,
});
