import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openTable } from '#lib/tools/table.ts';
import { tableLocation, tableOptionsProblem } from '#lib/tools/table-location.ts';
import { store } from '#shared/store/store.ts';
import { startTestCloud } from '#test/fixtures/cloud.ts';
import { adminOf } from '#test/fixtures/home.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tools-table-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const namesIn = async (dataDir: string): Promise<string[]> => {
  const { table, close } = await openTable({ dataDir, table: 'sensor-cloud' });
  const names = (await store(table).customers.list()).map(({ name }) => name);
  await close();
  return names;
};

test("opens a data folder's table whether or not the host is running", async () => {
  const cloud = await startTestCloud({ dataDir: folder });
  const admin = await adminOf(cloud.url);
  await admin.ok('POST', '/customers', { name: 'Maple', location: '', email: '' });
  expect(await namesIn(folder)).toEqual(['Maple']);
  // The host still works.
  await admin.ok('GET', '/customers');
  await cloud.stop();
  expect(await namesIn(folder)).toEqual(['Maple']);
});

test('rejects a folder without data', async () => {
  const empty = join(folder, 'nothing');
  await expect(namesIn(empty)).rejects.toThrow(/contains no data/);
});

test('accepts options for at most one table', () => {
  const aws = { region: 'eu-central-1' };
  expect(tableLocation({}, '.local', aws)).toEqual({ dataDir: '.local', table: 'sensor-cloud' });
  expect(tableLocation({ 'data-dir': 'x' }, '.local', aws)).toEqual({ dataDir: 'x', table: 'sensor-cloud' });
  expect(tableLocation({ stage: 'prod' }, '.local', aws)).toEqual({ stage: 'prod', aws });
  expect(tableLocation({ table: 't' }, '.local', aws)).toEqual({ table: 't', aws });
  const endpoint = 'http://127.0.0.1:8000';
  expect(tableLocation({ endpoint, table: 't' }, '.local', aws)).toEqual({ endpoint, table: 't' });
  expect([{}, { stage: 'a' }, { endpoint, table: 't' }].map(tableOptionsProblem)).toEqual([null, null, null]);
  expect(tableOptionsProblem({ stage: 'a', table: 't' })).toMatch(/^use only one of /);
  expect(tableOptionsProblem({ endpoint: 'here' })).toMatch(/^--endpoint must be a URL/);
});
