import { join, resolve } from 'node:path';
import { type BuildOptions, build, type Plugin } from 'esbuild';

/** The modules that import the AWS SDK, which has about a thousand files, most of them unused. */
const modules = ['shared/store/sdk.ts', 'shared/queue/sdk.ts'];

/**
 * Bundles these modules once for all functions, into `folder`, so that the bundling of each function reads a few
 * files instead of a thousand. Unused parts are tree-shaken from each function's bundle as usual.
 */
export const bundleSdk = async (root: string, folder: string, options: BuildOptions): Promise<Plugin> => {
  const outOf = (module: string) => module.replaceAll(/\W/g, '-');
  const entryPoints = modules.map((module) => ({ in: join(root, module), out: outOf(module) }));
  await build({ ...options, minify: false, outdir: folder, entryPoints });
  return {
    name: 'sdk',
    setup: ({ onResolve }) =>
      onResolve({ filter: /\/sdk\.ts$/ }, ({ path, resolveDir }) => {
        const module = modules.find((one) => join(root, one) === join(resolveDir, path));
        return module ? { path: resolve(root, folder, `${outOf(module)}.mjs`), sideEffects: false } : undefined;
      }),
  };
};
