import * as z from 'zod';

/**
 * Makes the schema of a text with min..max code points, which receivers may rely on. JSON Schema counts code points
 * too.
 */
export const between = (min: number, max: number) =>
  z
    .string()
    .refine((value) => [...value].length >= min && [...value].length <= max)
    .meta({ minLength: min, maxLength: max });

/** The address of a page, as payloads name one. */
export const pageAddress = z.string().regex(/^https?:\/\/./);

/** Values for the examples of payloads. */
export const example = { sensorId: 'id_MDI6REU6MDA6MDA6MDA6MDE', point: { x: 0.5, y: 0.25, z: 0 } };
