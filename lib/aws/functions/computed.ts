import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Plugin } from 'esbuild';
import type { Publication } from '#shared/api/http/publication.ts';
import type { LambdaName } from './lambdas.ts';

/** Returns the source for a module that contains gzipped library files. */
const libraryModule = (library: Readonly<Record<string, Publication & { type: string }>>): string => {
  const parts = Object.entries(library).map(([name, { gzip, ...rest }]) => {
    const text = Buffer.from(gzip).toString('base64');
    return `'${name}': { ...${JSON.stringify(rest)}, gzip: Buffer.from('${text}', 'base64') }`;
  });
  return `export const library = { ${parts.join(', ')} };`;
};

type Computed = { file: string; contents: () => Promise<string> };

/**
 * Modules whose exports are computed at build time, because computing them requires something that bundles lack:
 * esbuild, package files, or all contracts.
 */
const computed: Partial<Record<LambdaName, Computed>> = {
  server: {
    file: 'functions/api/server/description.ts',
    contents: async () => {
      const exported = Object.entries(await import('#functions/api/server/description.ts'));
      return exported.map(([name, value]) => `export const ${name} = ${JSON.stringify(value)};`).join('\n');
    },
  },
  docs: {
    file: 'functions/api/docs/library.ts',
    contents: async () => libraryModule((await import('#functions/api/docs/library.ts')).library),
  },
  console: {
    file: 'functions/api/console/library.ts',
    contents: async () => libraryModule((await import('#functions/api/console/library.ts')).library),
  },
};

/**
 * Returns the esbuild plugin that replaces computed modules with their exports. The build fails if one of these modules
 * does not exist, or if the code does not import it.
 */
export const computedModulePlugin = (names: readonly LambdaName[], root: string): Plugin => ({
  name: 'computed',
  setup: ({ onLoad, onEnd }) => {
    const replaced = new Map(names.flatMap((name) => computed[name] ?? []).map((one) => [join(root, one.file), one]));
    if (replaced.size === 0) return;
    for (const [path, { file }] of replaced)
      if (!existsSync(path)) throw new Error(`${file}, which the bundle of ${names} replaces, does not exist`);
    const imported = new Set<string>();
    onLoad({ filter: /\.ts$/ }, async ({ path }) => {
      const module = replaced.get(path);
      if (!module) return undefined;
      imported.add(path);
      return { contents: await module.contents() };
    });
    onEnd(() => {
      for (const [path, { file }] of replaced)
        if (!imported.has(path)) throw new Error(`${names} does not import ${file}, which its bundle replaces`);
    });
  },
});
