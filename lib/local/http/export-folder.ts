import { createHmac, timingSafeEqual } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { mkdir, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { BASE_PATH } from '#shared/domain/base-path.ts';
import { type ExportStorage, URL_SECONDS } from '#shared/exports/exports.ts';
import type { Answer } from './http-server.ts';

const PATH = `${BASE_PATH}/exports/`;
/** The file names used by export jobs. */
const FILE_NAME = /^[a-z]+-[0-9a-z]{26}\.zip$/;

type FileStorage = Omit<ExportStorage, 'urlOf'> & {
  /** Opens a file. Null if there is none. */
  open: (file: string) => Promise<{ content: Readable; bytes: number } | null>;
};

const inMemory = (): FileStorage => {
  const files = new Map<string, Buffer>();
  return {
    save: async (file, content) => void files.set(file, await buffer(content)),
    remove: async (file) => void files.delete(file),
    open: async (file) => {
      const found = files.get(file);
      return found ? { content: Readable.from([found]), bytes: found.length } : null;
    },
  };
};

const inFolder = (folder: string): FileStorage => ({
  save: async (file, content) => {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    const unfinished = join(folder, `${file}.part`);
    await pipeline(content, createWriteStream(unfinished, { mode: 0o600 }));
    await rename(unfinished, join(folder, file));
  },
  remove: async (file) => {
    await rm(join(folder, file), { force: true });
    await rm(join(folder, `${file}.part`), { force: true });
  },
  open: async (file) => {
    const path = join(folder, file);
    const bytes = await stat(path).then(
      ({ size }) => size,
      () => null,
    );
    return bytes === null ? null : { content: createReadStream(path), bytes };
  },
});

const refuseFile: Answer = (response) =>
  void response
    .writeHead(403, { 'Content-Type': 'text/plain', 'Cache-Control': 'no-store' })
    .end('No such file, or the link has expired\n');

type Options = { dataDir: string; publicUrl: string; now: () => number; random: (bytes: number) => Uint8Array };

/**
 * Keeps export files in the `exports` folder inside the data folder, and signs the URLs to download them from this
 * host. The URLs are valid for five minutes, as in S3, but not beyond the next start.
 */
export const createExportFolder = ({ dataDir, publicUrl, now, random }: Options) => {
  const key = random(32);
  const files = dataDir === ':memory:' ? inMemory() : inFolder(join(dataDir, 'exports'));
  const signatureOf = (file: string, expires: number) =>
    createHmac('sha256', key).update(`${file} ${expires}`).digest('hex');
  const isSigned = (file: string, query: URLSearchParams): boolean => {
    const expires = Number(query.get('expires'));
    const actual = Buffer.from(query.get('signature') ?? '');
    const expected = Buffer.from(signatureOf(file, expires));
    return actual.length === expected.length && timingSafeEqual(actual, expected) && now() < expires;
  };
  const exports: ExportStorage = {
    ...files,
    urlOf: async (file) => {
      const expires = now() + URL_SECONDS * 1_000;
      return `${publicUrl}${PATH}${file}?expires=${expires}&signature=${signatureOf(file, expires)}`;
    },
  };
  return {
    exports,
    /** Returns the response to a file request. Null if the request is for something else. */
    answer: async ({ pathname, searchParams }: URL): Promise<Answer | null> => {
      if (!pathname.startsWith(PATH)) return null;
      const file = pathname.slice(PATH.length);
      const found = FILE_NAME.test(file) && isSigned(file, searchParams) ? await files.open(file) : null;
      if (!found) return refuseFile;
      return async (response) => {
        response.writeHead(200, {
          'Content-Type': 'application/zip',
          'Content-Length': found.bytes,
          'Cache-Control': 'no-store',
          'Content-Disposition': `attachment; filename="${file}"`,
        });
        await pipeline(found.content, response);
      };
    },
  };
};
export type ExportFolder = ReturnType<typeof createExportFolder>;
