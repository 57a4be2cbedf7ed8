import { expect, test } from 'vitest';
import { randomFrom } from '#lib/local/random.ts';
import { isFaultless } from './kills.ts';
import { runPowerCuts } from './power-cuts.ts';

const quietly = { random: randomFrom(1), say: () => {} };

test('a power cut, a failed sync, a full disk and a failed commit lose no event', async () => {
  const happening = ['cut', 'failedSync', 'filled', 'failedCommit'] as const;
  const result = await runPowerCuts({ ...quietly, events: 120, happening });
  expect([isFaultless(result), result.acknowledged]).toEqual([true, 120]);
});

test('the power cut simulation detects events that were accepted too early', async () => {
  const plan = { events: 120, happening: ['cut', 'cut'] as const, delayMs: 20, planted: 'early-202' };
  const { hits, acknowledged } = await runPowerCuts({ ...quietly, ...plan, timeoutMs: 1_000 });
  expect([acknowledged, hits < acknowledged]).toEqual([120, true]);
});
