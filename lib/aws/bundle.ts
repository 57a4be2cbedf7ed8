import { readdirSync, readFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build, type Metafile, type OnLoadResult, type Plugin } from 'esbuild';
import type { Capability } from '../../shared/capabilities.ts';
import { lambdas } from './lambdas.ts';

/** The code of one Lambda: a folder with `handler.mjs`, and what esbuild knows about it. */
export type Bundle = {
  folder: string;
  /** Bytes of everything that loads at start: the handler and what it imports statically. */
  startBytes: number;
  /** Bytes of the whole folder. */
  bytes: number;
  /** Source files in the bundle, lazy chunks included, relative to the repository. */
  sources: readonly string[];
};

const root = fileURLToPath(new URL('../..', import.meta.url));

type LeftOut = {
  filter: RegExp;
  /** Stands for the module. */
  instead: (path: string) => OnLoadResult;
  /** Functions that need the module. */
  unless?: (lambda: { name: string; uses: readonly Capability[] }) => boolean;
};
const code = (contents: string) => () => ({ contents });
/** For what is imported lazily: whoever does so all the same is told. */
const refusal = code("throw new Error('left out of this bundle: see lib/aws/bundle.ts');");

/** Parts of the store that few functions speak of, and the words without which nobody can. */
export const rareParts: Readonly<Record<string, readonly RegExp[]>> = {
  'sensor-homes': [/\bsensors\b/, /\b(?:re)?move\b/],
  'sensor-groups': [/\bsensorGroups\b/],
  feedback: [/\bfeedback\b/],
};

const codeOf = (name: string): string => {
  const folder = join(root, 'functions', name);
  const files = readdirSync(folder).filter((file) => file !== 'contract.ts');
  return files.map((file) => readFileSync(join(folder, file), 'utf8')).join('\n');
};
/** Everything that a module exports, as functions that give nothing. */
const emptied = (path: string): OnLoadResult => ({
  contents: [...readFileSync(path, 'utf8').matchAll(/^export const (\w+)/gm)]
    .map(([, name]) => `export const ${name} = () => ({});`)
    .join('\n'),
});
const rare = Object.entries(rareParts).map(
  ([part, words]): LeftOut => ({
    filter: new RegExp(`/shared/store/${part}\\.ts$`),
    instead: emptied,
    unless: ({ name }) => words.every((word) => word.test(codeOf(name))),
  }),
);

/** What a Lambda never runs. */
const leftOut: readonly LeftOut[] = [
  ...rare,
  {
    // shared/deps.ts hands over the credentials of the environment; nothing looks for others in files or at SSO.
    filter: /@aws-sdk\/credential-provider-node\/dist-es\/index\.js$/,
    instead: code(
      "export const defaultProvider = () => async () => { throw new Error('no credentials were given'); };",
    ),
  },
  {
    // DynamoDB has one address in a region, and none to discover.
    filter: /@aws-sdk\/middleware-endpoint-discovery\/dist-es\/index\.js$/,
    instead: code(`export const resolveEndpointDiscoveryConfig = (config) => config;
      export const NODE_ENDPOINT_DISCOVERY_CONFIG_OPTIONS = {};`),
  },
  {
    // Node's own hashes are always there.
    filter: /@smithy\/core\/dist-es\/submodules\/checksum\/\w+\/(?:Sha256Js|Md5Js|Crc32Js)\.js$/,
    instead: (path) => ({ contents: `export const ${path.match(/(\w+)\.js$/)?.[1]} = undefined;` }),
  },
  // Of browsers, and of services that stream events.
  { filter: /\/node_modules\/bowser\//, instead: refusal },
  { filter: /@smithy\/core\/dist-es\/submodules\/event-streams\/index\.js$/, instead: refusal },
  {
    // The SDK tells its version in the User-Agent; the rest of its manifest is of no use.
    filter: /@aws-sdk\/client-[\w-]+\/package\.json$/,
    instead: (path) => ({
      contents: JSON.stringify({ version: JSON.parse(readFileSync(path, 'utf8')).version }),
      loader: 'json',
    }),
  },
  {
    // JSON Schema is drawn from the contracts by one function only. Elsewhere a module without exports: calling one
    // of them all the same is a TypeError.
    filter: /zod\/v4\/core\/(?:to-json-schema|json-schema-processors)\.js$/,
    instead: code('module.exports = {};'),
    unless: ({ name }) => name === 'server',
  },
  {
    filter: /\/shared\/queue\/send\.ts$/,
    instead: refusal,
    unless: ({ uses }) => uses.some((capability) => capability.startsWith('ring:')),
  },
  {
    filter: /\/shared\/delivery\/callee\.ts$/,
    instead: refusal,
    unless: ({ uses }) => uses.includes('call:webhooks'),
  },
];

const lean = (name: string): Plugin => ({
  name: 'lean',
  setup: ({ onLoad }) => {
    const isNeeded = ({ unless }: LeftOut) => lambdas.some((lambda) => lambda.name === name && unless?.(lambda));
    for (const part of leftOut) if (!isNeeded(part)) onLoad({ filter: part.filter }, ({ path }) => part.instead(path));
  },
});

const startBytes = ({ outputs }: Metafile, entry: string): number => {
  const seen = new Set<string>();
  const visit = (file: string): void => {
    const output = outputs[file];
    if (!output || seen.has(file)) return;
    seen.add(file);
    for (const { path, kind } of output.imports) if (kind === 'import-statement') visit(path);
  };
  visit(Object.keys(outputs).find((file) => outputs[file]?.entryPoint === entry) ?? '');
  return [...seen].reduce((sum, file) => sum + (outputs[file]?.bytes ?? 0), 0);
};

const bundle = async (name: string, folder: string): Promise<Bundle> => {
  const entry = `functions/${name}/handler.ts`;
  await rm(folder, { recursive: true, force: true });
  const { metafile } = await build({
    absWorkingDir: root,
    entryPoints: { handler: entry },
    outdir: folder,
    bundle: true,
    platform: 'node',
    target: 'node24',
    format: 'esm',
    outExtension: { '.js': '.mjs' },
    // Lazy parts are files of their own. In a single file they would make everything slower: 80 instead of 50 ms.
    splitting: true,
    minify: true,
    legalComments: 'none',
    mainFields: ['module', 'main'],
    plugins: [lean(name)],
    metafile: true,
    logLevel: 'warning',
  });
  const bytes = Object.values(metafile.outputs).reduce((sum, output) => sum + output.bytes, 0);
  return { folder, startBytes: startBytes(metafile, entry), bytes, sources: Object.keys(metafile.inputs) };
};

/** Bundles functions/{name}/handler.ts of each name into `folder`/{name}. Needs neither docker nor network. */
export const bundleAll = async <N extends string>(names: readonly N[], folder: string): Promise<Record<N, Bundle>> => {
  const made = names.map(async (name) => [name, await bundle(name, join(folder, name))] as const);
  return Object.fromEntries(await Promise.all(made)) as Record<N, Bundle>;
};
