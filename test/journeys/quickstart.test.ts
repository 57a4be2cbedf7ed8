import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { expect, test } from 'vitest';
import { freePort, startHost } from '../fixtures/host.ts';

const root = new URL('../..', import.meta.url).pathname;
const quickstart = readFileSync(`${root}lib/local/QUICKSTART.md`, 'utf8');
/** The quickstart's command blocks. */
const blocks = [...quickstart.matchAll(/```sh\n(.*?)```/gs)].map(([, block = '']) => block);
/** Returns the variables set before a command. */
const variablesIn = (line: string): Record<string, string> =>
  Object.fromEntries([...line.matchAll(/([A-Z_]+)=(\S+)/g)].map(([, name = '', value = '']) => [name, value]));

const PATH = `${root}node_modules/.bin:/usr/local/bin:/usr/bin:/bin`;
const bash = (commands: string) =>
  spawn('bash', ['-e', '-o', 'pipefail', '-c', commands], {
    cwd: root,
    env: { PATH },
    stdio: ['ignore', 'pipe', 'pipe'],
  });

test('the quickstart works as written, except for the ports', async () => {
  const [install = '', listen = '', story = ''] = blocks;
  const port = await freePort();
  const other = await freePort();
  const moved = (commands: string) => commands.replaceAll(':3000/', `:${port}/`).replaceAll(':4000/', `:${other}/`);
  // As shipped: with the rate limit and the demo home.
  const settings = variablesIn(install.split('\n')[1] ?? '');
  await using _host = await startHost({ ...settings, PORT: port, DATA_DIR: ':memory:' }, []);
  const [, receiverOptions = ''] = /^npm run receiver -- (.*)$/m.exec(listen) ?? [];
  const receiver = bash(`exec node bin/run.ts receiver ${receiverOptions} --port ${other}`);
  const printed: string[] = [];
  const lines = createInterface({ input: receiver.stdout });
  const signed = new Promise<void>((resolve) => {
    lines.on('line', (line) => {
      printed.push(line);
      if (line.includes('signatures:')) resolve();
    });
  });
  await once(lines, 'line');

  const commands = bash(moved(story));
  const [out, errors] = await Promise.all([commands.stdout.toArray(), commands.stderr.toArray()]);
  expect([errors.join(''), commands.exitCode ?? (await once(commands, 'exit'))[0]]).toEqual(['', 0]);
  await signed;
  receiver.kill();
  await once(receiver, 'exit');

  expect(printed.some((line) => line.includes('Sensor 00A1: Fall detected'))).toBe(true);
  expect(printed.filter((line) => line.includes('signatures:'))).toEqual(['  signatures: valid']);
  // The last response is the rule hits page.
  const responses = out.join('');
  const [page] = JSON.parse(responses.slice(responses.lastIndexOf('[{"total"')));
  expect(page?.data).toMatchObject([{ situation: 'fall_detected', allSend: true }]);
});
