import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Plugin } from 'esbuild';

const LIBRARY = '@mantine/core';
const index = fileURLToPath(new URL(`../../../node_modules/${LIBRARY}/esm/index.mjs`, import.meta.url));

/** The file of each export of the library, or the package it comes from. */
const files = new Map(
  [...readFileSync(index, 'utf8').matchAll(/^import \{ ([^}]+) \} from "([^"]+)";$/gm)].flatMap(
    ([, names = '', from = '']) => {
      const file = from.startsWith('.') ? join(dirname(index), from) : from;
      return names.split(', ').map((name) => [name, file] as const);
    },
  ),
);

/** Returns an import from the library as imports of the files that define the imported names. Types are erased. */
const direct = (statement: string, list: string): string => {
  const names = list.split(',').map((name) => name.trim());
  const imports = names
    .filter((name) => name !== '' && !name.startsWith('type '))
    .map((name) => `import { ${name} } from ${JSON.stringify(files.get(name.split(' as ')[0] ?? '') ?? LIBRARY)};`);
  // The number of lines stays the same.
  return imports.join(' ') + '\n'.repeat(statement.split('\n').length - 1);
};

/**
 * An esbuild plugin that imports each component of the library from its own file. With imports through the index of the
 * library, the initial load would include every component that any page needs.
 */
export const directImports: Plugin = {
  name: 'direct imports',
  setup: ({ onLoad }) => {
    // These parts of the library import its components as the console does.
    onLoad(
      { filter: /\/lib\/console\/.*\.tsx?$|\/@mantine\/(notifications|spotlight)\/esm\/.*\.mjs$/ },
      async ({ path }) => ({
        contents: (await readFile(path, 'utf8')).replace(/^import \{([^}]+)\} from ["']@mantine\/core["'];/gm, direct),
        loader: path.endsWith('.mjs') ? 'js' : path.endsWith('x') ? 'tsx' : 'ts',
      }),
    );
  },
};
