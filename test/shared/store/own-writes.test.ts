import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { ensureTable } from '#lib/local/table/endpoint.ts';
import { createTable, type Table } from '#shared/store/engine/client.ts';
import { absent, changes, present, where } from '#shared/store/engine/request.ts';
import { type Dynoxide, dynoxideClient, startDynoxide } from '#test/fixtures/dynoxide.ts';

let engine: Dynoxide;
let table: Table;
/** What happens between a write and the lost response, or null if responses arrive. */
let meanwhile: (() => Promise<unknown>) | null = null;
beforeAll(async () => {
  engine = await startDynoxide();
  await ensureTable(engine.endpoint, 'own');
  const client = dynoxideClient(engine.endpoint);
  client.middlewareStack.add(
    (next) => async (args) => {
      const response = await next(args);
      const act = meanwhile;
      if (!act) return response;
      meanwhile = null;
      await act();
      throw Object.assign(new Error('socket hang up'), { code: 'ECONNRESET' });
    },
    { step: 'deserialize', priority: 'high', name: 'loses a response' },
  );
  table = createTable(client, 'own');
});
afterAll(() => engine.stop());

const nothing = async () => {};
let at = 0;
let key: { pk: string; sk: string };
beforeEach(() => {
  key = { pk: 'P', sk: `${++at}` };
});

test('a table client recognizes its own put after a lost response', async () => {
  const put = { ...key, list: [{ b: 1, a: 'x' }], none: undefined, empty: null };
  meanwhile = nothing;
  expect(await table.write({ put, where: absent })).toBeNull();
  expect(await table.write({ put, where: absent })).toEqual([0]);
  meanwhile = nothing;
  const next = { ...put, version: 2 };
  expect(await table.write({ put: next, where: where('attribute_not_exists(#version)') })).toBeNull();
});

test("a table client does not mistake another writer's put for its own", async () => {
  const client = createTable(dynoxideClient(engine.endpoint), 'own');
  meanwhile = () => client.write({ put: { ...key, by: 'another' } });
  expect(await table.write({ put: { ...key, by: 'me' }, where: absent })).toEqual([0]);
});

test('a table client recognizes its own removal after a lost response', async () => {
  await table.write({ put: key });
  meanwhile = nothing;
  expect(await table.write({ remove: key, where: present })).toBeNull();
  expect(await table.write({ remove: key, where: present })).toEqual([0]);
});

test('a table client executes a transaction once even if the response was lost', async () => {
  const sum = { pk: 'P', sk: `sum ${at}` };
  meanwhile = nothing;
  const count = { update: sum, changes: changes({ add: { value: 1 } }) };
  expect(await table.write({ put: key, where: absent }, count)).toBeNull();
  expect(await table.get(sum)).toMatchObject({ value: 1 });
});
