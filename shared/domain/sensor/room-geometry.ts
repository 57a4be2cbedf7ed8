import type { NormalizedCoordinates, Point } from '../event/event.ts';
import type { Mounting, Room, RoomUpdate } from './room.ts';

/** A sensor room before it is measured: 3.6 m wide, with the sensor on the wall. */
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

/** Returns the rotation for a mounting: 45 degrees if its name ends with `_45deg`, otherwise 0. */
export const rotationOf = (mounting: Mounting): number => (mounting.endsWith('_45deg') ? 45 : 0);

/** Returns the room before the first PUT. Its creation date is the sensor's. */
export const firstRoom = ({ id, createDate }: { id: string; createDate: number }): Room => ({
  ...defaultRoom,
  regions: [],
  sensorId: id,
  createDate,
  updateDate: createDate,
  rotation: rotationOf(defaultRoom.sensorMounting),
});

/** A room extent in cm. */
export type Extent = Pick<RoomUpdate, 'xMin' | 'xMax' | 'yMin' | 'yMax' | 'zMax'>;

export const extentOf = ({ xMin, xMax, yMin, yMax, zMax }: Extent): Extent => ({ xMin, xMax, yMin, yMax, zMax });

const fraction = (part: number, whole: number) => Math.min(1, Math.max(0, whole > 0 ? part / whole : 0));

/** Scales a point in the room to [0, 1] from the lower-left corner (D2 Custom 1). */
export const normalize = ({ x, y, z = 0 }: Point, room: Extent): NormalizedCoordinates => ({
  x: fraction(x + room.xMin, room.xMin + room.xMax),
  y: fraction(y + room.yMin, room.yMin + room.yMax),
  z: fraction(z, room.zMax),
});
