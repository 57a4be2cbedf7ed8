import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFile, mkdir, mkdtemp, readdir, readFile, realpath, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CreateTableCommand, DynamoDBClient, GetItemCommand, PutItemCommand } from '@aws-sdk/client-dynamodb';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { startTableEngine, type TableEngine } from '../../../lib/local/engines.ts';
import { eventually } from '../../fixtures/eventually.ts';

const SOURCE = new URL('../../../lib/local/engines.ts', import.meta.url);
const TableName = 'things';
let root = '';
const cleanUps: (() => unknown)[] = [];

beforeEach(async () => {
  root = await realpath(await mkdtemp(join(tmpdir(), 'engines-')));
});
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp();
  await rm(root, { recursive: true, force: true });
});

const start = async (dataDir: string, onExit: (error: Error) => void = () => {}): Promise<TableEngine> => {
  const engine = await startTableEngine({ dataDir, onExit });
  cleanUps.push(() => engine.stop());
  return engine;
};

const client = (endpoint: string) => {
  const credentials = { accessKeyId: 'local', secretAccessKey: 'local' };
  const dynamo = new DynamoDBClient({ endpoint, region: 'local', credentials, maxAttempts: 1 });
  cleanUps.push(() => dynamo.destroy());
  return {
    createTable: () =>
      dynamo.send(
        new CreateTableCommand({
          TableName,
          KeySchema: [{ AttributeName: 'pk', KeyType: 'HASH' }],
          AttributeDefinitions: [{ AttributeName: 'pk', AttributeType: 'S' }],
          BillingMode: 'PAY_PER_REQUEST',
        }),
      ),
    put: (pk: string) => dynamo.send(new PutItemCommand({ TableName, Item: { pk: { S: pk } } })),
    has: async (pk: string) =>
      (await dynamo.send(new GetItemCommand({ TableName, Key: { pk: { S: pk } }, ConsistentRead: true }))).Item !==
      undefined,
  };
};

/** Another Node process that starts an engine and prints its endpoint, or the error. */
const host = async (dataDir: string, source = SOURCE.href) => {
  const script = `
    const { startTableEngine } = await import(${JSON.stringify(source)});
    await startTableEngine({ dataDir: ${JSON.stringify(dataDir)}, onExit() {} })
      .then(({ endpoint }) => console.log(endpoint), (error) => { console.log(error.message); process.exit(1); });`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  cleanUps.push(() => child.kill('SIGKILL'));
  const [line] = await once(child.stdout, 'data');
  return { child, said: String(line).trim() };
};

const enginesOf = async (dataDir: string): Promise<number[]> => {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const lines = await Promise.all(pids.map((pid) => readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')));
  return pids.filter((_, i) => lines[i]?.includes(dataDir) && lines[i]?.includes('dynoxide')).map(Number);
};

const untilGone = (dataDir: string) => eventually(async () => expect(await enginesOf(dataDir)).toEqual([]));

test('startTableEngine: written data is there after stop and start, and a missing folder is created', async () => {
  const dataDir = join(root, 'deep', 'data');
  const first = await start(dataDir);
  const { createTable, put } = client(first.endpoint);
  await createTable();
  await put('kept');
  await first.stop();
  await untilGone(dataDir);
  const second = await start(dataDir);
  expect(await client(second.endpoint).has('kept')).toBe(true);
});

test('startTableEngine: two engines in memory are independent, and stop can be called twice', async () => {
  const [one, two] = await Promise.all([start(':memory:'), start(':memory:')]);
  await client(one.endpoint).createTable();
  await expect(client(two.endpoint).put('a')).rejects.toThrow('not found');
  await one.stop();
  await one.stop();
});

test('startTableEngine: a second host on the folder is refused, also under another name, until the first stops', async () => {
  const dataDir = join(root, 'data');
  const first = await start(dataDir);
  await symlink(dataDir, join(root, 'alias'));
  await expect(startTableEngine({ dataDir, onExit: () => {} })).rejects.toThrow(`another host uses ${dataDir}`);
  expect((await host(join(root, 'alias'))).said).toMatch(`another host uses ${dataDir}`);
  await first.stop();
  await start(dataDir);
});

test('startTableEngine: SIGKILL of the host ends its engine, and the next host reads what it wrote', async () => {
  const dataDir = join(root, 'data');
  const { child, said } = await host(dataDir);
  const { createTable, put } = client(said);
  await createTable();
  await put('survivor');
  child.kill('SIGKILL');
  await once(child, 'exit');
  const next = await start(dataDir);
  expect(await enginesOf(dataDir)).toHaveLength(2); // the engine and its watcher
  expect(await client(next.endpoint).has('survivor')).toBe(true);
});

test('startTableEngine: SIGKILL of the host leaves no process behind', async () => {
  const dataDir = join(root, 'data');
  const { child } = await host(dataDir);
  expect(await enginesOf(dataDir)).toHaveLength(2);
  child.kill('SIGKILL');
  await untilGone(dataDir);
});

test('startTableEngine: an engine that outlived its host and its watcher is ended by the next host', async () => {
  const dataDir = join(root, 'data');
  const { child } = await host(dataDir);
  const engine = Number(await readFile(join(dataDir, 'engine.pid'), 'utf8'));
  const watcher = (await enginesOf(dataDir)).filter((pid) => pid !== engine);
  for (const pid of watcher) process.kill(pid, 'SIGKILL');
  child.kill('SIGKILL');
  await once(child, 'exit');
  // Whoever was killed may take a moment to be gone.
  await eventually(async () => expect(await enginesOf(dataDir)).toEqual([engine]));
  await start(dataDir);
  expect(await enginesOf(dataDir)).not.toContain(engine);
});

test('startTableEngine: a pid file that names a foreign process does not end that process', async () => {
  const dataDir = join(root, 'data');
  await (await start(dataDir)).stop();
  await writeFile(join(dataDir, 'engine.pid'), `${process.pid}\n`);
  await start(dataDir);
});

test('startTableEngine: an engine that ends by itself is reported, and the folder is free again', async () => {
  const dataDir = join(root, 'data');
  const exit = Promise.withResolvers<Error>();
  await start(dataDir, exit.resolve);
  process.kill(Number(await readFile(join(dataDir, 'engine.pid'), 'utf8')), 'SIGKILL');
  expect((await exit.promise).message).toMatch(/ended by itself: .*SIGKILL/s);
  await untilGone(dataDir);
  await start(dataDir);
});

test('startTableEngine: a file that is no database is an error that says so, and the folder is free again', async () => {
  const dataDir = join(root, 'data');
  await mkdir(dataDir);
  await copyFile(SOURCE, join(dataDir, 'table.db'));
  await expect(startTableEngine({ dataDir, onExit: () => {} })).rejects.toThrow('not a valid SQLite database');
  await rm(join(dataDir, 'table.db'));
  await start(dataDir);
});

test('startTableEngine: without the package for this platform the error says what to do', async () => {
  const copy = join(root, 'engines.ts');
  await copyFile(SOURCE, copy);
  expect((await host(':memory:', copy)).said).toContain('set AWS_ENDPOINT_URL_DYNAMODB');
});

test('only its user can read what is kept in a data folder', async () => {
  await start(root);
  expect((await stat(join(root, 'table.db'))).mode & 0o777).toBe(0o600);
});
