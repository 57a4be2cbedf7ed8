import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { at, document, type Json } from '#test/contracts/document.ts';

// The rules that openapi-python-client 0.29 follows to generate a Python client from the unedited document. File names
// in comments are relative to openapi_python_client/parser.
const run = promisify(execFile);
const TOOL = 'openapi-python-client';

type Schema = Json & { type?: string | string[]; properties?: Record<string, Schema>; items?: Schema };
type Operation = { operationId: string; responses: Record<string, Json>; requestBody?: Json };
const PLACES = ['properties', 'anyOf', 'oneOf', 'allOf', 'prefixItems'];

/** Returns the schemas inside a schema, each with a suffix for the model name. */
const inside = (schema: Schema): [name: string, schema: unknown][] => [
  ...PLACES.flatMap((place) =>
    Object.entries(Object(schema[place])).map(([key, property]): [string, unknown] => [
      place === 'properties' ? key : `Type${key}`,
      property,
    ]),
  ),
  ...('items' in schema ? [['Item', schema.items] satisfies [string, unknown]] : []),
  ...(typeof schema.additionalProperties === 'object'
    ? [['AdditionalProperty', schema.additionalProperties] satisfies [string, unknown]]
    : []),
];

/** Returns a name without regard to case style, so that `track-id`, `trackId` and `track_id` are the same. */
const plain = (name: string): string => name.replaceAll(/[^A-Za-z0-9]/g, '').toLowerCase();

/** Returns violations in a schema and the schemas inside it. `models`: the names already taken. */
const complaints = (name: string, schema: unknown, models: Set<string>): string[] => {
  // schema/: every schema is an object.
  if (typeof schema === 'boolean') return [`${name} is the schema ${schema}`];
  const fields = schema as Schema;
  if ('$ref' in fields)
    return String(fields.$ref).startsWith('#/components/') ? [] : [`${name} refers to something else`];
  const faults: string[] = [];
  // properties/list_property.py
  if (fields.type === 'array' && !('items' in fields || 'prefixItems' in fields))
    faults.push(`${name} is a list of nothing`);
  // properties/enum_property.py
  const values = ((fields.enum ?? []) as unknown[]).filter((value) => value !== null);
  const types = new Set(values.map((value) => typeof value));
  if (types.size > 1 || types.has('object') || types.has('boolean')) faults.push(`${name} mixes kinds of values`);
  // properties/model_property.py, enum_property.py: each schema with properties or listed values becomes a class.
  if (fields.properties || values.length > 0) {
    if (models.has(plain(name))) faults.push(`${name} is the name of two models`);
    models.add(plain(name));
  }
  // properties/model_property.py: `python_name`.
  const names = Object.keys(fields.properties ?? {}).map(plain);
  if (new Set(names).size < names.length) faults.push(`${name} has two fields of the same name`);
  return [...faults, ...inside(fields).flatMap(([rest, part]) => complaints(name + rest, part, models))];
};

const operations = Object.values(at('paths') as Record<string, Json>).flatMap(
  (item) => Object.values(item) as Operation[],
);
const contentOf = (response: Json): string[] => {
  const found = '$ref' in response ? at(...String(response.$ref).split('/').slice(1)) : response;
  return Object.keys(Object((found as Json).content));
};

test('the Python client gets unique model and field names', () => {
  const models = new Set<string>();
  const schemas = Object.entries(at('components', 'schemas') as Record<string, Json>);
  expect(schemas.flatMap(([name, schema]) => complaints(name, schema, models))).toEqual([]);
  const bodies = operations.flatMap(({ operationId, requestBody, responses }) =>
    [['Body', requestBody ?? {}] as const, ...Object.entries(responses)].flatMap(([status, answer]) => {
      const media = Object.values(Object(answer.content)) as Json[];
      const name = status === 'Body' ? `${operationId}Body` : `${operationId}Response${status}`;
      return media.flatMap(({ schema }) => complaints(name, schema, models));
    }),
  );
  expect(bodies).toEqual([]);
});

test.each<[string, Schema, string]>([
  ['a tuple', { type: 'array', prefixItems: [{}], items: false as never }, 'OneItem is the schema false'],
  ['a list without an item type', { type: 'array' }, 'One is a list of nothing'],
  ['an enum with two kinds of values', { enum: ['a', 1] }, 'One mixes kinds of values'],
  [
    'two fields with the same name',
    { type: 'object', properties: { 'track-id': {}, trackId: {} } },
    'One has two fields of the same name',
  ],
  [
    'a model whose name is taken',
    { type: 'object', properties: { two: { properties: {} } } },
    'Onetwo is the name of two models',
  ],
])('the Python checks find %s', (_, schema, complaint) => {
  expect(complaints('One', schema, new Set(['onetwo']))).toEqual([complaint]);
});

test('every operation has a unique name that is a valid Python identifier', () => {
  const ids = operations.map(({ operationId }) => operationId);
  expect(new Set(ids.map(plain)).size).toBe(ids.length);
  expect(ids.filter((id) => !/^[a-z][A-Za-z0-9]*$/.test(id) || ['import', 'from', 'pass', 'del'].includes(id))).toEqual(
    [],
  );
});

test('only three operations use media types that the Python client cannot read', () => {
  // responses.py, bodies.py: all others are left out of the client, with a warning.
  const isRead = (media: string[]) =>
    media.length === 0 || (media.length === 1 && /^(application\/json|text\/)/.test(media[0] ?? ''));
  const others = operations.filter(
    ({ responses, requestBody }) =>
      !Object.values(responses).every((response) => isRead(contentOf(response))) ||
      !isRead(contentOf(requestBody ?? {})),
  );
  expect(others.map(({ operationId }) => operationId)).toEqual(['listAlarms', 'createImport', 'getQrCode']);
});

const isThere = await run(TOOL, ['--version']).then(
  () => true,
  () => false,
);
test.skipIf(!isThere)('openapi-python-client, if installed, generates every operation except the QR code', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'python-'));
  await writeFile(join(folder, 'openapi.json'), JSON.stringify(document));
  const { stdout, stderr } = await run(TOOL, ['generate', '--path', 'openapi.json', '--meta', 'none'], {
    cwd: folder,
  });
  expect([...`${stdout}${stderr}`.matchAll(/^WARNING parsing (.*) within/gm)].map(([, call]) => call)).toEqual([
    'GET /server/qr-code',
  ]);
  await rm(folder, { recursive: true });
});
