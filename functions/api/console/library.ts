import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type BuildOptions, build } from 'esbuild';
import { createPublication, type Publication } from '#shared/api/http/publication.ts';
import { directImports } from './direct-imports.ts';
import { logo } from './logo.ts';
import { icons, manifest } from './manifest.ts';
import { folderFrom, MAX_DEPTH, pageOf } from './page.ts';

type File = Publication & { type: string };

const common = {
  absWorkingDir: fileURLToPath(new URL('../../../lib/console', import.meta.url)),
  bundle: true,
  write: false,
  outdir: 'out',
  target: 'es2023',
  minify: true,
  legalComments: 'none',
  logLevel: 'warning',
} as const satisfies BuildOptions;

const { outputFiles } = await build({
  ...common,
  entryPoints: { app: 'main.tsx' },
  format: 'esm',
  // Rarely used pages are separate files, loaded on demand.
  splitting: true,
  // File names contain a content hash, so caches may keep the files forever.
  entryNames: '[name].[hash]',
  chunkNames: '[name].[hash]',
  assetNames: '[name].[hash]',
  loader: { '.woff2': 'file' },
  jsx: 'automatic',
  plugins: [directImports],
  // Leaves out React's development checks.
  define: { 'process.env.NODE_ENV': '"production"' },
});
// Browsers identify a service worker by URL, so the name must not change.
const worker = await build({ ...common, entryPoints: { 'push-worker': 'push/worker.ts' }, format: 'iife' });
// Only the CSS for the main page is served. The other CSS files repeat parts of it.
const files = outputFiles
  .map(({ path, contents }) => ({ name: basename(path), contents }))
  .filter(({ name }) => /\.js$|\.woff2$|^app\./.test(name));
const nameOf = (kind: RegExp): string => {
  const file = files.find(({ name }) => kind.test(name));
  if (!file) throw new Error(`the build of the console has no file ${kind}`);
  return file.name;
};
const names = { script: nameOf(/^app\..*\.js$/), style: nameOf(/^app\..*\.css$/) };
const typeOf = (name: string): string => {
  if (name.endsWith('.woff2')) return 'font/woff2';
  return `text/${name.endsWith('.js') ? 'javascript' : 'css'}; charset=utf-8`;
};

const pageAt = (depth: number): File => ({
  type: 'text/html; charset=utf-8',
  ...createPublication(pageOf(folderFrom(depth), names.script, names.style)),
});

/**
 * The console files by name, and the page for each depth, all compressed. Built from `lib/console/` when this module is
 * loaded. A bundle contains the result instead of the build.
 */
export const library: Readonly<Record<string, File> & Record<'page 0', File>> = {
  'page 0': pageAt(0),
  ...Object.fromEntries(Array.from({ length: MAX_DEPTH }, (_, at) => [`page ${at + 1}`, pageAt(at + 1)])),
  'app.webmanifest': { type: 'application/manifest+json; charset=utf-8', ...createPublication(manifest) },
  'sign.svg': { type: 'image/svg+xml', ...createPublication(logo) },
  ...Object.fromEntries(
    icons.map((name) => {
      const content = readFileSync(new URL(`./icons/${name}`, import.meta.url));
      return [name, { type: 'image/png', ...createPublication(content) }];
    }),
  ),
  ...Object.fromEntries(
    worker.outputFiles.map(({ path, contents }) => [
      basename(path),
      { type: typeOf(path), ...createPublication(contents) },
    ]),
  ),
  ...Object.fromEntries(
    files.map(({ name, contents }) => [name, { type: typeOf(name), ...createPublication(contents) }]),
  ),
};
