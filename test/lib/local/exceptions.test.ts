import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

const run = promisify(execFile);
const module = new URL('../../../lib/local/exceptions.ts', import.meta.url).href;

test('no exception that nothing catches ends the process: each is logged and counted', async () => {
  const program = `
    const { surviveExceptions } = await import(${JSON.stringify(module)});
    const { count } = surviveExceptions((level, message, fields, error) => console.log(level, error.message));
    setTimeout(() => { throw new Error('of a timer'); });
    setTimeout(() => void Promise.reject(new Error('of a promise')));
    setTimeout(() => console.log('still here', count()), 50);
  `;
  const { stdout } = await run(process.execPath, ['--input-type=module', '--eval', program]);
  expect(stdout.trim().split('\n').sort()).toEqual(['error of a promise', 'error of a timer', 'still here 2']);
});
