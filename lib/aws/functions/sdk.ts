import { join, resolve } from 'node:path';
import { type BuildOptions, build, type Plugin } from 'esbuild';

/**
 * The modules that import the AWS SDK, which has about a thousand files, most of them unused. What is loaded only when
 * it is needed is bundled apart: else the start would load the parts that both kinds share.
 */
const modules = [
  ['shared/store/engine/sdk.ts', 'shared/queue/sdk.ts'],
  [
    'shared/auth/sdk.ts',
    'shared/exports/sdk.ts',
    'shared/aws/mail-sdk.ts',
    'shared/aws/publish-sdk.ts',
    'shared/aws/sms-sdk.ts',
    'shared/aws/subscriptions-sdk.ts',
  ],
];

/** The plugin that uses these bundles, and the source files in them. */
export type Sdk = { plugin: Plugin; sources: readonly string[] };

/**
 * Bundles these modules once for all functions, into `folder`, so that the bundling of each function reads a few
 * files instead of a thousand. Unused parts are tree-shaken from each function's bundle as usual.
 */
export const bundleSdk = async (root: string, folder: string, options: BuildOptions): Promise<Sdk> => {
  const outOf = (module: string) => module.replaceAll(/\W/g, '-');
  const builds = modules.map((together) => {
    const entryPoints = together.map((module) => ({ in: join(root, module), out: outOf(module) }));
    // The bundles of the functions have the banner, and only there is the code minified.
    return build({ ...options, minify: false, banner: {}, outdir: folder, entryPoints, metafile: true });
  });
  const sources = (await Promise.all(builds)).flatMap(({ metafile }) => Object.keys(metafile.inputs));
  const plugin: Plugin = {
    name: 'sdk',
    setup: ({ onResolve }) =>
      onResolve({ filter: /[/-]sdk\.ts$/ }, ({ path, resolveDir }) => {
        const imported = path.startsWith('#') ? join(root, path.slice(1)) : join(resolveDir, path);
        const module = modules.flat().find((file) => join(root, file) === imported);
        if (!module) return { errors: [{ text: `${imported} is not in the list of what is bundled of the AWS SDK` }] };
        return { path: resolve(root, folder, `${outOf(module)}.mjs`), sideEffects: false };
      }),
  };
  return { plugin, sources };
};
