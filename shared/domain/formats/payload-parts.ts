import * as z from 'zod';

/**
 * Returns the schema of a text of min..max code points; receivers may rely on this length. JSON Schema also counts code
 * points.
 */
export const textBetween = (min: number, max: number) =>
  z
    .string()
    .refine((value) => [...value].length >= min && [...value].length <= max)
    .meta({ minLength: min, maxLength: max });

/** The URL of a page in a payload. */
export const pageUrl = z.string().regex(/^https?:\/\/./);

/** Values in the examples of payloads. */
export const exampleValues = { sensorId: 'id_MDI6REU6MDA6MDA6MDA6MDE', point: { x: 0.5, y: 0.25, z: 0 } };
