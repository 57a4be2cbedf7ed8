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
  // Pages that few people open are files of their own, which load when somebody does.
  splitting: true,
  // A name is that of one content alone: a cache may keep it for ever.
  entryNames: '[name].[hash]',
  chunkNames: '[name].[hash]',
  target: 'es2023',
  jsx: 'automatic',
  minify: true,
  legalComments: 'none',
  // React's own checks are for development.
  define: { 'process.env.NODE_ENV': '"production"' },
  logLevel: 'warning',
});
// Of CSS only that of the whole page is loaded; what else there is repeats parts of it.
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
 * The files of the console by name, and its page by how deep it is, packed. Made of `app/` when this is loaded; a
 * bundle holds these bytes instead of what makes them.
 */
export const library: Readonly<Record<string, File> & Record<'page 0', File>> = {
  'page 0': pageAt(0),
  ...Object.fromEntries(Array.from({ length: DEEPEST }, (_, at) => [`page ${at + 1}`, pageAt(at + 1)])),
  ...Object.fromEntries(files.map(({ name, contents }) => [name, { type: typeOf(name), ...publicationOf(contents) }])),
};
