import { Validator } from '@seriousme/openapi-schema-validator';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { groups } from '../../../../functions/index.ts';
import { describeApi } from '../../../../shared/api/openapi/describe.ts';
import { openApi } from '../../../../shared/api/openapi/document.ts';
import { doorOf } from '../../../../shared/api/operation.ts';
import { call } from '../../../contracts/calls.ts';
import { about, at, document, faultsAt, type Json } from '../../../contracts/document.ts';
import { exampleOf, operations } from '../../../contracts/operations.ts';
import { createWorld, type World } from '../../../contracts/world.ts';

const json = ['content', 'application/json'];

let world: World;
beforeAll(async () => {
  world = await createWorld();
});
afterAll(async () => {
  await world.stop();
});

test('a public validator finds nothing wrong with the document', async () => {
  const { valid, errors } = await new Validator().validate(structuredClone(document));
  expect(errors ?? []).toEqual([]);
  expect(valid).toBe(true);
});

test('the document has every operation of the contracts, once, and no other', () => {
  const listed = Object.values(at('paths') as Record<string, Json>).flatMap((item) => Object.values(item) as Json[]);
  expect(listed.map(({ operationId }) => operationId).sort()).toEqual(operations.map(([name]) => name).sort());
});

test('operations of devices name a server of their own where they have one, and no other operation does', () => {
  const description = describeApi(groups);
  const serversOf = (DEVICE_URL: string) => {
    const { paths } = openApi(description, { ...about, DEVICE_URL }) as { paths: Record<string, Json> };
    const listed = Object.values(paths).flatMap((item) => Object.values(item) as Json[]);
    return new Map(listed.map(({ operationId, servers }) => [operationId, servers]));
  };
  for (const [name, operation] of operations) {
    const servers = [{ url: 'https://devices.example.com/api/v1' }];
    const wanted = doorOf(operation) === 'devices' ? servers : undefined;
    expect([name, serversOf('https://devices.example.com').get(name)]).toEqual([name, wanted]);
    for (const one of ['', about.PUBLIC_URL]) expect([name, serversOf(one).get(name)]).toEqual([name, undefined]);
  }
});

test('every reference leads somewhere, and no component is there in vain', () => {
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

test('every 401 tells how to authenticate, and the document says under which names', async () => {
  const body = { code: 'no-code-at-all', newPassword: 'a-password-of-no-interest' };
  const answers = [
    await world.anybody.call('POST', '/users/password-reset/confirm', body),
    await world.anybody.call('POST', '/users/login', { username: 'nobody', password: 'wrong' }),
    await world.anybody.as('garbage').call('GET', '/server/config'),
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

describe.each(operations)('%s', (name, operation) => {
  const place = ['paths', operation.path, operation.method.toLowerCase()];
  const success = [...place, 'responses', operation.success];

  test(`${name}: a summary, and a schema for every answer and parameter`, () => {
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
    test(`${name}: an example of its body, which is a good one`, async () => {
      const media = [...place, 'requestBody', ...json];
      const example = at(...media, 'example');
      expect(example).toBeTypeOf('object');
      expect(faultsAt(example, ...media, 'schema')).toEqual([]);
      expect(operation.body?.safeParse(example)).toMatchObject({ success: true });
      expect(faultsAt((await exampleOf(name, world)).body, ...media, 'schema')).toEqual([]);
    });

  test(`${name}: what it answers is what the document says, headers too`, async () => {
    const answer = await call(world, [name, operation]);
    expect(answer.status, answer.text).toBe(operation.success);
    if (operation.media) expect(Object.keys(at(...success, 'content') as Json)).toEqual(operation.media);
    else expect(faultsAt(answer.body, ...success, ...json, 'schema')).toEqual([]);
    for (const [header, { required }] of Object.entries(at(...success, 'headers') as Record<string, Json>))
      if (required !== false) expect(answer.headers.get(header), header).toMatch(/\S/);
    const session = ['token', 'set-cookie'].filter((header) => answer.headers.has(header));
    expect(Object.keys(at(...success, 'headers') as Json).map((one) => one.toLowerCase())).toEqual(
      expect.arrayContaining(session),
    );
  });
});
