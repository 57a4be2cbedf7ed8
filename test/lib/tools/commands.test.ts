import { exec, execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { cp, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Script } from 'node:vm';
import { expect, test } from 'vitest';
import cdk from '#cdk.json' with { type: 'json' };
import manifest from '#package.json' with { type: 'json' };
import { compileCache } from '#test/fixtures/compile-cache.ts';

const root = new URL('../../..', import.meta.url).pathname;
// No AWS profiles and no instance metadata service.
const bare = { ...compileCache, PATH: '', HOME: '/nonexistent', AWS_EC2_METADATA_DISABLED: 'true' };

type Ended = { code: number | string; out: string; err: string };
const runFile = (file: string, args: readonly string[], env: Record<string, string> = bare): Promise<Ended> =>
  new Promise((resolve) => {
    execFile(process.execPath, [file, ...args], { cwd: root, env }, (error, out, err) =>
      resolve({ code: error?.code ?? 0, out, err }),
    );
  });
const run = (command: string, args: readonly string[], env?: Record<string, string>) =>
  runFile('bin/run.ts', [command, ...args], env);

/** The package.json scripts that run programs in this project: name, file and first arguments. */
const programs = Object.entries(manifest.scripts).flatMap(([name, script]): [string, string, string[]][] => {
  const [program, file = '', ...args] = script.split(' ');
  return program === 'node' && name !== 'prepare' ? [[name, file, args]] : [];
});

const anHourAgo = new Date(Date.now() - 3_600_000).toISOString();
const event = ['--event', '00000000-0000-4000-8000-000000000000'];

test.each(programs)('npm run %s prints help, and exits with 2 for an unknown option', async (name, file, args) => {
  const [help, wrong] = await Promise.all([runFile(file, [...args, '--help']), runFile(file, [...args, '--nonsense'])]);
  const command = name === 'start' ? 'npm start' : `npm run ${name}`;
  expect(help).toMatchObject({ code: 0, out: expect.stringMatching(new RegExp(`^${command}`)), err: '' });
  expect(wrong).toMatchObject({ code: 2, out: '', err: expect.stringContaining(help.out) });
});

test('an unknown command lists the commands', async () => {
  const unknown = await run('nonsense', []);
  expect(unknown).toMatchObject({
    code: 2,
    out: '',
    err: expect.stringMatching(/^Unknown command "nonsense".*deploy/),
  });
});

test("a globally installed CDK runs the app with the project's Node", async () => {
  // Stands in for the system's Node, which must run only npx.
  const machine = await mkdtemp(join(tmpdir(), 'machine-'));
  const others = `$(printf %s "$PATH" | tr : '\\n' | grep -v node_modules | paste -sd:)`;
  const script = `#!/bin/sh\ncase "$1" in *npx*) exec '${process.execPath}' "$@";; esac\necho 'the wrong Node'\n`;
  await writeFile(join(machine, 'node'), script, { mode: 0o755 });
  try {
    const app = cdk.app.replace('bin/run.ts app', '--version');
    const { stdout } = await promisify(exec)(`PATH="${machine}:${others}" ${app}`, { cwd: root });
    expect(stdout).toBe(`v${manifest.devDependencies.node}\n`);
  } finally {
    await rm(machine, { recursive: true });
  }
});

const noCredentials = /^No AWS credentials found, or AWS_PROFILE names an unknown profile: .*\.\n$/;
const failed = (sentence: RegExp) => ({ code: 1, out: '', err: expect.stringMatching(sentence) });
test.each<[string, string[]]>([
  ['trace', ['--stage', 'prod', ...event]],
  ['deploy', ['--stage', 'prod']],
  ['diff', ['--stage', 'prod']],
  ['destroy', ['--stage', 'dev']],
  ['recover', ['--stage', 'prod', '--to', anHourAgo]],
  ['admin', ['--stage', 'prod']],
])('npm run %s reports missing credentials in one sentence', async (command, args) => {
  const ended = await run(command, args, { ...bare, AWS_REGION: 'eu-central-1' });
  expect(ended).toEqual(failed(noCredentials));
});

// One command that needs a table and one that needs a stack. All other commands work like these.
test.each(['admin', 'deploy'])(
  'npm run %s reports an unknown profile and a missing or invalid region in one sentence',
  async (command) => {
    const args = ['--stage', 'prod'];
    const known = { AWS_ACCESS_KEY_ID: 'AKIAIOSFODNN7EXAMPLE', AWS_SECRET_ACCESS_KEY: 'x' };
    const ended = await Promise.all([
      run(command, args, { ...bare, AWS_REGION: 'eu-central-1', AWS_PROFILE: 'nobody' }),
      run(command, args),
      run(command, args, { ...bare, ...known, AWS_REGION: 'EU central' }),
    ]);
    const noRegion = failed(/^No AWS region is set: .*\.\n$/);
    expect(ended).toEqual([failed(noCredentials), noRegion, failed(/^The AWS region is invalid: .*\.\n$/)]);
  },
);

test('npm run synth lists all invalid settings, without a stack trace', async () => {
  const { code, out, err } = await run('app', [], { ...bare, CDK_CONTEXT_JSON: '{"stage":"PROD","waf":"maybe"}' });
  expect([code, out]).toEqual([1, '']);
  expect(err).toMatch(/^invalid settings of the stage:\n {2}stage must be .*\n {2}waf must be .*\n$/);
});

test('npm run smoke suggests what to check when nothing responds', async () => {
  const { code, out } = await run('smoke', ['--url', 'http://127.0.0.1:9/api/v1', '--user', 'a', '--password', 'x']);
  expect([code, out]).toEqual([1, expect.stringMatching(/FAILED .*: nothing responds there .* check --url/)]);
});

test.each<[string, string[], RegExp]>([
  ['trace', [], /^exactly one of --event, --message and --delivery/],
  ['trace', [...event, '--delivery', 'x'], /^exactly one of --event/],
  ['trace', ['--event', 'x'], /^--event must be a UUID/],
  ['trace', [...event, '--customer', 'x'], /^--customer must be a number/],
  ['trace', [...event, '--stage', 'a', '--data-dir', 'b'], /^use only one of --stage/],
  ['smoke', [], /^--user NAME or --token TOKEN is required/],
  ['smoke', ['--user', 'admin'], /^--user requires a password/],
  ['smoke', ['--token', 't', '--url', 'https://cloud.example.org/api/v1'], /^--receiver is required/],
  ['destroy', [], /^--stage NAME is required/],
  ['recover', ['--to', anHourAgo], /^--stage NAME is required/],
  ['recover', ['--stage', 'prod'], /^--to is required/],
  ['recover', ['--stage', 'prod', '--to', anHourAgo, '-c', 'stage=dev'], /^set the stage with --stage/],
  ['deploy', ['-c', 'stage=prod'], /^set the stage with --stage/],
  ['mail', [], /^--to ADDRESS is required/],
  ['mail', ['--to', 'anna'], /^--to ADDRESS is required/],
  ['sam', ['--port', '0'], /^--port must be/],
])('npm run %s %j reports what is wrong and exits with 2', async (command, args, says) => {
  const { code, err } = await run(command, args);
  expect([code, err]).toEqual([2, expect.stringMatching(says)]);
});

test("an older Node runs commands with the project's Node, or explains how to install it", async () => {
  const bareCheckout = await mkdtemp(join(tmpdir(), 'checkout-'));
  const older = join(bareCheckout, 'older.cjs');
  await writeFile(older, "Object.defineProperty(process.versions, 'node', { value: '20.20.2' });");
  const runIn = (folder: string) => runFile('--require', [older, join(folder, 'bin/local.ts'), '--help']);
  try {
    for (const file of ['package.json', 'local.ts', 'run.ts', 'commands/start.mts'])
      await cp(join(root, 'bin', file), join(bareCheckout, 'bin', file));
    expect(await runIn(root)).toMatchObject({ code: 0, out: expect.stringMatching(/^npm start/), err: '' });
    const why = expect.stringMatching(/^This needs Node 24, .*`npm ci`/);
    expect(await runIn(bareCheckout)).toEqual({ code: 1, out: '', err: why });
  } finally {
    await rm(bareCheckout, { recursive: true });
  }
  // An older Node can read both files.
  for (const file of ['bin/local.ts', 'bin/run.ts'])
    expect(
      () => new Script(`(require, __filename, __dirname) => {${readFileSync(join(root, file), 'utf8')}}`),
    ).not.toThrow();
});
