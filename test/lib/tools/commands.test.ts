import { exec, execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Script } from 'node:vm';
import { expect, test } from 'vitest';
import cdk from '#cdk.json' with { type: 'json' };
import manifest from '#package.json' with { type: 'json' };
import { compileCache } from '#test/fixtures/compile-cache.ts';

const root = new URL('../../..', import.meta.url).pathname;
// No home, so no AWS profile; and no machine of AWS to ask for credentials.
const bare = { ...compileCache, PATH: '', HOME: '/nonexistent', AWS_EC2_METADATA_DISABLED: 'true' };

type Ended = { code: number | string; out: string; err: string };
const runFile = (file: string, args: readonly string[], env: Record<string, string> = bare): Promise<Ended> =>
  new Promise((resolve) => {
    execFile(process.execPath, [file, ...args], { cwd: root, env }, (error, out, err) =>
      resolve({ code: error?.code ?? 0, out, err }),
    );
  });
const run = (command: string, ...more: [readonly string[], Record<string, string>?]) =>
  runFile(`bin/${command}.mts`, ...more);

/** The commands of package.json that are programs of their own, by name. Others are those of a tool (bin/tool.mts). */
const programs = Object.entries(manifest.scripts).flatMap(([name, script]): [string, string][] => {
  const [, file] = /^node (\S+)$/.exec(script) ?? [];
  return file ? [[name, file]] : [];
});
const ofTools = Object.entries(manifest.scripts).filter(([name, script]) => script === `node bin/tool.mts ${name}`);

const anHourAgo = new Date(Date.now() - 3_600_000).toISOString();
const event = ['--event', '00000000-0000-4000-8000-000000000000'];

test('every command of package.json is a program of ours, or a tool that ours starts', () => {
  const known = [...programs, ...ofTools].map(([name]) => name);
  expect(Object.keys(manifest.scripts).filter((name) => !known.includes(name))).toEqual([]);
  expect([programs.length > 15, ofTools.length > 3]).toEqual([true, true]);
});

test.each(ofTools)('npm run %s says what it is for here, and where its options are told', async (name) => {
  const help = await run('tool', [name, '--help']);
  const out = expect.stringMatching(new RegExp(`^npm (run )?${name}.*\\nIt .*\\nOPTIONS are those of .*`));
  expect(help).toEqual({ code: 0, out, err: '' });
  expect(await run('tool', ['nonsense'])).toMatchObject({ code: 2, out: '', err: expect.stringContaining(name) });
});

test.each(programs)(
  'npm run %s prints its help, also for wrong options, for which the exit code is 2',
  async (name, file) => {
    const [help, wrong] = await Promise.all([runFile(file, ['--help']), runFile(file, ['--nonsense'])]);
    const command = name === 'start' ? 'npm start' : `npm run ${name}`;
    expect(help).toMatchObject({ code: 0, out: expect.stringMatching(new RegExp(`^${command}`)), err: '' });
    expect(wrong).toMatchObject({ code: 2, out: '', err: expect.stringContaining(help.out) });
  },
);

test('a CDK of the machine starts the Node of this project, whichever the machine has', async () => {
  // Stands for the Node of the machine: it runs npx, and no program of ours.
  const machine = await mkdtemp(join(tmpdir(), 'machine-'));
  const others = `$(printf %s "$PATH" | tr : '\\n' | grep -v node_modules | paste -sd:)`;
  const script = `#!/bin/sh\ncase "$1" in *npx*) exec '${process.execPath}' "$@";; esac\necho 'the Node of the machine'\n`;
  await writeFile(join(machine, 'node'), script, { mode: 0o755 });
  try {
    const app = cdk.app.replace('bin/app.mts', '--version');
    const { stdout } = await promisify(exec)(`PATH="${machine}:${others}" ${app}`, { cwd: root });
    expect(stdout).toBe(`v${manifest.devDependencies.node}\n`);
  } finally {
    await rm(machine, { recursive: true });
  }
});

const noCredentials = /^There are no AWS credentials here, or none under the name that AWS_PROFILE has: .*\.\n$/;
const refused = (sentence: RegExp) => ({ code: 1, out: '', err: expect.stringMatching(sentence) });
test.each<[string, string[]]>([
  ['trace', ['--stage', 'prod', ...event]],
  ['deploy', ['--stage', 'prod']],
  ['diff', ['--stage', 'prod']],
  ['destroy', ['--stage', 'dev']],
  ['recover', ['--stage', 'prod', '--to', anHourAgo]],
  ['admin', ['--stage', 'prod']],
])('npm run %s without credentials says so in one sentence', async (command, args) => {
  const ended = await run(command, args, { ...bare, AWS_REGION: 'eu-central-1' });
  expect(ended).toEqual(refused(noCredentials));
});

// One that looks for a table, and one that looks for a stack: the others do as these.
test.each(['admin', 'deploy'])(
  'npm run %s with credentials under a wrong name, or with no region or a wrong one, says so in one sentence',
  async (command) => {
    const args = ['--stage', 'prod'];
    const known = { AWS_ACCESS_KEY_ID: 'AKIAIOSFODNN7EXAMPLE', AWS_SECRET_ACCESS_KEY: 'x' };
    const ended = await Promise.all([
      run(command, args, { ...bare, AWS_REGION: 'eu-central-1', AWS_PROFILE: 'nobody' }),
      run(command, args),
      run(command, args, { ...bare, ...known, AWS_REGION: 'EU central' }),
    ]);
    const noRegion = refused(/^No AWS region is chosen: .*\.\n$/);
    expect(ended).toEqual([refused(noCredentials), noRegion, refused(/^That is no AWS region: .*\.\n$/)]);
  },
);

test('npm run synth with wrong settings lists all errors, without a stack trace', async () => {
  const { code, out, err } = await run('app', [], { ...bare, CDK_CONTEXT_JSON: '{"stage":"PROD","waf":"maybe"}' });
  expect([code, out]).toEqual([1, '']);
  expect(err).toMatch(/^wrong settings of the stage:\n {2}stage must be .*\n {2}waf must be .*\n$/);
});

test('npm run smoke says where to look when nobody answers', async () => {
  const { code, out } = await run('smoke', ['--url', 'http://127.0.0.1:9/api/v1', '--user', 'a', '--password', 'x']);
  expect([code, out]).toEqual([1, expect.stringMatching(/FAILED .*: nobody answers there .* Look at --url/)]);
});

test.each<[string, string[], RegExp]>([
  ['trace', [], /^one of --event, --message and --delivery/],
  ['trace', [...event, '--delivery', 'x'], /^one of --event/],
  ['trace', ['--event', 'x'], /^--event is a UUID/],
  ['trace', [...event, '--customer', 'x'], /^--customer is a number/],
  ['trace', [...event, '--stage', 'a', '--data-dir', 'b'], /^one of --stage/],
  ['smoke', [], /^who logs in\?/],
  ['smoke', ['--user', 'admin'], /^--user needs the password/],
  [
    'smoke',
    ['--token', 't', '--url', 'https://cloud.example.org/api/v1'],
    /^a cloud elsewhere cannot call this machine/,
  ],
  ['destroy', [], /^which stage\?/],
  ['recover', ['--to', anHourAgo], /^which stage\?/],
  ['recover', ['--stage', 'prod'], /^to which time\?/],
  ['recover', ['--stage', 'prod', '--to', anHourAgo, '-c', 'stage=dev'], /^--stage names the stage/],
  ['deploy', ['-c', 'stage=prod'], /^--stage names the stage/],
  ['sam', ['--port', '0'], /^--port is/],
])('npm run %s %j is told what is wrong', async (command, args, says) => {
  const { code, err } = await run(command, args);
  expect([code, err]).toEqual([2, expect.stringMatching(says)]);
});

test('an older Node, which reads neither types nor modules here, is told which one is needed', async () => {
  const older = "Object.defineProperty(process.versions, 'node', { value: '20.20.2' });";
  const script = `${older} require('./bin/local.ts')`;
  const said = await new Promise<Ended>((resolve) => {
    execFile(process.execPath, ['--eval', script], { cwd: root, env: bare }, (error, out, err) =>
      resolve({ code: error?.code ?? 0, out, err }),
    );
  });
  expect(said).toMatchObject({ code: 1, out: '', err: expect.stringMatching(/^This needs Node 24, .*`npm start`/) });
  // What it says it says before anything that an older Node cannot read.
  const text = await readFile(`${root}bin/local.ts`, 'utf8');
  expect(() => new Script(text)).not.toThrow();
});
