import { setTimeout } from 'node:timers/promises';
import type { SkippingClock } from '#lib/local/clock.ts';
import type { Cloud } from '#lib/local/cloud.ts';
import type { Queue } from '#lib/local/queue/queue.ts';
import type { DueItem } from './due-items.ts';

/**
 * The number of rounds, at ever longer intervals over several days, after which nothing may be pending unless there is
 * a fault.
 */
const MAX_ROUNDS = 60;
const FIRST_WAIT = 35_000;
const LONGEST_WAIT = 3_600_000;
/** Tasks due within this time (ms) are processed in one step. */
const TOGETHER = 120_000;
const FIRST_INTERVAL = 6_000;
/** A call that takes longer than this (ms) is being held back by the host. */
const HELD_BACK_MS = 40;

/** Creates functions that move time forward in a cloud. `dueItems` returns the items in the table's `due` index. */
export const timeOf = (
  cloud: Cloud,
  clock: SkippingClock,
  dueItems: () => Promise<DueItem[]>,
  queues: readonly Queue[],
) => {
  const step = async (ms: number): Promise<void> => {
    // The sweep is started first and runs once the time has passed. The clock's timer would start a second one.
    const swept = cloud.sweep();
    clock.skipTo(clock.now() + ms);
    await swept;
    await cloud.idle();
  };

  /** Moves time forward. Unlike in `step`, the sweep runs only at its own interval, which saves most table calls. */
  const wait = async (ms: number): Promise<void> => {
    clock.skipTo(clock.now() + ms);
    await cloud.idle();
  };

  const inQueues = (ofQueues = queues): DueItem[] =>
    ofQueues.flatMap((queue) => {
      const { visible, inFlight, delayed, nextVisibleAt } = queue.stats();
      if (visible + inFlight + delayed === 0) return [];
      return [{ name: queue.name, time: visible > 0 ? clock.now() : nextVisibleAt }];
    });

  /** Returns all pending tasks except sensor checks, regardless of when they are due. */
  const findPending = async (): Promise<DueItem[]> => {
    await cloud.idle();
    return [...(await dueItems()), ...inQueues()];
  };
  /**
   * Returns all pending tasks. Searches twice before returning none, because the first search can miss a task that
   * moves in the meantime.
   */
  const pending = async (): Promise<DueItem[]> => {
    const found = await findPending();
    return found.length > 0 ? found : findPending();
  };

  /**
   * Returns when (ms) to check again: soon if a task is overdue, otherwise once the next task and any tasks due soon
   * after it are due.
   */
  const nextCheck = (tasks: readonly DueItem[], wait: number): number => {
    const soon = clock.now() + wait;
    const times = tasks.map(({ time }) => Math.max(time, soon));
    const first = Math.min(...times);
    return Math.max(...times.filter((time) => time <= first + TOGETHER));
  };

  /** Runs until every message is judged. */
  const judged = async (): Promise<void> => {
    const [events] = queues;
    for (let round = 0; round < MAX_ROUNDS && events && inQueues([events]).length > 0; round++) await step(FIRST_WAIT);
  };

  const drain = async (): Promise<number> => {
    let wait = FIRST_WAIT;
    for (let round = 0; round < MAX_ROUNDS; round++) {
      const tasks = await pending();
      if (tasks.length === 0) return 0;
      await step(nextCheck(tasks, wait) - clock.now());
      wait = Math.min(LONGEST_WAIT, wait * 1.5);
    }
    return (await pending()).length;
  };

  /**
   * Waits for the response to a device. The host holds a request back for a second while the sensor's earlier ones are
   * pending. That second is skipped here.
   */
  const answered = async <T>(call: Promise<T>): Promise<T> => {
    const isSoon = await Promise.race([call.then(() => true), setTimeout(HELD_BACK_MS, false)]);
    if (!isSoon) clock.skipTo(clock.now() + 1_000);
    return call;
  };

  /** Steps at ever longer intervals until this time (ms) has passed. */
  const last = async (ms: number): Promise<void> => {
    const end = clock.now() + ms;
    for (let interval = FIRST_INTERVAL; clock.now() < end; interval *= 3.5)
      await step(Math.min(interval, end - clock.now()));
  };
  return { step, wait, judged, drain, last, answered };
};
