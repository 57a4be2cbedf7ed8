import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { createPublication, type Publication, shortHash } from '#shared/api/http/publication.ts';
import { pageOf, start } from './page.ts';

type File = Publication & { type: string };

const fileOf = (name: string): Buffer =>
  readFileSync(createRequire(import.meta.url).resolve(`swagger-ui-dist/${name}`));

const script = Buffer.concat([fileOf('swagger-ui-bundle.js'), Buffer.from(start)]);
const style = fileOf('swagger-ui.css');
// The names contain a content hash, so caches may keep the files forever.
const names = { script: `swagger-ui.${shortHash(script)}.js`, style: `swagger-ui.${shortHash(style)}.css` };

/** The page and its files by name, compressed. A bundle contains these bytes but not the code that reads them. */
export const library: Readonly<Record<string, File> & Record<'page', File>> = {
  page: { type: 'text/html; charset=utf-8', ...createPublication(pageOf(names.script, names.style)) },
  [names.script]: { type: 'text/javascript; charset=utf-8', ...createPublication(script) },
  [names.style]: { type: 'text/css; charset=utf-8', ...createPublication(style) },
};
