import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { gzipSync } from 'node:zlib';
import { start } from './page.ts';

const fileOf = (name: string): Buffer =>
  readFileSync(createRequire(import.meta.url).resolve(`swagger-ui-dist/${name}`));

/** What the page is made with, gzipped. A bundle holds these bytes instead of what reads them. */
export const library = {
  script: gzipSync(Buffer.concat([fileOf('swagger-ui-bundle.js'), Buffer.from(start)]), { level: 9 }),
  style: gzipSync(fileOf('swagger-ui.css'), { level: 9 }),
};
