import { execFile } from 'node:child_process';
import { copyFile, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { build } from 'esbuild';
import own from '#package.json' with { type: 'json' };
import type { Settings } from '#shared/runtime/env.ts';
import { writeOwnTypes, writeTypesTo } from './openapi-types.ts';

const run = promisify(execFile);
const root = fileURLToPath(new URL('../../..', import.meta.url));
const source = join(root, 'lib/client');

/** The client's package name. */
export const PACKAGE_NAME = '@sensor-cloud/client';

/** The client's package.json, with the versions in this commit. */
const manifest = {
  name: PACKAGE_NAME,
  version: own.version,
  description:
    'Typed client of Sensor Cloud: API calls, pagination, webhook verification, delivery feed and devices for tests.',
  license: own.license,
  type: 'module',
  sideEffects: false,
  engines: own.engines,
  exports: { '.': { types: './types/index.d.ts', default: './index.js' } },
  bin: { 'sensor-cloud': 'command.js' },
  files: ['*.js', 'types', 'README.md', 'LICENSE'],
  dependencies: { 'openapi-fetch': own.dependencies['openapi-fetch'] },
};

const common = {
  absWorkingDir: source,
  bundle: true,
  target: 'es2023',
  format: 'esm',
  legalComments: 'none',
  logLevel: 'warning',
} as const;

/** Bundles the library for any platform. The build fails if the library imports a Node built-in. */
const bundleLibrary = (outfile: string) =>
  build({ ...common, entryPoints: ['index.ts'], platform: 'browser', outfile, external: ['openapi-fetch'] });

const bundleCommand = (outfile: string) => {
  const banner = { js: '#!/usr/bin/env node' };
  const external = ['openapi-fetch'];
  return build({ ...common, entryPoints: ['command/main.ts'], platform: 'node', outfile, external, banner });
};

/** Writes the type declarations, with the OpenAPI document's types as a file in the package. */
const declare = async (folder: string, settings: Settings): Promise<void> => {
  await writeOwnTypes(settings);
  const tsc = join(root, 'node_modules/typescript-7/bin/tsc');
  const emit = ['--noEmit', 'false', '--rootDir', source, '--declaration', '--emitDeclarationOnly', '--outDir', folder];
  await run(process.execPath, [tsc, '-p', source, ...emit]);
  await writeTypesTo(folder, settings);
  for (const name of await readdir(folder)) {
    const text = await readFile(join(folder, name), 'utf8');
    const relative = text
      .replaceAll("from '#openapi'", "from './openapi.ts'")
      .replaceAll(/from '(\.\/.*)\.ts'/g, "from '$1.js'");
    await writeFile(join(folder, name), relative);
  }
};

/** Builds the package in a folder, which is emptied first. */
export const buildPackage = async (folder: string, settings: Settings): Promise<void> => {
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  await bundleLibrary(join(folder, 'index.js'));
  await bundleCommand(join(folder, 'command.js'));
  await declare(join(folder, 'types'), settings);
  await writeFile(join(folder, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`);
  await copyFile(join(source, 'README.md'), join(folder, 'README.md'));
  await copyFile(join(root, 'LICENSE'), join(folder, 'LICENSE'));
};

/** Packs the folder with npm. Returns the path of the .tgz in `to`. */
export const packPackage = async (folder: string, to: string): Promise<string> => {
  await mkdir(to, { recursive: true });
  const { stdout } = await run('npm', ['pack', '--json', '--ignore-scripts', '--pack-destination', to], {
    cwd: folder,
    shell: process.platform === 'win32',
  });
  const [packed] = JSON.parse(stdout) as [{ filename: string }];
  return join(to, packed.filename);
};
