import { join, resolve } from 'node:path';
import { type BuildOptions, build, type Plugin } from 'esbuild';

/**
 * The modules that import the AWS SDK. The second group is imported lazily and bundled separately. Otherwise, a cold
 * start would load all the code the two groups share.
 */
const modules = [
  ['shared/store/engine/sdk.ts', 'shared/queue/sdk.ts'],
  [
    'shared/auth/sdk.ts',
    'shared/exports/sdk.ts',
    'shared/aws/alarm-topic-sdk.ts',
    'shared/aws/cloudwatch-sdk.ts',
    'shared/aws/mail-sdk.ts',
    'shared/aws/publish-sdk.ts',
    'shared/aws/sms-sdk.ts',
  ],
];

/** The esbuild plugin that resolves these modules to their bundles, and the source files in those bundles. */
export type Sdk = { plugin: Plugin; sources: readonly string[] };

/**
 * Bundles these modules into `folder`, once for all functions, so that bundling a function reads a few files instead of
 * a thousand SDK files. Unused parts are tree-shaken from each function bundle as usual.
 */
export const bundleSdk = async (root: string, folder: string, options: BuildOptions): Promise<Sdk> => {
  const outputName = (module: string) => module.replaceAll(/\W/g, '-');
  const builds = modules.map((group) => {
    const entryPoints = group.map((module) => ({ in: join(root, module), out: outputName(module) }));
    // The banner and minification belong to the function bundles.
    return build({ ...options, minify: false, banner: {}, outdir: folder, entryPoints, metafile: true });
  });
  const sources = (await Promise.all(builds)).flatMap(({ metafile }) => Object.keys(metafile.inputs));
  const plugin: Plugin = {
    name: 'sdk',
    setup: ({ onResolve }) =>
      onResolve({ filter: /[/-]sdk\.ts$/ }, ({ path, resolveDir }) => {
        const imported = path.startsWith('#') ? join(root, path.slice(1)) : join(resolveDir, path);
        const module = modules.flat().find((file) => join(root, file) === imported);
        if (!module)
          return {
            errors: [{ text: `${imported} is missing from the list of modules that import the AWS SDK (sdk.ts)` }],
          };
        return { path: resolve(root, folder, `${outputName(module)}.mjs`), sideEffects: false };
      }),
  };
  return { plugin, sources };
};
