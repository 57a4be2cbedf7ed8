import type { NormalizedCoordinates, Point } from './event.ts';

/** The extent of a room, in cm; D1 "Room". */
export type Extent = { xMin: number; xMax: number; yMin: number; yMax: number; zMax: number };

/** The room of a sensor that nobody measured yet: on the wall, 3.6 m wide. */
export const defaultExtent: Extent = { xMin: 180, xMax: 180, yMin: 30, yMax: 350, zMax: 180 };

const share = (part: number, whole: number) => Math.min(1, Math.max(0, whole > 0 ? part / whole : 0));

/** A point within the room, scaled to [0, 1] from the lower-left corner (D2 Custom 1). */
export const normalize = ({ x, y, z }: Point, room: Extent): NormalizedCoordinates => ({
  x: share(x + room.xMin, room.xMin + room.xMax),
  y: share(y + room.yMin, room.yMin + room.yMax),
  z: share(z, room.zMax),
});
