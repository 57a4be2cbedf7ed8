import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Plugin } from 'esbuild';

const LIBRARY = '@mantine/core';
const index = fileURLToPath(new URL(`../../../node_modules/${LIBRARY}/esm/index.mjs`, import.meta.url));

/** For each library export, the file or package it comes from. */
const files = new Map(
  [...readFileSync(index, 'utf8').matchAll(/^import \{ ([^}]+) \} from "([^"]+)";$/gm)].flatMap(
    ([, names = '', from = '']) => {
      const file = from.startsWith('.') ? join(dirname(index), from) : from;
      return names.split(', ').map((name) => [name, file] as const);
    },
  ),
);

/** Returns a library import split into separate imports from the files that define the names. Types are erased. */
const direct = (statement: string, list: string): string => {
  const names = list.split(',').map((name) => name.trim());
  const imports = names
    .filter((name) => name !== '' && !name.startsWith('type '))
    .map((name) => `import { ${name} } from ${JSON.stringify(files.get(name.split(' as ')[0] ?? '') ?? LIBRARY)};`);
  // Keep the number of lines unchanged.
  return imports.join(' ') + '\n'.repeat(statement.split('\n').length - 1);
};

/**
 * An esbuild plugin that imports each library component from its own file. Imports through the library index would pull
 * every component used on any page into the initial load.
 */
export const directImports: Plugin = {
  name: 'direct imports',
  setup: ({ onLoad }) => {
    // These library packages import components the same way as the console.
    onLoad(
      { filter: /\/lib\/console\/.*\.tsx?$|\/@mantine\/(notifications|spotlight)\/esm\/.*\.mjs$/ },
      async ({ path }) => ({
        contents: (await readFile(path, 'utf8')).replace(/^import \{([^}]+)\} from ["']@mantine\/core["'];/gm, direct),
        loader: path.endsWith('.mjs') ? 'js' : path.endsWith('x') ? 'tsx' : 'ts',
      }),
    );
  },
};
