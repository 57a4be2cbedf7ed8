import * as z from 'zod';
import { makePortable } from './portable.ts';

export type Json = Record<string, unknown>;

/** Returns a schema as JSON Schema. Schemas with an id are collected as components and referenced. */
export type WriteSchema = (schema: z.ZodType, io: 'input' | 'output') => Json;

export const SCHEMA_PREFIX = '#/components/schemas/';

/** Whether a schema allows no value. Such a field must be left out, so the document does not show it. */
const isNever = (value: unknown): boolean => JSON.stringify(value) === '{"not":{}}';

type Tuple = { prefixItems: unknown[]; items: false };
const isTuple = (value: unknown): value is Tuple =>
  typeof value === 'object' && value !== null && 'prefixItems' in value && 'items' in value && value.items === false;
/** Returns a tuple as a fixed-length list, because generators and linters do not support `items: false`. */
const sizedList = ({ prefixItems, items: _, ...tuple }: Tuple): Json => {
  const [first, ...others] = prefixItems;
  const items = others.length === 0 ? { items: first } : { prefixItems, items: {} };
  return { ...tuple, ...items, minItems: prefixItems.length, maxItems: prefixItems.length };
};

export const schemaCollector =
  (schemas: Record<string, Json>): WriteSchema =>
  (schema, io) => {
    const {
      $schema: _,
      $defs = {},
      ...rest
    } = z.toJSONSchema(schema, {
      io,
      unrepresentable: 'any',
      override: ({ zodSchema, jsonSchema }) => makePortable(jsonSchema as Json, zodSchema),
    }) as Json;
    // Requests and responses share schemas. Responses may get new fields, so the document does not forbid them.
    const open = (name: string, value: unknown) =>
      (name === 'additionalProperties' && value === false) || isNever(value) ? undefined : value;
    const written = (name: string, value: unknown) => open(name, isTuple(value) ? sizedList(value) : value);
    const referring = (value: unknown): Json =>
      JSON.parse(JSON.stringify(value, written).replaceAll('"#/$defs/', `"${SCHEMA_PREFIX}`));
    for (const [id, found] of Object.entries($defs as Record<string, Json>)) {
      const component = referring(found);
      const known = schemas[id];
      // An id must mean the same thing in requests and responses.
      if (known && JSON.stringify(known) !== JSON.stringify(component))
        throw new Error(`two schemas have the id ${id}`);
      schemas[id] = component;
    }
    return referring(rest);
  };

/** Describes an id by its parameter name: `webhookId` is the webhook's id. */
const textOf = (name: string): string =>
  `Id of the ${name.replace(/Id$/, '').replaceAll(/[A-Z]/g, ' $&').toLowerCase()}`;

export const parametersOf = (write: WriteSchema, declared: z.ZodObject | undefined, place: 'path' | 'query'): Json[] =>
  Object.entries(declared?.shape ?? {}).map(([name, field]) => {
    const { description, ...read } = write(field as z.ZodType, 'output');
    const text = description ?? (name.endsWith('Id') ? textOf(name) : undefined);
    // The output of a transformation has no schema, so this falls back to the input.
    const { description: _, ...schema } = 'type' in read || '$ref' in read ? read : write(field as z.ZodType, 'input');
    return {
      name,
      in: place,
      required: place === 'path' || !field.safeParse(undefined).success,
      ...(text !== undefined && { description: text }),
      schema,
    };
  });
