import * as z from 'zod';
import { int32, millis, storedText } from '../values.ts';
import { RegionUpdate } from './region.ts';
import { MAX_TO_CABLE, MIN_EXTENT } from './room-limits.ts';
import { outerLimits, roomLimitsText } from './room-texts.ts';

export const Mounting = z.enum(['wall', 'ceiling', 'ceiling_45deg', 'wall_tilt_45deg']);
export type Mounting = z.infer<typeof Mounting>;

/**
 * Returns the schema for an int32 from MIN_EXTENT. The document shows the largest `maximum` for any maker;
 * room-rules.ts checks the limit for the sensor's maker.
 */
const extent = (maximum: number, description: string) =>
  int32(MIN_EXTENT, 2_147_483_647).meta({ maximum, description });
const height = (byDefault: number) => int32(0, 180).meta({ default: byDefault });
const seconds = int32(1, 300).meta({ default: 120 });

const fields = z.object({
  sensorMounting: Mounting,
  xMin: extent(outerLimits.x, 'cm monitored to the left, as a positive number'),
  xMax: extent(outerLimits.x, 'cm monitored to the right'),
  yMax: extent(outerLimits.y, 'cm monitored to the front'),
  yMin: int32(MIN_EXTENT, MAX_TO_CABLE).meta({
    description: 'cm monitored toward the cable, as a positive number',
  }),
  zMin: height(0),
  zMax: height(180),
  sensorHeight: int32(-2_147_483_648, 2_147_483_647).meta({
    minimum: outerLimits.lowest,
    maximum: outerLimits.highest,
    description: 'cm above the floor',
  }),
  enterDuration: seconds,
  exitDuration: seconds,
});

/** The request body for replacing a sensor room (D1 O9). */
export const RoomUpdate = fields
  .extend({ regions: z.array(RegionUpdate).max(64).meta({ maxItems: outerLimits.regions }) })
  .meta({
    id: 'RoomUpdate',
    description: roomLimitsText,
    examples: [
      {
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
        regions: [{ kind: 'bed', name: 'Bed', topLeftX: -100, topLeftY: 300, bottomRightX: 0, bottomRightY: 100 }],
      },
    ],
  });
export type RoomUpdate = z.output<typeof RoomUpdate>;

/** A stored region, with its id and its position in the region order on the device. */
export const Region = RegionUpdate.extend({
  name: storedText(1, 64),
  id: z.string().meta({ format: 'uuid' }),
  positionIdx: z.int().min(0),
}).meta({ id: 'Region' });
export type Region = z.output<typeof Region>;

/** A sensor's room (D1 "Room"). */
export const Room = fields
  .extend({
    sensorId: z.string(),
    createDate: millis,
    updateDate: millis,
    rotation: z.number(),
    regions: z.array(Region),
  })
  .meta({ id: 'Room' });
export type Room = z.output<typeof Room>;
