import * as z from 'zod';

type Json = Record<string, unknown>;

const INT32 = { minimum: -2_147_483_648, maximum: 2_147_483_647 } as const;

/** Whether a schema allows only integers, by its type or by the numbers it lists. */
const isInteger = ({ type, const: only, enum: choices }: Json): boolean =>
  type === 'integer' || (type === 'number' && [only ?? choices ?? Number.NaN].flat().every(Number.isInteger));

const fitsInt32 = ({ minimum, maximum, const: only, enum: choices }: Json): boolean =>
  [only ?? choices ?? [minimum ?? Number.NaN, maximum ?? Number.NaN]]
    .flat()
    .every((bound) => Number(bound) >= INT32.minimum && Number(bound) <= INT32.maximum);

/**
 * Adds a number format. Without it, generated Java and Go code reads integers as 32-bit values, and numbers as decimals
 * or 32-bit values.
 */
const addNumberFormat = (schema: Json): void => {
  if (isInteger(schema)) Object.assign(schema, { type: 'integer', format: fitsInt32(schema) ? 'int32' : 'int64' });
  else if (schema.type === 'number') schema.format ??= 'double';
};

const isText = (schema: unknown): boolean => (schema as Json).type === 'string' && !('const' in Object(schema));

/**
 * Replaces a choice of strings with a single string, because generators print the default of a choice without quotation
 * marks.
 */
const mergeTexts = (schema: Json): void => {
  const choices = schema.anyOf as Json[] | undefined;
  if (!choices?.every(isText)) return;
  const lengths = choices.map(({ maxLength }) => Number(maxLength ?? 0));
  delete schema.anyOf;
  Object.assign(schema, { type: 'string', maxLength: Math.max(...lengths) });
};

/** Names the field whose value generators use to choose a union member. */
const addDiscriminator = (schema: Json, declared: unknown): void => {
  if (!(declared instanceof z.ZodDiscriminatedUnion)) return;
  const propertyName = declared.def.discriminator;
  const members = schema.oneOf as { $ref: string }[];
  const kindsOf = (member: z.core.$ZodType): string[] =>
    [...(member._zod.propValues?.[propertyName] ?? [])].map(String);
  const mapping = Object.fromEntries(
    declared.options.flatMap((option, at) => kindsOf(option).map((kind) => [kind, members[at]?.$ref])),
  );
  schema.discriminator = { propertyName, mapping };
};

/** Removes safe integer bounds, which the conventions in the document state once for all integers. */
const removeSafeBounds = (schema: Json): void => {
  if (schema.maximum === Number.MAX_SAFE_INTEGER) delete schema.maximum;
  if (schema.minimum === Number.MIN_SAFE_INTEGER) delete schema.minimum;
};

/**
 * Turns a JSON Schema into a form client generators understand. Everything a client may send stays valid. The service
 * validates against the contract, which may be stricter.
 */
export const makePortable = (schema: Json, declared: unknown): void => {
  addNumberFormat(schema);
  removeSafeBounds(schema);
  mergeTexts(schema);
  addDiscriminator(schema, declared);
  // Generators turn a constant into an enum with one value, which does not compile for a boolean.
  if (schema.type === 'boolean') delete schema.const;
  // The format already implies the pattern. Code generated to check both does not compile, because imports are missing.
  if (schema.format === 'uuid') delete schema.pattern;
  if (JSON.stringify(schema.propertyNames) === '{"type":"string"}') delete schema.propertyNames;
};
