import * as z from 'zod';
import { decimal } from '../decimal.ts';
import { text } from '../values.ts';

/** The maximum number of rooms on a plan. */
const MAX_ROOMS = 200;

/** The maximum length (m) of the plan sides. */
const MAX_SIDE = 1_000;

const descriptions = {
  sensorId: { description: 'a sensor in the group' },
  x: { description: 'm from the left edge of the plan to the sensor' },
  y: { description: 'm from the upper edge of the plan to the sensor' },
  rotation: {
    description: 'degrees clockwise by which the room is turned; at 0, a wall sensor faces down the plan',
  },
};

const PlannedRoom = z
  .object({
    sensorId: z.string().meta(descriptions.sensorId),
    x: z.number().meta(descriptions.x),
    y: z.number().meta(descriptions.y),
    rotation: z.number().meta(descriptions.rotation),
  })
  .meta({ id: 'PlannedRoom' });

/** Where the rooms in a sensor group lie on their floor. */
export const FloorPlan = z
  .object({
    width: z.number().meta({ description: 'm' }),
    height: z.number().meta({ description: 'm' }),
    rooms: z.array(PlannedRoom),
  })
  .meta({ id: 'FloorPlan' });
export type FloorPlan = z.output<typeof FloorPlan>;

/** Checks that each sensor appears only once and lies within the edges. */
const insideOnce = (ctx: z.core.ParsePayload<FloorPlan>) => {
  const { width, height, rooms } = ctx.value;
  const reject = (path: (string | number)[], params: object) =>
    ctx.issues.push({ code: 'custom', input: ctx.value, path: ['rooms', ...path], params });
  const placed = new Set<string>();
  for (const [at, { sensorId, x, y }] of rooms.entries()) {
    if (placed.has(sensorId)) reject([at, 'sensorId'], { key: 'invalid' });
    placed.add(sensorId);
    if (x > width) reject([at, 'x'], { key: 'maximum', limit: width });
    if (y > height) reject([at, 'y'], { key: 'maximum', limit: height });
  }
};

const placedRoom = z
  .object({
    sensorId: text(1, 26).meta(descriptions.sensorId),
    x: decimal(0, MAX_SIDE).meta(descriptions.x),
    y: decimal(0, MAX_SIDE).meta(descriptions.y),
    rotation: decimal(0, 360).meta(descriptions.rotation),
  })
  .meta({ id: 'PlannedRoomUpdate' });

/** The request body for replacing a plan. */
export const FloorPlanUpdate = z
  .object({
    width: decimal(1, MAX_SIDE).meta({ description: 'm' }),
    height: decimal(1, MAX_SIDE).meta({ description: 'm' }),
    rooms: z.array(placedRoom).max(MAX_ROOMS),
  })
  .check(insideOnce)
  .meta({
    id: 'FloorPlanUpdate',
    examples: [
      { width: 42.5, height: 18, rooms: [{ sensorId: 'id_MDI6MDA6NUU6MTA6MDA6MDE', x: 4, y: 0.5, rotation: 0 }] },
    ],
  });

/** The plan for a group before one is set. */
export const emptyPlan: FloorPlan = { width: 40, height: 20, rooms: [] };
