import type { NormalizedCoordinates, Point } from './event.ts';
import type { RoomUpdate } from './room.ts';

/** The room of a sensor before it is measured: a sensor on the wall of a room of 3.6 m width. */
export const defaultRoom: RoomUpdate = {
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
};

/** The extent of a room in cm. */
export type Extent = Pick<RoomUpdate, 'xMin' | 'xMax' | 'yMin' | 'yMax' | 'zMax'>;

export const extentOf = ({ xMin, xMax, yMin, yMax, zMax }: Extent): Extent => ({ xMin, xMax, yMin, yMax, zMax });

const share = (part: number, whole: number) => Math.min(1, Math.max(0, whole > 0 ? part / whole : 0));

/** Scales a point in the room to [0, 1] from the lower-left corner (D2 Custom 1). */
export const normalize = ({ x, y, z }: Point, room: Extent): NormalizedCoordinates => ({
  x: share(x + room.xMin, room.xMin + room.xMax),
  y: share(y + room.yMin, room.yMin + room.yMax),
  z: share(z, room.zMax),
});
