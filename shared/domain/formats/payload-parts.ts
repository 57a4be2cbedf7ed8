import * as z from 'zod';

/**
 * Returns the schema for text with min..max code points. Receivers may rely on this length. JSON Schema counts code
 * points too.
 */
export const textBetween = (min: number, max: number) =>
  z
    .string()
    .refine((value) => [...value].length >= min && [...value].length <= max)
    .meta({ minLength: min, maxLength: max });

/** A page URL in a payload. */
export const pageUrl = z.string().regex(/^https?:\/\/./);

/** Values for payload examples. */
export const exampleValues = { sensorId: 'id_MDI6REU6MDA6MDA6MDA6MDE', point: { x: 0.5, y: 0.25, z: 0 } };
