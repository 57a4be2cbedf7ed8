import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { systemClock } from '#lib/local/clock.ts';
import { startEnvironment } from './environment.ts';

const folder = mkdtempSync(join(tmpdir(), 'deployed-code-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** Starts a function environment with this code. */
const start = async (code: string, variables: Record<string, string> = {}, timeoutSeconds = 10) => {
  writeFileSync(join(folder, 'handler.mjs'), code);
  const environment = await startEnvironment({
    name: 'one',
    arn: 'arn:one',
    timeoutSeconds,
    memorySize: 128,
    variables: { LAMBDA_TASK_ROOT: folder, _HANDLER: 'handler.handler', ...variables },
    clock: systemClock,
    onLine: () => {},
  });
  return environment;
};

test('a process sees only the variables from the template and from Lambda', async () => {
  const code = 'export const handler = async () => Object.keys(process.env).sort();';
  const { invoke, stop } = await start(code, { TABLE_NAME: 't' });
  const names = ['AWS_LAMBDA_RUNTIME_API', 'LAMBDA_TASK_ROOT', 'TABLE_NAME', '_HANDLER'];
  expect(JSON.parse(await invoke('{}'))).toEqual(names);
  await stop();
});

test('a process keeps state between invocations, and knows how much time is left in each', async () => {
  const { invoke, stop } = await start(`let count = 0;
    export const handler = async (event, context) => [event, ++count, context.getRemainingTimeInMillis() <= 10_000];`);
  expect([await invoke('{"a":1}'), await invoke('2')]).toEqual(['[{"a":1},1,true]', '[2,2,true]']);
  await stop();
});

test.each([
  ['throws', "export const handler = async () => { throw new TypeError('no'); };", /failed: .*"TypeError".*"no"/],
  ['ends its process', 'export const handler = async () => process.exit(3);', /its process ended \(3\)/],
  ['returns too much', "export const handler = async () => 'x'.repeat(7_000_000);", /returned more than 6 MB/],
  ['does not load', "throw new Error('at start');", /did not start: .*at start/],
  ['has no handler', 'export const other = 1;', /did not start: .*handler\.handler is not a function/],
])('an invocation fails if its function %s', async (_, code, reason) => {
  const { invoke, stop } = await start(code);
  await expect(invoke('{}')).rejects.toThrow(reason);
  await stop();
});

test('an invocation that times out fails, and the process receives no further invocations', async () => {
  const code = 'export const handler = () => new Promise(() => setInterval(() => {}, 1_000));';
  const { invoke, isGone, stop } = await start(code, {}, 1);
  await expect(invoke('{}')).rejects.toThrow('timed out after 1 seconds');
  expect(isGone()).toBe(true);
  await stop();
});
