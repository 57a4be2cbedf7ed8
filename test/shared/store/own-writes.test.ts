import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { ensureTable } from '#lib/local/table/endpoint.ts';
import { createTable, type Table } from '#shared/store/engine/client.ts';
import { absent, changes, present, where } from '#shared/store/engine/request.ts';
import { type Dynoxide, dynoxideClient, startDynoxide } from '#test/fixtures/dynoxide.ts';

let engine: Dynoxide;
let table: Table;
/** What happens between a write and its answer, which is lost then; null: answers arrive. */
let meanwhile: (() => Promise<unknown>) | null = null;
beforeAll(async () => {
  engine = await startDynoxide();
  await ensureTable(engine.endpoint, 'own');
  const client = dynoxideClient(engine.endpoint);
  client.middlewareStack.add(
    (next) => async (args) => {
      const answer = await next(args);
      const act = meanwhile;
      if (!act) return answer;
      meanwhile = null;
      await act();
      throw Object.assign(new Error('socket hang up'), { code: 'ECONNRESET' });
    },
    { step: 'deserialize', priority: 'high', name: 'loses an answer' },
  );
  table = createTable(client, 'own');
});
afterAll(() => engine.stop());

const lost = async () => {};
let at = 0;
let key: { pk: string; sk: string };
beforeEach(() => {
  key = { pk: 'P', sk: `${++at}` };
});

test('what was put once is known as one own when its answer was lost', async () => {
  const put = { ...key, list: [{ b: 1, a: 'x' }], none: undefined, nothing: null };
  meanwhile = lost;
  expect(await table.write({ put, where: absent })).toBeNull();
  expect(await table.write({ put, where: absent })).toEqual([0]);
  meanwhile = lost;
  const next = { ...put, version: 2 };
  expect(await table.write({ put: next, where: where('attribute_not_exists(#version)') })).toBeNull();
});

test('what another put meanwhile is not', async () => {
  const client = createTable(dynoxideClient(engine.endpoint), 'own');
  meanwhile = () => client.write({ put: { ...key, by: 'another' } });
  expect(await table.write({ put: { ...key, by: 'me' }, where: absent })).toEqual([0]);
});

test('what was removed once is removed, and no stranger to whoever removed it', async () => {
  await table.write({ put: key });
  meanwhile = lost;
  expect(await table.write({ remove: key, where: present })).toBeNull();
  expect(await table.write({ remove: key, where: present })).toEqual([0]);
});

test('a transaction is written once, though its answer was lost', async () => {
  const sum = { pk: 'P', sk: `sum ${at}` };
  meanwhile = lost;
  const count = { update: sum, changes: changes({ add: { value: 1 } }) };
  expect(await table.write({ put: key, where: absent }, count)).toBeNull();
  expect(await table.get(sum)).toMatchObject({ value: 1 });
});
