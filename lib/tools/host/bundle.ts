import { copyFile, mkdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build, type Plugin } from 'esbuild';
import { computedModulePlugin } from '#lib/aws/functions/computed.ts';

const root = fileURLToPath(new URL('../../..', import.meta.url));

/** The commands needed by a machine without the repository. Each becomes a file `NAME.mjs`. */
const commands = ['start', 'demo', 'backup', 'mail', 'recover'] as const;

/**
 * Lets esbuild find the handlers loaded by name. esbuild resolves an `import()` path with a variable only if the path
 * is relative.
 */
const handlersByName: Plugin = {
  name: 'handlers-by-name',
  setup: ({ onLoad }) => {
    onLoad({ filter: /\/lib\/local\/lambda\/load-handler\.ts$/ }, async ({ path }) => {
      const source = await readFile(path, 'utf8');
      return { contents: source.replaceAll('`#functions/', '`../../../functions/'), loader: 'ts' };
    });
  },
};

/**
 * Bundles the local host into a folder, which is emptied first. The bundle needs nothing but Node 24. Returns the
 * bundle's size in bytes.
 */
export const bundleHost = async (folder: string): Promise<number> => {
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  const { metafile } = await build({
    absWorkingDir: root,
    entryPoints: Object.fromEntries(commands.map((name) => [name, `bin/commands/${name}.mts`])),
    outdir: folder,
    outExtension: { '.js': '.mjs' },
    bundle: true,
    splitting: true,
    platform: 'node',
    target: 'node24',
    format: 'esm',
    minify: true,
    // Stack traces in the log keep function names.
    keepNames: true,
    mainFields: ['module', 'main'],
    // CommonJS packages `require` Node built-ins, but ES modules have no `require`.
    banner: { js: "import{createRequire}from'node:module';const require=createRequire(import.meta.url);" },
    legalComments: 'none',
    logLevel: 'warning',
    metafile: true,
    plugins: [handlersByName, computedModulePlugin(['server', 'docs', 'console'], root)],
  });
  await copyFile(join(root, 'LICENSE'), join(folder, 'LICENSE'));
  return Object.values(metafile.outputs).reduce((sum, { bytes }) => sum + bytes, 0);
};
