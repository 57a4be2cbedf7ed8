import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { server } from '#functions/api/server/contract.ts';
import { description, schemas } from '#functions/api/server/description.ts';
import type { Cloud } from '#lib/local/cloud.ts';
import { type Client, clientOf } from '#test/fixtures/client.ts';
import { startTestCloud } from '#test/fixtures/cloud.ts';

const names = server.operations.getSchema.params.shape.name.options;
let cloud: Cloud;
let anybody: Client;
beforeAll(async () => {
  cloud = await startTestCloud();
  anybody = clientOf(cloud.url);
});
afterAll(() => cloud.stop());

test('every documented webhook has a published schema', () => {
  const ofWebhooks = Object.keys(description.webhooks as object).map((name) => `webhook-${name}`);
  expect(Object.keys(schemas).sort()).toEqual(['device-messages', ...ofWebhooks].sort());
  expect([...names].sort()).toEqual(Object.keys(schemas).sort());
});

test.each(names)('%s is a complete JSON Schema that accepts its own examples', async (name) => {
  const { headers, body } = await anybody.call('GET', `/schemas/${name}`);
  expect(headers.get('cache-control')).toBe('public, max-age=60');
  const ajv = new Ajv2020({ strict: true, strictTypes: false, allowUnionTypes: true });
  addFormats.default(ajv);
  const formats = { int32: 'number', int64: 'number', double: 'number' } as const;
  for (const [format, type] of Object.entries(formats)) ajv.addFormat(format, { type, validate: () => true });
  const validate = ajv.compile(body as object);
  const { examples } = body as { examples: unknown[] };
  expect(examples.length).toBeGreaterThan(0);
  for (const example of examples) expect([validate(example), validate.errors]).toEqual([true, null]);
  expect(validate({ arbitrary: true })).toBe(name === 'webhook-raw');
});

test('returns a 304 for an unchanged schema', async () => {
  const url = `${cloud.url}/schemas/device-messages`;
  const etag = (await fetch(url)).headers.get('etag') ?? '';
  expect((await fetch(url, { headers: { 'If-None-Match': etag } })).status).toBe(304);
});

test('rejects a request for an unknown schema', async () => {
  expect(await anybody.call('GET', '/schemas/webhook-none')).toMatchObject({ status: 400 });
});
