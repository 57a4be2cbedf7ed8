import { execFile } from 'node:child_process';
import { describe, expect, test } from 'vitest';
import { compileCache } from '../../fixtures/compile-cache.ts';

const root = new URL('../../..', import.meta.url).pathname;
// No home, so no AWS profile; and no machine of AWS to ask for credentials.
const bare = { ...compileCache, PATH: '', HOME: '/nonexistent', AWS_EC2_METADATA_DISABLED: 'true' };

type Ended = { code: number | string; out: string; err: string };
const run = (command: string, args: readonly string[], env: Record<string, string> = bare): Promise<Ended> =>
  new Promise((resolve) => {
    execFile(process.execPath, [`bin/${command}.ts`, ...args], { cwd: root, env }, (error, out, err) =>
      resolve({ code: error?.code ?? 0, out, err }),
    );
  });

const commands = ['trace', 'deploy', 'diff', 'destroy', 'smoke', 'admin', 'sam'];
const event = ['--event', '00000000-0000-4000-8000-000000000000'];

describe.each(commands)('npm run %s', (command) => {
  test('prints its help, also for wrong options, for which the exit code is 2', async () => {
    const [help, wrong] = await Promise.all([run(command, ['--help']), run(command, ['--nonsense'])]);
    expect(help).toMatchObject({ code: 0, out: expect.stringMatching(new RegExp(`^npm run ${command}`)), err: '' });
    expect(wrong).toMatchObject({ code: 2, out: '', err: expect.stringContaining(help.out) });
  });
});

const noCredentials = /^There are no AWS credentials here, or none under the name that AWS_PROFILE has: .*\.\n$/;
const refused = (sentence: RegExp) => ({ code: 1, out: '', err: expect.stringMatching(sentence) });
test.each<[string, string[]]>([
  ['trace', ['--stage', 'prod', ...event]],
  ['deploy', ['--stage', 'prod']],
  ['diff', ['--stage', 'prod']],
  ['destroy', ['--stage', 'dev']],
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
  expect(err).toMatch(/^wrong settings of the stage:\n {2}stage: .*\n {2}waf: .*\n$/);
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
  ['deploy', ['-c', 'stage=prod'], /^--stage names the stage/],
  ['sam', ['--port', '0'], /^--port is/],
])('npm run %s %j is told what is wrong', async (command, args, says) => {
  const { code, err } = await run(command, args);
  expect([code, err]).toEqual([2, expect.stringMatching(says)]);
});
