import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdir, mkdtemp, readdir, readFile, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { freePort } from '#test/fixtures/host.ts';

const run = promisify(execFile);
const root = fileURLToPath(new URL('../../..', import.meta.url));
const read = (file: string) => readFile(join(root, file), 'utf8');

let folder: string;
let image: string;
let dockerfile: string;
const children: ChildProcess[] = [];

/** Copies the files visible to the build according to `.dockerignore`. */
const copyContext = async (to: string): Promise<void> => {
  const names = (await read('.dockerignore')).split('\n').filter((line) => line.startsWith('!'));
  for (const name of names.map((line) => line.slice(1))) {
    await mkdir(dirname(join(to, name)), { recursive: true });
    await cp(join(root, name), join(to, name), { recursive: true });
  }
};

/** The image's environment, but with a folder, an address and a port for this test. */
const environment = async () => {
  const [, line = ''] = /^ENV (.*)$/m.exec(dockerfile) ?? [];
  const own = Object.fromEntries(line.split(' ').map((pair) => pair.split('=')));
  return { ...own, DATA_DIR: join(folder, 'data'), HOST: '127.0.0.1', PORT: await freePort() };
};
const [, ...healthCheck] = ((text) => JSON.parse(text) as string[])(
  /CMD (\[.*fetch.*\])/.exec(await read('lib/local/Dockerfile'))?.[1] ?? '[]',
);

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'sensor-cloud-image-'));
  dockerfile = await read('lib/local/Dockerfile');
  const build = join(folder, 'build');
  image = join(folder, 'host');
  await copyContext(build);
  await symlink(join(root, 'node_modules'), join(build, 'node_modules'));
  // `npm ci` runs this command.
  await run(process.execPath, ['bin/run.ts', 'types', '--no-check'], { cwd: build });
  await run(process.execPath, ['bin/run.ts', 'bundle', '--to', image], { cwd: build });
}, 240_000);
afterAll(async () => {
  for (const child of children) child.kill('SIGKILL');
  await rm(folder, { recursive: true });
});

const commandOf = (name: string, ...args: string[]) => [join(image, `${name}.mjs`), ...args];

test('the host runs from the bundle alone, and the image health check reflects host health', {
  timeout: 60_000,
}, async () => {
  const env = await environment();
  const check = () =>
    run(process.execPath, healthCheck, { env }).then(
      () => 'healthy',
      ({ code }) => code,
    );
  expect(await check()).toBe(1);
  const host = spawn(process.execPath, commandOf('start'), { cwd: image, env, stdio: ['ignore', 'pipe', 'inherit'] });
  children.push(host);
  for await (const line of createInterface(host.stdout)) if (line.startsWith('ready ')) break;
  expect(await check()).toBe('healthy');
  const base = `http://127.0.0.1:${env.PORT}/api/v1`;
  for (const path of ['console', 'docs', 'openapi.json']) expect((await fetch(`${base}/${path}`)).status).toBe(200);

  const backup = join(folder, 'backup');
  await run(process.execPath, commandOf('backup', '--to', backup), { cwd: image, env });
  expect(await readdir(backup)).toEqual(expect.arrayContaining(['cloud.sqlite', 'secrets.key']));
  host.kill('SIGTERM');
  expect(await once(host, 'exit')).toEqual([0, null]);
});

test('the demo runs successfully from the bundle', async () => {
  const { stdout } = await run(process.execPath, commandOf('demo'), { cwd: image, env: {} });
  expect(stdout).toContain('All checks passed.');
});

test('the image starts the bundle as an unprivileged user and keeps data in a volume', () => {
  expect(dockerfile).toMatch(/^COPY --from=build \/host \.$/m);
  expect(dockerfile).toMatch(/^ENV .*\bDATA_DIR=\/data DEMO=false HOST=0\.0\.0\.0\b/m);
  expect(dockerfile).toMatch(/^USER 10001\n(.*\n)*VOLUME \/data\n(.*\n)*CMD \["node", "start.mjs"\]$/m);
});
