import type * as z from 'zod';

/** A maker's message kind: its name, what it means and what it causes (`description`), its fields, and an example. */
export type MessageKind<F extends z.ZodObject = z.ZodObject> = {
  name: string;
  description: string;
  fields: F;
  example: z.input<F>;
};

/** 2025-10-09 08:53:20 UTC, used in examples. */
export const EXAMPLE_TIME = 1_760_000_000_000;

type Found<F extends z.ZodObject> = { [K in keyof z.output<F>]?: z.output<F>[K] };

/**
 * Reads an object field by field. Missing and invalid fields are left out of `found`; `wrong` lists the invalid ones by
 * name. A fall with a broken coordinate is still a fall.
 */
export const readFields = <F extends z.ZodObject>(fields: F, value: unknown): { found: Found<F>; wrong: string[] } => {
  const object = (typeof value === 'object' && value !== null ? value : {}) as Record<string, unknown>;
  const found: Record<string, unknown> = {};
  const wrong: string[] = [];
  for (const [name, schema] of Object.entries(fields.shape)) {
    if (object[name] === undefined) continue;
    const { success, data } = (schema as z.ZodType).safeParse(object[name]);
    if (success) found[name] = data;
    else wrong.push(name);
  }
  return { found: found as Found<F>, wrong };
};
