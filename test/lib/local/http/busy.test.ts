import type { EventLoopUtilization } from 'node:perf_hooks';
import { expect, test } from 'vitest';
import { virtualClock } from '#lib/local/clock.ts';
import { createBusy } from '#lib/local/http/busy.ts';

test('a process is busy if its event loop was almost never idle during the last 50 ms', async () => {
  const clock = virtualClock(0);
  let active = 0;
  const measure = (_?: EventLoopUtilization, before?: EventLoopUtilization): EventLoopUtilization => {
    const spent = active - (before?.active ?? 0);
    return { active, idle: 0, utilization: spent / 50 };
  };
  const isBusy = createBusy(clock, measure);
  const after = async (ms: number, used: number): Promise<boolean> => {
    active += used;
    await clock.advance(ms);
    return isBusy();
  };
  expect([await after(49, 49), await after(1, 0), await after(50, 45), await after(50, 46)]).toEqual([
    false,
    true,
    false,
    true,
  ]);
});
