import type { FloorPlan, PlannedRoom, Room } from '#openapi';

export type Extent = Pick<Room, 'xMin' | 'xMax' | 'yMin' | 'yMax'>;

/** The room size (cm) until the real size is known. */
export const USUAL_ROOM: Extent = { xMin: 180, xMax: 180, yMin: 0, yMax: 350 };

const CM = 100;
const RIGHT_ANGLE = 90;

/** Returns the room size on a plan. The room does not extend behind a sensor on a wall. */
export const extentOf = ({ sensorMounting, xMin, xMax, yMin, yMax }: Room): Extent => ({
  xMin,
  xMax,
  yMin: sensorMounting.startsWith('wall') ? 0 : yMin,
  yMax,
});

/**
 * Where a room lies on the plan (m): the center, the sides, and how far (degrees) it is turned clockwise. `label` is
 * the upright text area around the center.
 */
export type Box = {
  x: number;
  y: number;
  width: number;
  depth: number;
  rotation: number;
  label: { width: number; height: number };
};

const labelOf = (width: number, depth: number, rotation: number): Box['label'] => {
  if (rotation % (2 * RIGHT_ANGLE) === 0) return { width, height: depth };
  if (rotation % RIGHT_ANGLE === 0) return { width: depth, height: width };
  const side = Math.min(width, depth);
  return { width: side, height: side };
};

/** Returns where a room lies. A plan stores the position of each sensor, which faces down the plan at 0 degrees. */
export const boxOf = ({ x, y, rotation }: PlannedRoom, { xMin, xMax, yMin, yMax }: Extent): Box => {
  const width = (xMin + xMax) / CM;
  const depth = (yMin + yMax) / CM;
  // The right side of a sensor that faces down is on the left of the plan.
  const [dx, dy] = [(xMin - xMax) / 2 / CM, (yMax - yMin) / 2 / CM];
  const angle = (rotation / 180) * Math.PI;
  const [cos, sin] = [Math.cos(angle), Math.sin(angle)];
  return {
    x: x + dx * cos - dy * sin,
    y: y + dx * sin + dy * cos,
    width,
    depth,
    rotation,
    label: labelOf(width, depth, rotation),
  };
};

/** Returns a plan turned 90 degrees clockwise, so that a long floor fits on a phone. */
export const turned = ({ width, height, rooms }: FloorPlan): FloorPlan => ({
  width: height,
  height: width,
  rooms: rooms.map(({ sensorId, x, y, rotation }) => ({
    sensorId,
    x: height - y,
    y: x,
    rotation: (rotation + RIGHT_ANGLE) % 360,
  })),
});

/** Positions are rounded to multiples of this (m). */
const GRID = 0.25;
const clamp = (value: number, max: number): number => Math.min(Math.max(0, Math.round(value / GRID) * GRID), max);

/** Returns a plan with the sensor in a room moved to another place, on the grid and within the edges. */
export const withRoomAt = (plan: FloorPlan, sensorId: string, x: number, y: number): FloorPlan => ({
  ...plan,
  rooms: plan.rooms.map((room) =>
    room.sensorId === sensorId ? { ...room, x: clamp(x, plan.width), y: clamp(y, plan.height) } : room,
  ),
});

export const withTurnedRoom = (plan: FloorPlan, sensorId: string): FloorPlan => ({
  ...plan,
  rooms: plan.rooms.map((room) =>
    room.sensorId === sensorId ? { ...room, rotation: (room.rotation + RIGHT_ANGLE) % 360 } : room,
  ),
});

/** The distance (m) between rooms added one after the other. */
const STEP = 4;

/**
 * Returns a plan with an additional room. Rooms are placed in rows from the top left, in the first spot without a
 * sensor.
 */
export const withRoom = (plan: FloorPlan, sensorId: string): FloorPlan => {
  const { width, height, rooms } = plan;
  const columns = Math.max(1, Math.floor(width / STEP));
  const placeAt = (at: number) => ({
    x: Math.min(width, (at % columns) * STEP + STEP / 2),
    y: Math.min(height, Math.floor(at / columns) * STEP),
  });
  let at = 0;
  while (at <= rooms.length && rooms.some(({ x, y }) => x === placeAt(at).x && y === placeAt(at).y)) at += 1;
  return { ...plan, rooms: [...rooms, { sensorId, ...placeAt(at), rotation: 0 }] };
};
