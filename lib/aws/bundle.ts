import { readFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type BuildOptions, build, type Metafile, type OnLoadResult, type Plugin } from 'esbuild';
import { groups } from '../../functions/index.ts';
import { describeApi } from '../../shared/api/openapi.ts';
import type { Use } from '../../shared/capabilities.ts';
import { lambdas } from './lambdas.ts';
import { shake } from './libraries.ts';

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
  instead: (path: string) => OnLoadResult | Promise<OnLoadResult>;
  /** Functions that need the module. */
  unless?: (lambda: { uses: readonly Use[] }) => boolean;
};
const code = (contents: string) => () => ({ contents });
/** For what is imported lazily: whoever does so all the same is told. */
const refusal = code("throw new Error('left out of this bundle: see lib/aws/bundle.ts');");

/** Parts of the store that few functions use, and the calls that need them. */
export const rareParts: Readonly<Record<string, RegExp>> = {
  'sensor-homes': /^sensors\.(re)?move$/,
  'sensor-groups': /^sensorGroups\./,
  feedback: /^feedback\./,
  'delivery-log': /^deliveryLog\./,
  held: /^(held|replays|repetitions)\./,
  replays: /^replays\./,
  repetitions: /^repetitions\./,
};

/** Everything that a module exports, as functions that give nothing. */
const emptied = (path: string): OnLoadResult => ({
  contents: [...readFileSync(path, 'utf8').matchAll(/^export const (\w+)/gm)]
    .map(([, name]) => `export const ${name} = () => ({});`)
    .join('\n'),
});
const rare = Object.entries(rareParts).map(
  ([part, calls]): LeftOut => ({
    filter: new RegExp(`/shared/store/${part}\\.ts$`),
    instead: emptied,
    unless: ({ uses }) => uses.some((use) => calls.test(use)),
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
  {
    // What is tried again, and when, is decided by shared/store/retry.ts.
    filter: /@smithy\/core\/dist-es\/submodules\/retry\/util-retry\/DefaultRateLimiter\.js$/,
    instead: code("export class DefaultRateLimiter { constructor() { throw new Error('left out of this bundle'); } }"),
  },
  {
    // Errors of calls that manage tables and their copies: nothing here makes one.
    filter: /@aws-sdk\/client-dynamodb\/dist-es\/models\/errors\.js$/,
    instead: (path) => ({
      contents: readFileSync(path, 'utf8').replaceAll(
        /(export class \w*(?:Backup|Export|Import|GlobalTable|Table[A-Z]|Replica|Restore|Recovery|Policy|Index|InUse|Duplicate)\w* extends \w+ )\{.*?\n\}/gs,
        '$1{}',
      ),
    }),
  },
  {
    // The words of a refusal are ours (shared/api/messages).
    filter: /\/node_modules\/zod\/v4\/locales\/en\.js$/,
    instead: code('export default () => ({ localeError: () => undefined });'),
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
    // The operations are described once, here, instead of at each cold start.
    filter: /\/functions\/server\/description\.ts$/,
    instead: () => ({ contents: `export const description = ${JSON.stringify(describeApi(groups))};` }),
  },
  {
    filter: /\/functions\/docs\/library\.ts$/,
    instead: async () => {
      const { library } = await import('../../functions/docs/library.ts');
      const parts = Object.entries(library).map(([name, { gzip, ...rest }]) => {
        const packed = Buffer.from(gzip).toString('base64');
        return `'${name}': { ...${JSON.stringify(rest)}, gzip: Buffer.from('${packed}', 'base64') }`;
      });
      return { contents: `export const library = { ${parts.join(', ')} };` };
    },
  },
  {
    // So nothing draws JSON Schema there. A module without exports: calling one of them all the same is a TypeError.
    filter: /zod\/v4\/core\/(?:to-json-schema|json-schema-processors)\.js$/,
    instead: code('module.exports = {};'),
  },
  {
    filter: /\/shared\/queue\/send\.ts$/,
    instead: refusal,
    unless: ({ uses }) => uses.some((capability) => /^(enqueue:|consume$|redrive$)/.test(capability)),
  },
  {
    filter: /\/shared\/auth\/kms\.ts$/,
    instead: refusal,
    unless: ({ uses }) => uses.some((capability) => capability.endsWith(':secrets')),
  },
  {
    filter: /\/shared\/delivery\/callee\.ts$/,
    instead: refusal,
    unless: ({ uses }) => uses.includes('call:webhooks'),
  },
  {
    filter: /\/shared\/mail\.ts$/,
    instead: refusal,
    unless: ({ uses }) => uses.includes('send:mail'),
  },
];

/** Leaves out what a function, or none at all, has no use for. */
const lean = (name?: string): Plugin => ({
  name: 'lean',
  setup: ({ onLoad }) => {
    const isNeeded = ({ unless }: LeftOut) => lambdas.some((lambda) => lambda.name === name && unless?.(lambda));
    for (const part of leftOut) if (!isNeeded(part)) onLoad({ filter: part.filter }, ({ path }) => part.instead(path));
  },
});

const common = {
  absWorkingDir: root,
  bundle: true,
  platform: 'node',
  target: 'node24',
  format: 'esm',
  minify: true,
  legalComments: 'none',
  mainFields: ['module', 'main'],
  logLevel: 'warning',
} as const satisfies BuildOptions;

/**
 * Keeps SES's client whole and apart. What it shares with DynamoDB's would load at start otherwise, along with what of
 * the shared modules only it needs: 19 KB.
 */
const apart = (name: string): Plugin => ({
  name: 'apart',
  setup: ({ onLoad }) =>
    onLoad({ filter: /\/shared\/mail\.ts$/ }, async ({ path }) => {
      const made = await build({ ...common, entryPoints: [path], plugins: [lean(name)], write: false });
      return { contents: made.outputFiles[0]?.text ?? '' };
    }),
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

const bundle = async (name: string, folder: string, shaken: Plugin): Promise<Bundle> => {
  const entry = `functions/${name}/handler.ts`;
  await rm(folder, { recursive: true, force: true });
  const { metafile } = await build({
    ...common,
    entryPoints: { handler: entry },
    outdir: folder,
    outExtension: { '.js': '.mjs' },
    // Lazy parts are files of their own. In a single file they would make everything slower: 80 instead of 50 ms.
    splitting: true,
    // Packages of the older kind `require` Node's own modules, and a module has no `require`.
    banner: { js: "import{createRequire}from'node:module';const require=createRequire(import.meta.url);" },
    plugins: [shaken, lean(name), apart(name)],
    metafile: true,
  });
  const bytes = Object.values(metafile.outputs).reduce((sum, output) => sum + output.bytes, 0);
  return { folder, startBytes: startBytes(metafile, entry), bytes, sources: Object.keys(metafile.inputs) };
};

/** Bundles functions/{name}/handler.ts of each name into `folder`/{name}. Needs neither docker nor network. */
export const bundleAll = async <N extends string>(names: readonly N[], folder: string): Promise<Record<N, Bundle>> => {
  const shaken = await shake(root, join(folder, '.libraries'), { ...common, minify: false, plugins: [lean()] });
  const made = names.map(async (name) => [name, await bundle(name, join(folder, name), shaken)] as const);
  return Object.fromEntries(await Promise.all(made)) as Record<N, Bundle>;
};
