import { build } from 'esbuild';
import { expect, test } from 'vitest';
import { computedModulePlugin } from '#lib/aws/functions/computed.ts';

const root = new URL('../../../..', import.meta.url).pathname;
const bundling = (source: string, folder = root) =>
  build({
    absWorkingDir: root,
    stdin: { contents: source, resolveDir: root, loader: 'ts' },
    bundle: true,
    write: false,
    format: 'esm',
    logLevel: 'silent',
    plugins: [computedModulePlugin(['server'], folder)],
  });

test("a bundle contains a computed module's exports, but not the code that computes them", async () => {
  const { outputFiles } = await bundling(`export * from './functions/api/server/description.ts';`);
  expect(outputFiles[0]?.text).toContain('getServerConfig');
  expect(outputFiles[0]?.text).not.toContain('describeApi');
});

test('bundling fails when a function does not import the computed module', async () => {
  await expect(bundling('export {};')).rejects.toThrow('server does not import functions/api/server/description.ts');
});

test('bundling fails when the computed module does not exist', async () => {
  await expect(bundling('export {};', '/elsewhere')).rejects.toThrow('description.ts, which the bundle of server');
});
