import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { type BuildOptions, build, type Plugin } from 'esbuild';

/** Large ones that most functions have. */
const libraries = [
  '@aws-sdk/client-dynamodb',
  '@aws-sdk/lib-dynamodb',
  '@aws-sdk/client-sqs',
  '@aws-sdk/client-kms',
  'zod',
] as const;

/** Names behind `z.` that code uses for types alone. `core` would be all that zod is made of, its 60 languages too. */
const typesOnly = ['core', 'infer', 'input', 'output'];

const sourcesOf = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts'))
    .map((file) => readFileSync(join(folder, file), 'utf8'));

/** The exports of a library that code names: in braces, or behind the name that it gave to the whole. */
const usedOf = (library: string, sources: readonly string[]): string[] => {
  const words = sources.flatMap((source) => {
    const [, braces = ''] = new RegExp(`import \\{([^}]*)\\} from '${library}'`).exec(source) ?? [];
    const [, whole = null] = new RegExp(`import \\* as (\\w+) from '${library}'`).exec(source) ?? [];
    const behind = whole === null ? [] : [...source.matchAll(new RegExp(`\\b${whole}\\.(\\w+)`, 'g'))];
    return [...braces.split(','), ...behind.map(([, name = '']) => name)].map((word) => word.trim());
  });
  return [...new Set(words)].filter((word) => /^\w+$/.test(word) && !typesOnly.includes(word)).sort();
};

/**
 * Reads the large libraries once, for all functions, and keeps of them what any code in `root` uses, in `folder`. Each
 * bundle then takes what it needs out of ten files instead of 1,200: a fourth of the work.
 */
export const shake = async (root: string, folder: string, options: BuildOptions): Promise<Plugin> => {
  const sources = ['shared', 'functions'].flatMap((one) => sourcesOf(join(root, one)));
  const entries = libraries.map(
    (library) => [`used:${library}`, `export { ${usedOf(library, sources).join(', ')} } from '${library}';`] as const,
  );
  const contents = new Map<string, string>(entries);
  const fileOf = (library: string) => library.replace('@', '');
  await build({
    ...options,
    entryPoints: libraries.map((library) => ({ in: `used:${library}`, out: fileOf(library) })),
    outdir: folder,
    splitting: true,
    plugins: [
      {
        name: 'used',
        setup: ({ onResolve, onLoad }) => {
          onResolve({ filter: /^used:/ }, ({ path }) => ({ path, namespace: 'used' }));
          onLoad({ filter: /./, namespace: 'used' }, ({ path }) => ({
            contents: contents.get(path) ?? '',
            resolveDir: root,
          }));
        },
      },
      ...(options.plugins ?? []),
    ],
  });
  return {
    name: 'shaken',
    setup: ({ onResolve }) =>
      onResolve({ filter: new RegExp(`^(?:${libraries.join('|')})$`) }, ({ path }) => ({
        path: resolve(folder, `${fileOf(path)}.js`),
        sideEffects: false,
      })),
  };
};
