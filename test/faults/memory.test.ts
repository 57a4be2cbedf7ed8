import { expect, test } from 'vitest';
import { calleeOf } from './callee.ts';
import { createChaos } from './chaos.ts';
import { MEMORY_BAR, peakOf } from './memory.ts';
import { startChaosReceiver } from './receiver.ts';

test('memory stays flat while hundreds of receivers answer with bodies that have no end', async () => {
  const chaos = createChaos();
  const receiver = await startChaosReceiver(chaos, Date.now);
  chaos.begin({ trouble: 1, troubles: ['endlessBody'] }, 1);
  const { post } = calleeOf(chaos);
  const body = JSON.stringify({ event: { uuid: '', action: '' }, webhook: { id: '' }, customer: { id: 1 } });
  const some = async (count: number) => {
    for (let at = 0; at < count; at += 20)
      await Promise.all(
        Array.from({ length: 20 }, () => post({ url: `${receiver.urls.http}/1/all`, headers: {}, body })),
      );
  };
  const { peak: before } = await peakOf(() => some(100));
  const { peak: after } = await peakOf(() => some(300));
  expect(chaos.heal()).toBe(400);
  expect(after - before).toBeLessThan(MEMORY_BAR);
  await receiver.stop();
});
