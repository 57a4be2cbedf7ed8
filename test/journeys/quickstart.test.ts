import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { expect, test } from 'vitest';
import { freePort, startHost } from '../fixtures/host.ts';

const root = new URL('../..', import.meta.url).pathname;
const quickstart = readFileSync(`${root}lib/local/QUICKSTART.md`, 'utf8');
/** The blocks of commands in the quickstart. */
const blocks = [...quickstart.matchAll(/```sh\n(.*?)```/gs)].map(([, block = '']) => block);
/** The variables before a command. */
const variablesIn = (line: string): Record<string, string> =>
  Object.fromEntries([...line.matchAll(/([A-Z_]+)=(\S+)/g)].map(([, name = '', value = '']) => [name, value]));

const PATH = `${root}node_modules/.bin:/usr/local/bin:/usr/bin:/bin`;
const bash = (commands: string) =>
  spawn('bash', ['-e', '-o', 'pipefail', '-c', commands], {
    cwd: root,
    env: { PATH },
    stdio: ['ignore', 'pipe', 'pipe'],
  });

test('the quickstart works as it stands, except for its ports: the fall arrives with a valid signature', async () => {
  const [install = '', listen = '', story = ''] = blocks;
  const port = await freePort();
  const other = await freePort();
  const moved = (commands: string) => commands.replaceAll(':3000/', `:${port}/`).replaceAll(':4000/', `:${other}/`);
  // As users have it: with the limit of calls, and the demo home.
  const settings = variablesIn(install.split('\n')[1] ?? '');
  await using _host = await startHost({ ...settings, PORT: port, DATA_DIR: ':memory:' }, []);
  const [, words = ''] = /^npm run receiver -- (.*)$/m.exec(listen) ?? [];
  const receiver = bash(`exec node bin/run.ts receiver ${words} --port ${other}`);
  const heard: string[] = [];
  const lines = createInterface({ input: receiver.stdout });
  const signed = new Promise<void>((resolve) => {
    lines.on('line', (line) => {
      heard.push(line);
      if (line.includes('signatures:')) resolve();
    });
  });
  await once(lines, 'line');

  const told = bash(moved(story));
  const [out, errors] = await Promise.all([told.stdout.toArray(), told.stderr.toArray()]);
  expect([errors.join(''), told.exitCode ?? (await once(told, 'exit'))[0]]).toEqual(['', 0]);
  await signed;
  receiver.kill();
  await once(receiver, 'exit');

  expect(heard.some((line) => line.includes('Sensor 00A1: Fall detected'))).toBe(true);
  expect(heard.filter((line) => line.includes('signatures:'))).toEqual(['  signatures: valid']);
  // The last answer is the page of rule hits.
  const answers = out.join('');
  const [page] = JSON.parse(answers.slice(answers.lastIndexOf('[{"total"')));
  expect(page?.data).toMatchObject([{ situation: 'fall_detected', allSend: true }]);
});
