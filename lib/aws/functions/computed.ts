import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Plugin } from 'esbuild';
import type { Publication } from '#shared/api/http/publication.ts';
import type { LambdaName } from './lambdas.ts';

/** Returns the source of a module with the gzipped files of a library. */
const libraryModule = (library: Readonly<Record<string, Publication & { type: string }>>): string => {
  const parts = Object.entries(library).map(([name, { gzip, ...rest }]) => {
    const text = Buffer.from(gzip).toString('base64');
    return `'${name}': { ...${JSON.stringify(rest)}, gzip: Buffer.from('${text}', 'base64') }`;
  });
  return `export const library = { ${parts.join(', ')} };`;
};

type Computed = { file: string; contents: () => Promise<string> };

/**
 * The modules whose exports are computed at build time, because the code that computes them needs what bundles do not
 * contain: esbuild, files of packages, or all contracts.
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
 * Returns the esbuild plugin that replaces the computed module of a function with its exports. The build fails if the file
 * does not exist, or if the function does not import it.
 */
export const computedModulePlugin = (name: LambdaName, root: string): Plugin => ({
  name: 'computed',
  setup: ({ onLoad, onEnd }) => {
    const replaced = computed[name];
    if (!replaced) return;
    const path = join(root, replaced.file);
    if (!existsSync(path)) throw new Error(`${replaced.file}, which the bundle of ${name} replaces, does not exist`);
    let isImported = false;
    onLoad({ filter: /\.ts$/ }, async (loaded) => {
      if (loaded.path !== path) return undefined;
      isImported = true;
      return { contents: await replaced.contents() };
    });
    onEnd(() => {
      if (!isImported) throw new Error(`${name} does not import ${replaced.file}, which its bundle replaces`);
    });
  },
});
