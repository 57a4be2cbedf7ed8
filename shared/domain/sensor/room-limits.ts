/** The smallest room extent in each direction, in cm. */
export const MIN_EXTENT = 20;
/** The largest room extent toward the cable, in cm. */
export const MAX_TO_CABLE = 200;

/** The sensor range to the sides and ahead, and the permitted mounting heights, in cm. */
export type Limits = { x: number; y: number; height: { min: number; max: number; usual: number } };
const limits = (
  x: number,
  y: number,
  [min, usual, max]: readonly [min: number, usual: number, max: number],
): Limits => ({
  x,
  y,
  height: { min, max, usual },
});

/** The shortest region side in cm. */
export const MIN_REGION_SIDE = 20;

type Mounting = 'wall' | 'ceiling' | 'ceiling_45deg' | 'wall_tilt_45deg';
type OfMaker<T> = Readonly<Record<'maker_a' | 'maker_b', T>>;

/** The sensor range by maker and mounting, in cm. Mountings not listed are unsupported. */
export const mountings: OfMaker<Readonly<Partial<Record<Mounting, Limits>>>> = {
  maker_a: {
    wall: limits(200, 400, [100, 150, 200]),
    ceiling: limits(250, 200, [230, 250, 300]),
    ceiling_45deg: limits(250, 200, [230, 250, 300]),
    wall_tilt_45deg: limits(200, 400, [180, 210, 250]),
  },
  maker_b: { wall: limits(300, 400, [140, 150, 330]), ceiling: limits(300, 200, [150, 280, 330]) },
};

type Kind = 'default' | 'bed' | 'door' | 'monitored_bed' | 'interference';

/** The number of regions a sensor supports, in total and by kind. */
export const regionCounts: OfMaker<{ all: number; kinds: Readonly<Partial<Record<Kind, number>>> }> = {
  maker_a: { all: 6, kinds: { default: 6, door: 2, bed: 1 } },
  maker_b: { all: 16, kinds: { default: 16, door: 16, bed: 16, interference: 16, monitored_bed: 1 } },
};
