import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type BuildOptions, build, type Metafile, type Plugin } from 'esbuild';
import { computedFor } from './computed.ts';
import { entryOf } from './entry.ts';
import type { LambdaName } from './lambdas.ts';
import { bundleSdk, type Sdk } from './sdk.ts';
import { unmapped } from './unmapped.ts';

/** The code of one Lambda: a folder with `handler.mjs`, and what esbuild reports about it. */
export type Bundle = {
  folder: string;
  /** Bytes of all code that is loaded at start (the handler and its static imports), and the files in it. */
  startBytes: number;
  startSources: readonly string[];
  /** Bytes of the whole folder. */
  bytes: number;
  /** Source files in the bundle, those of lazy chunks included, and every file of the SDK, relative to the repository. */
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
  // Lazily loaded parts are files of their own. In a single file a start takes 80 instead of 50 ms.
  splitting: true,
  // CommonJS packages `require` Node's own modules, and an ES module has no `require`.
  banner: { js: "import{createRequire}from'node:module';const require=createRequire(import.meta.url);" },
  // shared/runtime/lambda-runtime.ts passes the credentials of the environment, so no code searches files or SSO for others.
  alias: { '@aws-sdk/credential-provider-node': join(root, 'lib/aws/functions/no-credentials.ts') },
  metafile: true,
  sourcemap: 'linked',
  sourcesContent: false,
} as const satisfies BuildOptions;

/** Leaves out the texts of settings: esbuild drops a call of an empty function with its argument. */
const withoutTexts: Plugin = {
  name: 'without-texts',
  setup: ({ onLoad }) =>
    onLoad({ filter: /\/settings\/for-hosts\.ts$/ }, () => ({ contents: 'export function forHosts() {}' })),
};

/** The source files that left something in an output. */
const contentOf = ({ inputs }: Metafile['outputs'][string]): string[] =>
  Object.keys(inputs).filter((file) => (inputs[file]?.bytesInOutput ?? 0) > 0);

const startOf = ({ outputs }: Metafile): Pick<Bundle, 'startBytes' | 'startSources'> => {
  const seen = new Set<string>();
  const visit = (file: string): void => {
    const output = outputs[file];
    if (!output || seen.has(file)) return;
    seen.add(file);
    for (const { path, kind } of output.imports) if (kind === 'import-statement') visit(path);
  };
  visit(Object.keys(outputs).find((file) => file.endsWith('/handler.mjs')) ?? '');
  const loaded = [...seen].flatMap((file) => outputs[file] ?? []);
  return {
    startBytes: loaded.reduce((sum, output) => sum + output.bytes, 0),
    startSources: loaded.flatMap(contentOf),
  };
};

const bundle = async (name: LambdaName, folder: string, sdk: Sdk): Promise<Bundle> => {
  await rm(folder, { recursive: true, force: true });
  const { metafile } = await build({
    ...options,
    stdin: { contents: await entryOf(name), resolveDir: root, sourcefile: `${name}.ts`, loader: 'ts' },
    entryNames: 'handler',
    outdir: folder,
    plugins: [sdk.plugin, computedFor(name, root), withoutTexts, unmapped],
  });
  const outputs = Object.values(metafile.outputs);
  const bytes = outputs.reduce((sum, output) => sum + output.bytes, 0);
  const sources = new Set(outputs.flatMap(contentOf));
  return { folder, ...startOf(metafile), bytes, sources: [...sources, ...sdk.sources] };
};

/** Bundles the handler of each function into the folder `to`/{name}. Needs neither docker nor a network. */
export const bundleAll = async <N extends LambdaName>(names: readonly N[], to: string): Promise<Record<N, Bundle>> => {
  const sdk = await bundleSdk(root, join(to, '.sdk'), options);
  const made = names.map(async (name) => [name, await bundle(name, join(to, name), sdk)] as const);
  return Object.fromEntries(await Promise.all(made)) as Record<N, Bundle>;
};
