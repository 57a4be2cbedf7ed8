import { execFile } from 'node:child_process';
import { describe, expect, test } from 'vitest';

const root = new URL('../../..', import.meta.url).pathname;
// No home, so no AWS profile; and no machine of AWS to ask for credentials.
const bare = { PATH: '', HOME: '/nonexistent', AWS_EC2_METADATA_DISABLED: 'true' };

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
  test('explains itself, and answers wrong usage by its help and 2', async () => {
    const [help, wrong] = await Promise.all([run(command, ['--help']), run(command, ['--nonsense'])]);
    expect(help).toMatchObject({ code: 0, out: expect.stringMatching(new RegExp(`^npm run ${command}`)), err: '' });
    expect(wrong).toMatchObject({ code: 2, out: '', err: expect.stringContaining(help.out) });
  });
});

test.each<[string, string[]]>([
  ['trace', ['--stage', 'prod', ...event]],
  ['deploy', ['--stage', 'prod']],
  ['admin', ['--stage', 'prod']],
])('npm run %s without credentials, or without a region, says so in one sentence', async (command, args) => {
  const [credentials, region] = await Promise.all([
    run(command, args, { ...bare, AWS_REGION: 'eu-central-1' }),
    run(command, args),
  ]);
  expect(credentials).toEqual({
    code: 1,
    out: '',
    err: expect.stringMatching(/^There are no AWS credentials here: .*\.\n$/),
  });
  expect(region).toEqual({ code: 1, out: '', err: expect.stringMatching(/^No AWS region is chosen: .*\.\n$/) });
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
