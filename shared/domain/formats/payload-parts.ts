import * as z from 'zod';

/** Text of min..max code points, as a receiver may rely on it. JSON Schema counts code points too. */
export const between = (min: number, max: number) =>
  z
    .string()
    .refine((value) => [...value].length >= min && [...value].length <= max)
    .meta({ minLength: min, maxLength: max });

/** Of the examples. */
export const example = { sensorId: 'id_MDI6REU6MDA6MDA6MDA6MDE', point: { x: 0.5, y: 0.25, z: 0 } };
