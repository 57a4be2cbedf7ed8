import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type BuildOptions, build, type Metafile, type Plugin } from 'esbuild';
import { computedModulePlugin } from './computed.ts';
import { entrySource } from './entry.ts';
import type { LambdaName } from './lambdas.ts';
import { bundleSdk, type Sdk } from './sdk.ts';
import { skipSourceMaps } from './skip-source-maps.ts';

/** The bundled code for a function: a folder with `handler.mjs`, and what esbuild reports about it. */
export type Bundle = {
  folder: string;
  /** The size (bytes) and source files of the code loaded at a cold start: the handler and all static imports. */
  startBytes: number;
  startSources: readonly string[];
  /** The folder size (bytes). */
  bytes: number;
  /** All source files in the bundle, including lazy chunks and all SDK files, relative to the repository. */
  sources: readonly string[];
};

const root = fileURLToPath(new URL('../../..', import.meta.url));

const options = {
  absWorkingDir: root,
  bundle: true,
  platform: 'node',
  target: 'node24',
  format: 'esm',
  minify: true,
  legalComments: 'none',
  mainFields: ['module', 'main'],
  logLevel: 'warning',
  outExtension: { '.js': '.mjs' },
  // Lazy imports become separate files. With a single file, a cold start would take 80 ms instead of 50.
  splitting: true,
  // CommonJS packages `require` Node built-ins, but ES modules have no `require`.
  banner: { js: "import{createRequire}from'node:module';const require=createRequire(import.meta.url);" },
  // shared/runtime/lambda-runtime.ts passes the credentials from the environment, so no other source is needed.
  alias: { '@aws-sdk/credential-provider-node': join(root, 'lib/aws/functions/no-credentials.ts') },
  metafile: true,
  sourcemap: 'linked',
  sourcesContent: false,
} as const satisfies BuildOptions;

const LITERAL = String.raw`(?:'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*")`;
/** A string literal, or several joined by `+`. */
const STRING = String.raw`${LITERAL}(?:\s*\+\s*${LITERAL})*`;
/** Contract, schema and message texts used only in documents. */
const DOCUMENT_TEXT = new RegExp(
  String.raw`\.describe\(\s*${STRING},?\s*\)|\bdescription:\s*${STRING}(?:,|(?=\s*\}))`,
  'g',
);
/** Notes on configuration fields. */
const FIELD_NOTE = new RegExp(String.raw`(\b(?:integer|boolean)Field\([^()'"]*,\s*)(${STRING})`, 'g');
const linesOf = (text: string): string => text.replaceAll(/[^\n]/g, '');

/**
 * Leaves out texts that functions do not read. For settings, `forHosts` becomes an empty function, so esbuild drops the
 * calls with their arguments. The OpenAPI document keeps these texts, because it is computed beforehand from the
 * sources (computed.ts). Line numbers stay the same, for source maps.
 */
const withoutTexts: Plugin = {
  name: 'without-texts',
  setup: ({ onLoad }) => {
    onLoad({ filter: /\/settings\/for-hosts\.ts$/ }, () => ({ contents: 'export function forHosts() {}' }));
    onLoad({ filter: /\/functions\/.*\/contract\.ts$|\/shared\/(api|domain)\/.*\.ts$/ }, async ({ path }) => {
      const source = await readFile(path, 'utf8');
      const contents = source
        .replace(DOCUMENT_TEXT, linesOf)
        .replace(FIELD_NOTE, (_, start: string, note: string) => `${start}''${linesOf(note)}`);
      return { contents, loader: 'ts' };
    });
  },
};

/**
 * Leaves out zod's JSON Schema conversion, which is attached to every schema: documents are computed when functions are
 * bundled. A function that still tries to convert a schema throws.
 */
const withoutJsonSchemas: Plugin = {
  name: 'without-json-schemas',
  setup: ({ onLoad }) =>
    onLoad({ filter: /\/zod\/v4\/core\/(to-json-schema|json-schema-processors)\.js$/ }, async ({ path }) => {
      const source = await readFile(path, 'utf8');
      const names = [...source.matchAll(/^export (?:const|function) (\w+)/gm)].map(([, name]) => name);
      const unavailable = "() => () => { throw new Error('a bundle converts no schemas to JSON Schema'); }";
      return { contents: names.map((name) => `export const ${name} = ${unavailable};`).join('\n') };
    }),
};

/** Returns the source files contributing code to an output. */
const sourcesOf = ({ inputs }: Metafile['outputs'][string]): string[] =>
  Object.keys(inputs).filter((file) => (inputs[file]?.bytesInOutput ?? 0) > 0);

const startOf = ({ outputs }: Metafile): Pick<Bundle, 'startBytes' | 'startSources'> => {
  const visited = new Set<string>();
  const visit = (file: string): void => {
    const output = outputs[file];
    if (!output || visited.has(file)) return;
    visited.add(file);
    for (const { path, kind } of output.imports) if (kind === 'import-statement') visit(path);
  };
  visit(Object.keys(outputs).find((file) => file.endsWith('/handler.mjs')) ?? '');
  const loaded = [...visited].flatMap((file) => outputs[file] ?? []);
  return {
    startBytes: loaded.reduce((sum, output) => sum + output.bytes, 0),
    startSources: loaded.flatMap(sourcesOf),
  };
};

const bundle = async (name: LambdaName, folder: string, sdk: Sdk): Promise<Bundle> => {
  await rm(folder, { recursive: true, force: true });
  const { metafile } = await build({
    ...options,
    stdin: { contents: await entrySource(name), resolveDir: root, sourcefile: `${name}.ts`, loader: 'ts' },
    entryNames: 'handler',
    outdir: folder,
    plugins: [sdk.plugin, computedModulePlugin([name], root), withoutTexts, withoutJsonSchemas, skipSourceMaps],
  });
  const outputs = Object.values(metafile.outputs);
  const bytes = outputs.reduce((sum, output) => sum + output.bytes, 0);
  const sources = new Set(outputs.flatMap(sourcesOf));
  return { folder, ...startOf(metafile), bytes, sources: [...sources, ...sdk.sources] };
};

/** Bundles the handler for each function into the folder `to`/{name}. Needs neither Docker nor a network. */
export const bundleAll = async <N extends LambdaName>(names: readonly N[], to: string): Promise<Record<N, Bundle>> => {
  const sdk = await bundleSdk(root, join(to, '.sdk'), options);
  const bundles = names.map(async (name) => [name, await bundle(name, join(to, name), sdk)] as const);
  return Object.fromEntries(await Promise.all(bundles)) as Record<N, Bundle>;
};
