import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough, Readable } from 'node:stream';
import { describe, expect, onTestFinished, test } from 'vitest';
import { createExportFolder } from '#lib/local/http/export-folder.ts';
import { NOW } from '#test/fixtures/stub-deps.ts';

const file = `user-${'0'.repeat(26)}.zip`;

const createFolder = (isInMemory = false) => {
  const folder = mkdtempSync(join(tmpdir(), 'exports-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  let now = NOW;
  const { exports, answer } = createExportFolder({
    dataDir: isInMemory ? ':memory:' : folder,
    publicUrl: 'https://cloud.example.org',
    now: () => now,
    random: (bytes) => Buffer.alloc(bytes, 1),
  });
  /** Requests a URL. Returns the status, headers and body. */
  const download = async (url: string) => {
    const respond = await answer(new URL(url));
    if (!respond) return null;
    const body = new PassThrough();
    let head: unknown[] = [];
    const response = Object.assign(body, {
      writeHead: (...args: unknown[]) => {
        head = args;
        return body;
      },
    });
    const chunks: Buffer[] = [];
    body.on('data', (chunk: Buffer) => chunks.push(chunk));
    await respond(response as never);
    return { status: head[0], headers: head[1], text: Buffer.concat(chunks).toString() };
  };
  return {
    exports,
    download,
    pass: (ms: number) => {
      now += ms;
    },
    path: (name = '') => join(folder, 'exports', name),
  };
};

describe.each([false, true])('exported files (in memory: %s)', (isInMemory) => {
  test('a saved file can be downloaded until its URL expires or it is removed', async () => {
    const { exports, download, pass } = createFolder(isInMemory);
    await exports.save(file, Readable.from(['one ', 'two']));
    const url = await exports.urlOf(file);
    expect(await download(url)).toMatchObject({
      status: 200,
      text: 'one two',
      headers: { 'Content-Type': 'application/zip', 'Content-Length': 7, 'Cache-Control': 'no-store' },
    });
    pass(299_999);
    expect((await download(url))?.status).toBe(200);
    pass(1);
    expect((await download(url))?.status).toBe(403);
    const another = await exports.urlOf(file);
    await exports.remove(file);
    expect((await download(another))?.status).toBe(403);
  });

  test('a URL that was changed in any way is refused', async () => {
    const { exports, download } = createFolder(isInMemory);
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
      url.href.replace(file, `../${file}`),
    ];
    for (const one of refused) expect([one, (await download(one))?.status ?? null]).not.toEqual([one, 200]);
    expect(await download('https://cloud.example.org/api/v1/health')).toBeNull();
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
    const { exports, path } = createFolder();
    await expect(exports.save(file, failing())).rejects.toThrow('the table is unavailable');
    expect(readdirSync(path())).toEqual([`${file}.part`]);
    await exports.save(file, Readable.from(['whole']));
    expect(readdirSync(path())).toEqual([file]);
    expect([statSync(path()).mode & 0o777, statSync(path(file)).mode & 0o777]).toEqual([0o700, 0o600]);
  });

  test('a removed file leaves nothing behind, not even an unfinished one', async () => {
    const { exports, path } = createFolder();
    await exports.save(file, Readable.from(['whole']));
    await expect(exports.save(file, failing())).rejects.toThrow('the table is unavailable');
    expect(readdirSync(path()).sort()).toEqual([file, `${file}.part`]);
    await exports.remove(file);
    expect(readdirSync(path())).toEqual([]);
    await exports.remove(file);
  });
});
