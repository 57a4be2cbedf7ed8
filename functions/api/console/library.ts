import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { type Publication, publicationOf } from '../../../shared/api/publication.ts';
import { DEEPEST, folderFrom, pageOf } from './page.ts';

type File = Publication & { type: string };

const { outputFiles } = await build({
  absWorkingDir: fileURLToPath(new URL('app', import.meta.url)),
  entryPoints: { app: 'main.tsx' },
  bundle: true,
  write: false,
  outdir: 'out',
  format: 'esm',
  // Pages that few users open are files of their own, which are loaded when one is opened.
  splitting: true,
  // The name of a file contains the hash of its content, so that caches may keep it forever.
  entryNames: '[name].[hash]',
  chunkNames: '[name].[hash]',
  target: 'es2023',
  jsx: 'automatic',
  minify: true,
  legalComments: 'none',
  // React's own checks are for development only.
  define: { 'process.env.NODE_ENV': '"production"' },
  logLevel: 'warning',
});
// Only the CSS of the main page is served; the other CSS files repeat parts of it.
const files = outputFiles
  .map(({ path, contents }) => ({ name: basename(path), contents }))
  .filter(({ name }) => /\.js$|^app\./.test(name));
const nameOf = (kind: RegExp): string => {
  const file = files.find(({ name }) => kind.test(name));
  if (!file) throw new Error(`the console has no ${kind}`);
  return file.name;
};
const names = { script: nameOf(/^app\..*\.js$/), style: nameOf(/^app\..*\.css$/) };
const typeOf = (name: string): string => `text/${name.endsWith('.js') ? 'javascript' : 'css'}; charset=utf-8`;

const pageAt = (depth: number): File => ({
  type: 'text/html; charset=utf-8',
  ...publicationOf(pageOf(folderFrom(depth), names.script, names.style)),
});

/**
 * The files of the console by name, and its page for each depth, gzipped. They are built from `app/` when this module
 * is loaded; a bundle contains the result instead of the build.
 */
export const library: Readonly<Record<string, File> & Record<'page 0', File>> = {
  'page 0': pageAt(0),
  ...Object.fromEntries(Array.from({ length: DEEPEST }, (_, at) => [`page ${at + 1}`, pageAt(at + 1)])),
  ...Object.fromEntries(files.map(({ name, contents }) => [name, { type: typeOf(name), ...publicationOf(contents) }])),
};
