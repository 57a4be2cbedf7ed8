import * as z from 'zod';

export type Json = Record<string, unknown>;

/** Makes the JSON Schema of a schema. Schemas with an id are collected as components and referred to. */
export type Write = (schema: z.ZodType, io: 'input' | 'output') => Json;

export const REF = '#/components/schemas/';

/** A field that must be left out: it is not a field at all for whoever writes requests. */
const isNothing = (value: unknown): boolean => JSON.stringify(value) === '{"not":{}}';

type Tuple = { prefixItems: unknown[]; items: false };
const isTuple = (value: unknown): value is Tuple =>
  typeof value === 'object' && value !== null && 'prefixItems' in value && 'items' in value && value.items === false;
/** Says by numbers how long a tuple is. Generators such as openapi-python-client read no schema that is `false`. */
const counted = ({ items: _, ...tuple }: Tuple): Json => ({
  ...tuple,
  minItems: tuple.prefixItems.length,
  maxItems: tuple.prefixItems.length,
});

export const collectInto =
  (schemas: Record<string, Json>): Write =>
  (schema, io) => {
    const { $schema: _, $defs = {}, ...rest } = z.toJSONSchema(schema, { io, unrepresentable: 'any' }) as Json;
    // Requests and answers share schemas. Readers must not enforce that an answer has no further fields, so the
    // document does not say that.
    const open = (name: string, value: unknown) =>
      (name === 'additionalProperties' && value === false) || isNothing(value) ? undefined : value;
    const written = (name: string, value: unknown) => open(name, isTuple(value) ? counted(value) : value);
    const referring = (value: unknown): Json =>
      JSON.parse(JSON.stringify(value, written).replaceAll('"#/$defs/', `"${REF}`));
    for (const [id, found] of Object.entries($defs as Record<string, Json>)) {
      const component = referring(found);
      const known = schemas[id];
      // An id with two meanings, such as one in a body and another in an answer, would be wrong in one of them.
      if (known && JSON.stringify(known) !== JSON.stringify(component)) throw new Error(`two schemas are called ${id}`);
      schemas[id] = component;
    }
    return referring(rest);
  };

/** Describes an id by its name: `webhookId` is the id of the webhook. */
const textOf = (name: string): string =>
  `Id of the ${name.replace(/Id$/, '').replaceAll(/[A-Z]/g, ' $&').toLowerCase()}`;

export const parametersOf = (write: Write, schema: z.ZodObject | undefined, place: 'path' | 'query'): Json[] =>
  Object.entries(schema?.shape ?? {}).map(([name, field]) => {
    const { description, ...read } = write(field as z.ZodType, 'output');
    const says = description ?? (name.endsWith('Id') ? textOf(name) : undefined);
    // The output of a transformation has no schema, so the schema of its input is shown.
    const { description: _, ...sent } = 'type' in read || '$ref' in read ? read : write(field as z.ZodType, 'input');
    return {
      name,
      in: place,
      required: place === 'path' || !field.safeParse(undefined).success,
      ...(says !== undefined && { description: says }),
      schema: sent,
    };
  });
