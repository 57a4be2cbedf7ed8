import { build } from 'esbuild';
import { expect, test } from 'vitest';
import { computedFor } from '#lib/aws/functions/computed.ts';

const root = new URL('../../../..', import.meta.url).pathname;
const bundling = (source: string, folder = root) =>
  build({
    absWorkingDir: root,
    stdin: { contents: source, resolveDir: root, loader: 'ts' },
    bundle: true,
    write: false,
    format: 'esm',
    logLevel: 'silent',
    plugins: [computedFor('server', folder)],
  });

test('a bundle has the exports of its computed module, and not the code that makes them', async () => {
  const { outputFiles } = await bundling(`export * from './functions/api/server/description.ts';`);
  expect(outputFiles[0]?.text).toContain('getServerConfig');
  expect(outputFiles[0]?.text).not.toContain('describeApi');
});

test('no bundle is made of a function that does not import the module which is computed for it', async () => {
  await expect(bundling('export {};')).rejects.toThrow('server does not import functions/api/server/description.ts');
});

test('no bundle is made when the module that is computed is not where it is expected', async () => {
  await expect(bundling('export {};', '/elsewhere')).rejects.toThrow('description.ts, which the bundle of server');
});
