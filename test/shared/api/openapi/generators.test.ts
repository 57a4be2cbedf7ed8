import { describe, expect, test } from 'vitest';
import { at, document, type Json } from '#test/contracts/document.ts';

// Schemas that client generators turn into wrong or broken code. `npm run test:generators` runs the generators
// themselves.

type Schema = Json & { $ref?: string; properties?: Record<string, Schema> };
const schemas = at('components', 'schemas') as Record<string, Schema>;
const resolve = (schema: Schema): Schema =>
  schema.$ref ? (schemas[schema.$ref.split('/').at(-1) ?? ''] ?? {}) : schema;
const choicesOf = (schema: Schema): Schema[] => (schema.oneOf ?? schema.anyOf ?? []) as Schema[];
const isNull = ({ type }: Schema): boolean => type === 'null';
const isObject = (schema: Schema): boolean => resolve(schema).properties !== undefined;
const isListOf = (value: unknown, types: readonly unknown[]): boolean =>
  Array.isArray(value) && value.every((one) => types.includes(one));

/** Returns the values an object allows for a field, if listed. */
const valuesOf = (object: Schema, field: string): unknown[] => {
  const { const: only, enum: listed } = resolve(object).properties?.[field] ?? {};
  return ([only ?? listed ?? []] as unknown[]).flat();
};

const INT32 = 2 ** 31;
const numberFaults = ({ type, format, minimum, maximum }: Schema): string[] => {
  if (type === 'number') return format === 'double' ? [] : ['a number that Go reads with 32 bits'];
  if (type !== 'integer') return [];
  const isLong = Number(minimum ?? 0) < -INT32 || Number(maximum ?? 0) >= INT32;
  if (isLong) return format === 'int64' ? [] : ['an integer that Java and Go read with 32 bits'];
  return isListOf([format], ['int32', 'int64']) ? [] : ['an integer without a format'];
};

const unionFaults = (schema: Schema): string[] => {
  const choices = choicesOf(schema).filter((choice) => !isNull(choice));
  if (choices.length < 2) return [];
  const objects = choices.filter(isObject);
  const fields = new Set(objects.flatMap((object) => Object.keys(resolve(object).properties ?? {})));
  const types = [...fields].map(
    (field) => new Set(objects.flatMap((one) => valuesOf(one, field)).map((v) => typeof v)),
  );
  const kinds = [...fields].filter((field) =>
    objects.every((one) => [valuesOf(one, field)].every(([only, second]) => typeof only === 'string' && !second)),
  );
  const { propertyName, mapping = {} } = Object(schema.discriminator) as { propertyName?: string; mapping?: Json };
  const references = objects.map(({ $ref }) => $ref);
  return [
    ...(references.every(Boolean) ? [] : ['a union of objects without names']),
    ...('default' in schema ? ['a default beside a union'] : []),
    ...(schema.anyOf && types.some(({ size }) => size > 1)
      ? ['a union with a field that is a string or a number']
      : []),
    ...(kinds.length > 0 && !kinds.includes(propertyName ?? '') ? ['a union without its discriminator'] : []),
    ...(propertyName && !isListOf(references, Object.values(mapping)) ? ['a discriminator without some members'] : []),
  ];
};

const faultsOf = (schema: Schema): string[] => {
  const { type, format, pattern, const: only, enum: listed = [] } = schema;
  const values = [only, ...(listed as unknown[])].filter((value) => value !== undefined && value !== null);
  return [
    ...numberFaults(schema),
    ...unionFaults(schema),
    ...(Array.isArray(type) && type.filter((one) => one !== 'null').length > 1 ? ['two types'] : []),
    ...(values.some((value) => typeof value === 'boolean') ? ['an enum of booleans'] : []),
    ...(new Set(values.map((value) => typeof value)).size > 1 ? ['an enum of two types'] : []),
    ...(Object.values(schema.properties ?? {}).some(isNull) ? ['a field that is always null'] : []),
    ...(values.length > 0 && type === undefined ? ['an enum without a type'] : []),
    ...(format === 'uuid' && pattern !== undefined ? ['a UUID with a pattern'] : []),
  ];
};

/**
 * Returns the faults in all schemas in a value, with their paths. `isMap`: whether the value's keys are names, not
 * keywords.
 */
const faultsIn = (value: unknown, path: string, isMap = false): string[] => {
  if (typeof value !== 'object' || value === null) return [];
  const own = isMap ? [] : faultsOf(value as Schema).map((fault) => `${path}: ${fault}`);
  const parts = Object.entries(value).filter(([key]) => isMap || !/^(examples?|default|enum|const|mapping)$/.test(key));
  return [...own, ...parts.flatMap(([key, part]) => faultsIn(part, `${path}/${key}`, key === 'properties' && !isMap))];
};

test('client generators understand every schema', () => {
  expect(faultsIn(document, '')).toEqual([]);
});

const named = (kind: string): Schema => ({ properties: { kind: { type: 'string', const: kind } } });
test.each<[string, Schema]>([
  ['an integer without a format', { type: 'integer' }],
  ['an integer that Java and Go read with 32 bits', { type: 'integer', format: 'int32', maximum: 2 ** 53 - 1 }],
  ['an integer that Java and Go read with 32 bits', { type: 'integer', minimum: -(2 ** 53) }],
  ['a number that Go reads with 32 bits', { type: 'number' }],
  ['two types', { type: ['integer', 'string'] }],
  ['an enum of booleans', { type: 'boolean', const: true }],
  ['a field that is always null', { properties: { contentUrl: { type: 'null' } } }],
  ['an enum without a type', { const: 'no-store' }],
  ['an enum of two types', { enum: [1, 'state'] }],
  ['a UUID with a pattern', { type: 'string', format: 'uuid', pattern: '^x' }],
  ['a default beside a union', { anyOf: [{ type: 'string' }, { type: 'boolean' }], default: 'a' }],
  ['a union of objects without names', { anyOf: [{ properties: {} }, { properties: {} }] }],
  [
    'a union with a field that is a string or a number',
    {
      anyOf: [{ $ref: '#/components/schemas/MakerAFallMessage' }, { $ref: '#/components/schemas/MakerAStateMessage' }],
    },
  ],
  [
    'a union without its discriminator',
    { oneOf: [{ $ref: '#/components/schemas/UserSubject' }, { $ref: '#/components/schemas/SensorSubject' }] },
  ],
  [
    'a discriminator without some members',
    {
      oneOf: [{ $ref: '#/components/schemas/UserSubject' }, { $ref: '#/components/schemas/SensorSubject' }],
      discriminator: { propertyName: 'kind', mapping: { user: '#/components/schemas/UserSubject' } },
    },
  ],
  ['a union without its discriminator', { oneOf: [named('a'), named('b')] }],
])('the schema check finds %s', (fault, schema) => {
  expect(faultsIn({ properties: { properties: schema } }, '')).toContain(`/properties/properties: ${fault}`);
});

/** Prefixes and suffixes that generators add to a schema name for a constructor or an optional value. */
const derivedNames = (name: string): string[] => [
  ...['New', 'Nullable', 'Opt', 'Nil'].map((prefix) => prefix + name),
  ...['Api', 'Inner', 'AnyOf', 'OneOf', 'FromJSON', 'ToJSON', 'WithDefaults'].map((suffix) => name + suffix),
];

/** Returns the names oapi-codegen derives for the values listed in a schema. */
const pathsOfValues = (name: string, schema: Schema): string[] => [
  ...('const' in schema || 'enum' in schema ? [name.toLowerCase()] : []),
  ...Object.entries(schema.properties ?? {}).flatMap(([field, part]) => pathsOfValues(name + field, part)),
  ...(typeof schema.items === 'object' ? pathsOfValues(name, schema.items as Schema) : []),
];

describe('generated names', () => {
  test('schema names do not clash with names that generators derive', () => {
    const names = Object.keys(schemas);
    const taken = new Map(names.map((name) => [name.toLowerCase(), name]));
    expect(taken.size).toBe(names.length);
    const clashes = names.flatMap((name) => derivedNames(name).filter((one) => taken.has(one.toLowerCase())));
    expect(clashes).toEqual([]);
    expect(derivedNames('Bot')).toContain('NewBot');
  });

  test('the names that generators give enumerations are unique', () => {
    const found = Object.entries(schemas).flatMap(([name, schema]) => pathsOfValues(name, schema));
    expect(found.length).toBeGreaterThan(20);
    expect(found.filter((name, at) => found.indexOf(name) !== at)).toEqual([]);
    const text = { type: 'string', const: 'a' };
    const planted = { properties: { contentType: text, content: { properties: { type: text } } } };
    expect(pathsOfValues('Card', planted)).toEqual(['cardcontenttype', 'cardcontenttype']);
  });

  test('every webhook has the same payload as a callback', () => {
    const callbacks = Object.values(at('paths') as Record<string, Json>)
      .flatMap((item) => Object.values(item) as { callbacks?: Json }[])
      .map(({ callbacks = {} }) => JSON.stringify(callbacks))
      .join();
    const webhooks = Object.entries(at('webhooks') as Record<string, { $ref: string }>);
    expect(webhooks.length).toBeGreaterThan(3);
    for (const [name, { $ref }] of webhooks) {
      const { requestBody } = at(...$ref.split('/').slice(1), 'post') as { requestBody: { content: Json } };
      const [{ schema }] = Object.values(requestBody.content) as [{ schema: Json }];
      expect([name, callbacks.includes(JSON.stringify(schema))]).toEqual([name, true]);
    }
  });
});
