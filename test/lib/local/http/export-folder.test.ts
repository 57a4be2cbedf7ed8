import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { describe, expect, onTestFinished, test } from 'vitest';
import { createExportFolder } from '#lib/local/http/export-folder.ts';
import { NOW } from '#test/fixtures/stub-deps.ts';

const file = `user-${'0'.repeat(26)}.zip`;

/** Creates an export folder, and a server on loopback that returns its files. */
const createFolder = async (isInMemory = false) => {
  const folder = mkdtempSync(join(tmpdir(), 'exports-'));
  const server = createServer(async ({ url = '' }, response) => {
    const respond = await answer(new URL(url, publicUrl));
    await (respond ? respond(response) : response.writeHead(404).end());
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
    rmSync(folder, { recursive: true });
  });
  const publicUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  let now = NOW;
  const { exports, answer } = createExportFolder({
    dataDir: isInMemory ? ':memory:' : folder,
    publicUrl,
    now: () => now,
    random: (bytes) => Buffer.alloc(bytes, 1),
  });
  return {
    exports,
    publicUrl,
    pass: (ms: number) => {
      now += ms;
    },
    path: (name = '') => join(folder, 'exports', name),
  };
};

const statusOf = async (url: string) => (await fetch(url)).status;

describe.each([false, true])('exported files (in memory: %s)', (isInMemory) => {
  test('a saved file can be downloaded until its URL expires or it is removed', async () => {
    const { exports, pass } = await createFolder(isInMemory);
    await exports.save(file, Readable.from(['one ', 'two']));
    const url = await exports.urlOf(file);
    const response = await fetch(url);
    expect([response.status, await response.text()]).toEqual([200, 'one two']);
    const headers = ['content-type', 'content-length', 'cache-control'].map((name) => response.headers.get(name));
    expect(headers).toEqual(['application/zip', '7', 'no-store']);
    pass(299_999);
    expect(await statusOf(url)).toBe(200);
    pass(1);
    expect(await statusOf(url)).toBe(403);
    const another = await exports.urlOf(file);
    await exports.remove(file);
    expect(await statusOf(another)).toBe(403);
  });

  test('a URL that was changed in any way is refused', async () => {
    const { exports, publicUrl } = await createFolder(isInMemory);
    await exports.save(file, Readable.from(['one']));
    const url = new URL(await exports.urlOf(file));
    const changed = (name: string, value: string) => {
      const other = new URL(url);
      other.searchParams.set(name, value);
      return other.href;
    };
    const refused = [
      changed('expires', String(NOW + 301_000)),
      changed('signature', 'x'),
      changed('signature', ''),
      url.href.replace(/\?.*/, ''),
      url.href.replace('user-', 'sensor-'),
      url.href.replace(file, `..%2F${file}`),
    ];
    for (const one of refused) expect([one, await statusOf(one)]).toEqual([one, 403]);
    expect(await statusOf(`${publicUrl}/api/v1/health`)).toBe(404);
  });
});

describe('files on disk', () => {
  /** Content that ends with an error halfway. */
  const failing = () =>
    Readable.from(
      (async function* () {
        yield 'half';
        throw new Error('the table is unavailable');
      })(),
    );

  test('a file appears once it is complete, and only the service can read it', async () => {
    const { exports, path } = await createFolder();
    await expect(exports.save(file, failing())).rejects.toThrow('the table is unavailable');
    expect(readdirSync(path())).toEqual([`${file}.part`]);
    await exports.save(file, Readable.from(['whole']));
    expect(readdirSync(path())).toEqual([file]);
    expect([statSync(path()).mode & 0o777, statSync(path(file)).mode & 0o777]).toEqual([0o700, 0o600]);
  });

  test('a removed file leaves nothing behind, not even an unfinished one', async () => {
    const { exports, path } = await createFolder();
    await exports.save(file, Readable.from(['whole']));
    await expect(exports.save(file, failing())).rejects.toThrow('the table is unavailable');
    expect(readdirSync(path()).sort()).toEqual([file, `${file}.part`]);
    await exports.remove(file);
    expect(readdirSync(path())).toEqual([]);
    await exports.remove(file);
  });
});
