import { expect, test } from 'vitest';
import type { Runtime } from '#shared/runtime/deps.ts';
import { createLives } from './lives.ts';

const sent: string[] = [];
const runtime = {
  table: { get: async () => ({ item: 1 }) },
  queues: { send: async (queue: string) => void sent.push(queue) },
} as unknown as Runtime;

const failing = async (call: () => unknown): Promise<void> => {
  try {
    await call();
  } catch {}
};

test('a dead process sends nothing, even if the code catches the error', async () => {
  const lives = createLives();
  const { queues } = lives.wrap(runtime);
  const invocation = lives.around(async () => {
    await queues.send('events', []);
    await failing(() => lives.die('process.judged'));
    await failing(() => queues.send('quarantine', []));
  });
  await expect(invocation).rejects.toThrow('at process.judged');
  expect(sent).toEqual(['events']);
});

test('the death of one process does not affect another', async () => {
  const lives = createLives();
  const { table } = lives.wrap(runtime);
  await failing(() => lives.around(async () => lives.die('process.judged')));
  await expect(lives.around(() => table.get({ pk: 'p', sk: 's' }))).resolves.toEqual({ item: 1 });
});
