import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Validator } from '@seriousme/openapi-schema-validator';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { groups } from '#functions/index.ts';
import { describeApi } from '#shared/api/openapi/describe.ts';
import { openApi } from '#shared/api/openapi/document.ts';
import { apiOf } from '#shared/api/operation.ts';
import { Format } from '#shared/domain/formats/format.ts';
import { call } from '#test/contracts/calls.ts';
import { about, at, document, type Json, schemaErrorsAt } from '#test/contracts/document.ts';
import { apiOperations, exampleOf } from '#test/contracts/operations.ts';
import { createWorld, type World } from '#test/contracts/world.ts';

const json = ['content', 'application/json'];
const run = promisify(execFile);
const redocly = new URL('../../../../node_modules/@redocly/cli/bin/cli.js', import.meta.url).pathname;

let world: World;
beforeAll(async () => {
  world = await createWorld();
});
afterAll(async () => {
  await world.stop();
});

test('the document passes a public OpenAPI validator', async () => {
  const { valid, errors } = await new Validator().validate(structuredClone(document));
  expect(errors ?? []).toEqual([]);
  expect(valid).toBe(true);
});

test("the document passes redocly's recommended rules", async () => {
  const folder = await mkdtemp(join(tmpdir(), 'sensor-cloud-'));
  const file = join(folder, 'openapi.json');
  await writeFile(file, JSON.stringify(document));
  const args = [redocly, 'lint', file, '--extends', 'recommended', '--format', 'json'];
  const { stdout } = await run(process.execPath, args, { env: { REDOCLY_TELEMETRY: 'off', HOME: folder } });
  const { problems } = JSON.parse(stdout) as { problems: { ruleId: string; message: string }[] };
  expect(problems.map(({ ruleId, message }) => `${ruleId}: ${message}`)).toEqual([]);
  await rm(folder, { recursive: true });
});

/** Returns all values of a key, anywhere in the document. */
const valuesOf = (key: string, value: unknown = document): unknown[] =>
  value === null || typeof value !== 'object'
    ? []
    : Object.entries(value).flatMap(([name, member]) => [
        ...(name === key && typeof member === 'string' ? [member] : []),
        ...valuesOf(key, member),
      ]);
/** Syntax that engines such as RE2 (Go) and Rust's (pydantic) lack: look-around, back-references, \u escapes. */
const notPortable = /\(\?(?!:)|\\[1-9ukpP]|\\[bB]\{|[*+?}]\+/;

test('patterns work in every regex engine, without look-around, back-references or \\u escapes', () => {
  const patterns = [...new Set(valuesOf('pattern'))] as string[];
  expect(patterns.length).toBeGreaterThan(5);
  expect(patterns.filter((pattern) => notPortable.test(pattern) || !pattern.isWellFormed())).toEqual([]);
  for (const planted of ['^(?!a)b$', '^(a)\\1$', '^[\\ud800]$', '^(?<=a)b$', '^a++$'])
    expect([planted, notPortable.test(planted)]).toEqual([planted, true]);
});

test('formats come from the OpenAPI registry', () => {
  // https://spec.openapis.org/registry/format/
  const known = ['uuid', 'binary', 'int32', 'int64', 'double'];
  const examples = new Set<string>(Format.options);
  const formats = [...new Set(valuesOf('format'))].filter((format) => !examples.has(String(format)));
  expect(formats.sort()).toEqual(known.sort());
});

test('eventType is an int32 with the codes from decision D2', () => {
  const codes = [1, 2, 5, 6, 7, 8, 10, 11, 20, 21, 30, 31];
  const schemas = at('components', 'schemas') as Record<
    string,
    { properties: { eventType: Json & { anyOf: Json[] } } }
  >;
  const listed = schemas.Event?.properties.eventType.anyOf ?? [];
  expect(schemas.Custom1Payload?.properties.eventType).toEqual({ type: 'integer', format: 'int32', enum: codes });
  expect(listed).toEqual([{ type: 'integer', format: 'int32', enum: codes }, { type: 'null' }]);
});

test('GET /server/config accepts all kinds of credentials, but does not need any', () => {
  const ways = [{}, { session: [] }, { accessToken: [] }, { cookie: [] }];
  expect(at('paths', '/server/config', 'get', 'security')).toEqual(ways);
});

test('the document describes every tag exactly once', () => {
  const tags = at('tags') as { name: string; description: string }[];
  expect(new Set(tags.map(({ name }) => name)).size).toBe(tags.length);
  expect(tags.filter(({ description }) => description.length < 10)).toEqual([]);
  const used = [at('paths'), at('components', 'pathItems')].flatMap((all) =>
    Object.values(all as Json).flatMap((item) =>
      Object.values(item as Json).flatMap((operation) => (operation as Json).tags),
    ),
  );
  expect([...new Set(used)].sort()).toEqual(tags.map(({ name }) => name).sort());
});

test('openapi-typescript generates a client from the document', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'sensor-cloud-'));
  await writeFile(join(folder, 'openapi.json'), JSON.stringify(document));
  const cli = new URL('../../../../node_modules/openapi-typescript/bin/cli.js', import.meta.url).pathname;
  await run(process.execPath, [cli, join(folder, 'openapi.json'), '-o', join(folder, 'client.d.ts')]);
  expect(await readFile(join(folder, 'client.d.ts'), 'utf8')).toContain('postMessages');
  await rm(folder, { recursive: true });
});

test('the document contains every API operation exactly once', () => {
  const listed = Object.values(at('paths') as Record<string, Json>).flatMap((item) => Object.values(item) as Json[]);
  expect(listed.map(({ operationId }) => operationId).sort()).toEqual(apiOperations.map(([name]) => name).sort());
});

test('only device API operations list a separate server', () => {
  const description = describeApi(groups);
  const serversOf = (DEVICE_URL: string) => {
    const { paths } = openApi(description, { ...about, DEVICE_URL }) as { paths: Record<string, Json> };
    const listed = Object.values(paths).flatMap((item) => Object.values(item) as Json[]);
    return new Map(listed.map(({ operationId, servers }) => [operationId, servers]));
  };
  for (const [name, operation] of apiOperations) {
    const servers = [{ url: 'https://devices.example.com/api/v1' }];
    const wanted = apiOf(operation) === 'devices' ? servers : undefined;
    expect([name, serversOf('https://devices.example.com').get(name)]).toEqual([name, wanted]);
    for (const url of ['', about.PUBLIC_URL]) expect([name, serversOf(url).get(name)]).toEqual([name, undefined]);
  }
});

test('every reference resolves and every component is used', () => {
  const text = JSON.stringify(document);
  const references = new Set([...text.matchAll(/"\$ref":"#([^"]+)"/g)].map(([, to = '']) => to));
  for (const reference of references) expect(at(...reference.split('/').slice(1)), reference).toBeTypeOf('object');
  const { securitySchemes: _, ...kinds } = at('components') as Json;
  const components = Object.entries(kinds).flatMap(([kind, all]) =>
    Object.keys(all as Json).map((id) => `/components/${kind}/${id}`),
  );
  expect([...references].sort()).toEqual(components.sort());
  expect(text).not.toContain('$defs');
});

test('a 400 for a sensor from the other maker matches the document', async () => {
  const path = '/sensors/{sensorId}/maker_a/config/basic';
  const { client, ids } = world.ours;
  const { body } = await client.call('GET', path.replace('{sensorId}', ids.makerBSensorId ?? ''));
  expect(body).toEqual({ statusCode: 400, message: expect.any(String) });
  const { $ref } = at('paths', path, 'get', 'responses', '400') as { $ref: string };
  expect(schemaErrorsAt(body, ...$ref.split('/').slice(1), ...json, 'schema')).toEqual([]);
});

test('every 401 response has a WWW-Authenticate header', async () => {
  const body = { code: 'no-code-at-all', newPassword: 'a-password-of-no-interest' };
  const answers = [
    await world.anybody.call('POST', '/users/password-reset/confirm', body),
    await world.anybody.call('POST', '/users/login', { username: 'nobody', password: 'wrong' }),
    await world.anybody.as('garbage').call('GET', '/users/me'),
    await world.anybody.call('GET', '/users/me'),
  ];
  expect(answers.map(({ status, headers }) => [status, headers.get('www-authenticate')])).toEqual(
    answers.map(() => [401, 'Bearer']),
  );
  const responses = Object.values(at('paths') as Record<string, Json>)
    .flatMap((item) => Object.values(item) as { responses: Record<string, Json> }[])
    .map(({ responses }) => Object(responses['401']) as { $ref?: string; headers?: Json })
    .map(({ $ref, headers }) => ($ref ? at(...$ref.split('/').slice(1), 'headers') : headers))
    .filter((headers) => headers !== undefined);
  expect(responses.length).toBeGreaterThan(50);
  const names = ['WWW-Authenticate', 'x-amzn-Remapped-WWW-Authenticate'];
  for (const headers of responses) expect(Object.keys(Object(headers))).toEqual(expect.arrayContaining(names));
});

describe.each(apiOperations)('%s', (name, operation) => {
  const place = ['paths', operation.path, operation.method.toLowerCase()];
  const success = [...place, 'responses', operation.success];

  test(`${name} has a summary, and a schema for every response and parameter`, () => {
    expect(at(...place, 'summary')).toMatch(/\S/);
    for (const [status, response] of Object.entries(at(...place, 'responses') as Record<string, Json>)) {
      if (status === '304') continue;
      const shared = String(response.$ref).split('/').slice(1);
      const { content } = ('$ref' in response ? at(...shared) : response) as Json;
      const [{ schema } = { schema: {} }] = Object.values(Object(content)) as Json[];
      expect(Object.keys(schema ?? {}).length, status).toBeGreaterThan(0);
    }
    for (const parameter of at(...place, 'parameters') as Json[]) {
      expect(Object.keys(parameter.schema as Json), String(parameter.name)).toContain('type');
      expect(parameter.description, String(parameter.name)).toMatch(/\S/);
    }
  });

  if (operation.body)
    test(`${name} has valid request body examples`, async () => {
      const media = [...place, 'requestBody', ...json];
      const { example, examples = { example: { value: example } } } = at(...media) as Json;
      for (const [id, { value }] of Object.entries(examples as Record<string, Json>)) {
        expect(value, id).toBeTypeOf('object');
        expect(schemaErrorsAt(value, ...media, 'schema'), id).toEqual([]);
        expect(operation.body?.safeParse(value), id).toMatchObject({ success: true });
      }
      expect(schemaErrorsAt((await exampleOf(name, world)).body, ...media, 'schema')).toEqual([]);
    });

  if (!operation.media)
    test(`${name} has a valid response example`, () => {
      const media = [...success, ...json];
      const example = at(...media, 'example');
      expect(example).toBeTypeOf('object');
      expect(schemaErrorsAt(example, ...media, 'schema')).toEqual([]);
      // An empty name, title, message or id means the field needs an example.
      expect(JSON.stringify(example)).not.toMatch(/"(name|title|message|id)":""/);
    });

  test(`${name} responds as documented, including headers`, async () => {
    const answer = await call(world, [name, operation]);
    expect(answer.status, answer.text).toBe(operation.success);
    if (operation.media) expect(Object.keys(at(...success, 'content') as Json)).toEqual(operation.media);
    else expect(schemaErrorsAt(answer.body, ...success, ...json, 'schema')).toEqual([]);
    for (const [header, { required }] of Object.entries(at(...success, 'headers') as Record<string, Json>))
      if (required !== false) expect(answer.headers.get(header), header).toMatch(/\S/);
    const session = ['token', 'set-cookie'].filter((header) => answer.headers.has(header));
    expect(Object.keys(at(...success, 'headers') as Json).map((key) => key.toLowerCase())).toEqual(
      expect.arrayContaining(session),
    );
  });
});
