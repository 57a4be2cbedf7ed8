import { join, resolve } from 'node:path';
import { type BuildOptions, build, type Plugin } from 'esbuild';

/** The modules by which our code takes parts of the AWS SDK, a thousand files, most of which nobody needs. */
const modules = ['shared/store/sdk.ts', 'shared/queue/sdk.ts'];

/**
 * Bundles these modules once, into `folder`, for all functions: each then reads a few files instead of a thousand. What a
 * function does not use of them is left out of its own bundle as of any module.
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
