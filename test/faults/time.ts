import type { SkippingClock } from '../../lib/local/clock.ts';
import type { Cloud } from '../../lib/local/cloud.ts';
import type { Queue } from '../../lib/local/queue.ts';
import type { Store } from '../../shared/store/store.ts';

/** Rounds until whatever waits must be done, once all is well: at ever longer intervals, some days. */
const MOST_STEPS = 60;
const FIRST_WAIT = 35_000;
const LONGEST_WAIT = 3_600_000;
/** What falls due within so many ms is worked off in one go. */
const TOGETHER = 120_000;
const FIRST_INTERVAL = 6_000;
const FOREVER = 400 * 86_400_000;

/** Something that waits; `time` (ms): until when. */
type Waiting = { what: string; time: number };

/** Lets time pass in a cloud. */
export const timeOf = (cloud: Cloud, clock: SkippingClock, { due }: Store, queues: readonly Queue[]) => {
  const step = async (ms: number): Promise<void> => {
    // First the sweep, which begins when the time has passed: the clock's own would be one more.
    const swept = cloud.sweep();
    clock.skipTo(clock.now() + ms);
    await swept;
    await cloud.idle();
  };

  const inQueues = (all = queues): Waiting[] =>
    all.flatMap((queue) => {
      const { visible, inFlight, delayed, nextVisibleAt } = queue.stats();
      if (visible + inFlight + delayed === 0) return [];
      return [{ what: queue.name, time: visible > 0 ? clock.now() : nextVisibleAt }];
    });

  /** What waits, at any time. A sensor that may fall silent does not, nor a look at one. */
  const look = async (): Promise<Waiting[]> => {
    await cloud.idle();
    const found: Waiting[] = [];
    for await (const page of due.waiting(clock.now() + FOREVER))
      found.push(...page.filter(({ kind }) => kind !== 'sensor').map(({ kind, time }) => ({ what: kind, time })));
    return [...found, ...inQueues()];
  };
  /** Nothing is said only after a second look: what moved from shard to shard during the first may have been in neither. */
  const waiting = async (): Promise<Waiting[]> => {
    const found = await look();
    return found.length > 0 ? found : look();
  };

  /** When (ms) to look again: soon if something is overdue, or when the next is due, together with what is due soon after. */
  const nextLook = (all: readonly Waiting[], wait: number): number => {
    const soon = clock.now() + wait;
    const times = all.map(({ time }) => Math.max(time, soon));
    const first = Math.min(...times);
    return Math.max(...times.filter((time) => time <= first + TOGETHER));
  };

  /** Until every message is judged. */
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

  /** At ever longer intervals, until so many ms are over. */
  const last = async (ms: number): Promise<void> => {
    const end = clock.now() + ms;
    for (let interval = FIRST_INTERVAL; clock.now() < end; interval *= 3.5)
      await step(Math.min(interval, end - clock.now()));
  };
  return { step, judged, drain, last };
};
