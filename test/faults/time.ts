import { setTimeout } from 'node:timers/promises';
import type { SkippingClock } from '#lib/local/clock.ts';
import type { Cloud } from '#lib/local/cloud.ts';
import type { Queue } from '#lib/local/queue/queue.ts';
import type { DueItem } from './due-items.ts';

/**
 * The number of rounds, at ever longer intervals over some days, after which nothing may wait when no fault happens.
 */
const MOST_STEPS = 60;
const FIRST_WAIT = 35_000;
const LONGEST_WAIT = 3_600_000;
/** Tasks that become due within so many ms are processed in one step. */
const TOGETHER = 120_000;
const FIRST_INTERVAL = 6_000;
/** A call (ms) that takes longer is held back. */
const HELD_BACK = 40;

/** Moves time forward in a cloud. `dueItems` gives what waits in the due index of its table. */
export const timeOf = (
  cloud: Cloud,
  clock: SkippingClock,
  dueItems: () => Promise<DueItem[]>,
  queues: readonly Queue[],
) => {
  const step = async (ms: number): Promise<void> => {
    // The sweep is started first and begins when the time has passed; the timer of the clock would run a second one.
    const swept = cloud.sweep();
    clock.skipTo(clock.now() + ms);
    await swept;
    await cloud.idle();
  };

  const inQueues = (all = queues): DueItem[] =>
    all.flatMap((queue) => {
      const { visible, inFlight, delayed, nextVisibleAt } = queue.stats();
      if (visible + inFlight + delayed === 0) return [];
      return [{ what: queue.name, time: visible > 0 ? clock.now() : nextVisibleAt }];
    });

  /** Gives all waiting tasks, whenever they are due. Checks of sensors are left out. */
  const look = async (): Promise<DueItem[]> => {
    await cloud.idle();
    return [...(await dueItems()), ...inQueues()];
  };
  /**
   * Gives all waiting tasks. Only a second look can say that there are none, because a task that moves during the first
   * look may be missed.
   */
  const waiting = async (): Promise<DueItem[]> => {
    const found = await look();
    return found.length > 0 ? found : look();
  };

  /**
   * When (ms) to look again: soon if a task is overdue, else when the next one is due, together with those due soon
   * after it.
   */
  const nextLook = (all: readonly DueItem[], wait: number): number => {
    const soon = clock.now() + wait;
    const times = all.map(({ time }) => Math.max(time, soon));
    const first = Math.min(...times);
    return Math.max(...times.filter((time) => time <= first + TOGETHER));
  };

  /** Runs until every message is evaluated. */
  const judged = async (): Promise<void> => {
    const [events] = queues;
    for (let round = 0; round < MOST_STEPS && events && inQueues([events]).length > 0; round++) await step(FIRST_WAIT);
  };

  const drain = async (): Promise<number> => {
    let wait = FIRST_WAIT;
    for (let round = 0; round < MOST_STEPS; round++) {
      const all = await waiting();
      if (all.length === 0) return 0;
      await step(nextLook(all, wait) - clock.now());
      wait = Math.min(LONGEST_WAIT, wait * 1.5);
    }
    return (await waiting()).length;
  };

  /**
   * Waits for the answer to a device. The host holds a call back for a second while earlier ones of the sensor wait: that
   * second passes at once here.
   */
  const answered = async <T>(call: Promise<T>): Promise<T> => {
    const isSoon = await Promise.race([call.then(() => true), setTimeout(HELD_BACK, false)]);
    if (!isSoon) clock.skipTo(clock.now() + 1_000);
    return call;
  };

  /** Steps at ever longer intervals until so many ms have passed. */
  const last = async (ms: number): Promise<void> => {
    const end = clock.now() + ms;
    for (let interval = FIRST_INTERVAL; clock.now() < end; interval *= 3.5)
      await step(Math.min(interval, end - clock.now()));
  };
  return { step, judged, drain, last, answered };
};
