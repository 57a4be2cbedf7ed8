import { expect, test } from 'vitest';
import { createWakeup, skippingClock, systemClock, virtualClock } from '#lib/local/clock.ts';

test('virtualClock stands still until it is advanced', async () => {
  const clock = virtualClock(1_000);
  expect(clock.now()).toBe(1_000);
  await clock.advance(250);
  expect(clock.now()).toBe(1_250);
});

test('virtualClock runs only due timers, ordered by time and then by when they were set', async () => {
  const clock = virtualClock(0);
  const seen: string[] = [];
  const note = (name: string) => () => void seen.push(`${name}@${clock.now()}`);
  clock.after(30, note('c'));
  clock.after(10, note('a'));
  clock.after(30, note('d'));
  clock.after(20, note('b'));
  clock.after(31, note('later'));
  await clock.advance(30);
  expect(seen).toEqual(['a@10', 'b@20', 'c@30', 'd@30']);
});

test('virtualClock also runs timers set during an advance', async () => {
  const clock = virtualClock(0);
  const seen: number[] = [];
  const pause = (ms: number) => new Promise<void>((resolve) => clock.after(ms, resolve));
  const story = async () => {
    for (let i = 0; i < 3; i += 1) {
      await pause(10);
      for (let hop = 0; hop < 50; hop += 1) await Promise.resolve();
      seen.push(clock.now());
    }
  };
  const finished = story();
  await clock.advance(100);
  await finished;
  expect(seen).toEqual([10, 20, 30]);
});

test('virtualClock never runs a canceled timer and treats a negative delay as 0', async () => {
  const clock = virtualClock(5);
  const seen: number[] = [];
  clock.after(1, () => seen.push(-1))();
  clock.after(-10, () => seen.push(clock.now()));
  await clock.advance(10);
  expect(seen).toEqual([5]);
});

test("systemClock returns the machine's time and does not run canceled timers", async () => {
  expect(systemClock.now).toBe(Date.now);
  const cancelled: string[] = [];
  systemClock.after(1, () => cancelled.push('ran'))();
  await new Promise<void>((resolve) => systemClock.after(5, resolve));
  expect(cancelled).toEqual([]);
});

test('createWakeup wakes all sleepers at the most recently set due time, and an aborted one at once', async () => {
  const clock = virtualClock(0);
  const woken: string[] = [];
  let due = Number.POSITIVE_INFINITY;
  const wakeup = createWakeup(clock, () => due);
  const abort = new AbortController();
  const waits = [
    wakeup.wait().then(() => woken.push(`a@${clock.now()}`)),
    wakeup.wait().then(() => woken.push(`b@${clock.now()}`)),
    wakeup.wait(abort.signal).then(() => woken.push(`aborted@${clock.now()}`)),
  ];
  abort.abort();
  due = 80;
  wakeup.check();
  due = 40;
  wakeup.check();
  await clock.advance(100);
  await Promise.all(waits);
  expect(woken).toEqual(['aborted@0', 'a@40', 'b@40']);
  await wakeup.wait();
  await wakeup.wait(AbortSignal.abort());
});

test('skippingClock runs due timers at once, in order, when moved ahead', async () => {
  const clock = skippingClock(1_000_000);
  const seen: string[] = [];
  const again = () => {
    seen.push('again');
    if (seen.length < 6) clock.after(60_000, again);
  };
  clock.after(60_000, again);
  clock.after(90_000, () => seen.push('once'));
  clock.after(30_000, () => seen.push('never'))();
  expect(clock.nextDue()).toBeLessThan(1_090_000);
  while (clock.nextDue() <= 1_200_000) clock.skipTo(clock.nextDue());
  expect(seen).toEqual(['again', 'once', 'again', 'again']);
  clock.skipTo(1_000_000);
  expect(clock.now()).toBeGreaterThanOrEqual(1_180_000);
  await new Promise<void>((resolve) => clock.after(5, resolve));
});

test('skippingClock has no next timer once all have run', () => {
  const clock = skippingClock(0);
  clock.after(10_000, () => {});
  clock.skipTo(20_000);
  expect(clock.nextDue()).toBe(Number.POSITIVE_INFINITY);
});
