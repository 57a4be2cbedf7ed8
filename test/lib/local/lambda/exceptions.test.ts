import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

const run = promisify(execFile);
const module = new URL('../../../../lib/local/lambda/exceptions.ts', import.meta.url).href;

test('an uncaught exception is logged and counted, and does not end the process', async () => {
  const program = `
    const { keepAliveOnExceptions } = await import(${JSON.stringify(module)});
    const { count } = keepAliveOnExceptions((level, message, fields, error) => console.log(level, error.message));
    setTimeout(() => { throw new Error('of a timer'); });
    setTimeout(() => void Promise.reject(new Error('of a promise')));
    setTimeout(() => console.log('still here', count()), 50);
  `;
  const { stdout } = await run(process.execPath, ['--input-type=module', '--eval', program]);
  expect(stdout.trim().split('\n').sort()).toEqual(['error of a promise', 'error of a timer', 'still here 2']);
});

test('a broken output pipe is counted once per line and not logged in an endless loop', async () => {
  const program = `
    const { keepAliveOnExceptions } = await import(${JSON.stringify(module)});
    const { count } = keepAliveOnExceptions((level, message, fields, error) => process.stdout.write(error.message));
    setTimeout(() => process.exit(), 10_000).unref();
    process.once('message', () => {
      process.stdout.write('nobody reads this');
      setTimeout(() => process.send(count()), 50);
    });
    process.send('ready');
  `;
  const child = spawn(process.execPath, ['--input-type=module', '--eval', program], {
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
  });
  expect(await once(child, 'message')).toContain('ready');
  child.stdout?.destroy();
  child.send('go');
  const [count] = await Promise.race([once(child, 'message'), once(child, 'exit')]);
  child.kill('SIGKILL');
  expect(count).toBe(1);
});
