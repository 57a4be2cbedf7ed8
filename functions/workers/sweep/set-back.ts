import { DAY } from '#shared/domain/event/event.ts';
import type { Task } from '#shared/queue/task.ts';
import type { Deps } from '#shared/runtime/deps.ts';
import type { sweep } from './contract.ts';

type SetBackDeps = Deps<(typeof sweep)['uses'][number]>;

/** How far in advance (ms) anything about an alarm can be scheduled: twice the maximum retry delay. */
const LONGEST_DELAY = 2 * DAY;

/**
 * Returns the task that checks an item after the clock was set back by `by` ms. Jobs are not checked, because they do
 * not delay alarms.
 */
const checkOf = (task: Task, by: number): Task[] => {
  switch (task.type) {
    case 'run_job':
      return [];
    case 'escalate':
    case 'release_held':
      return [{ ...task, setBack: by }];
    case 'deliver':
      return [{ ...task, isRetry: true, setBack: by }];
    default:
      return [task];
  }
};

/**
 * After the clock was set back by `by` ms, enqueues checks for everything due later, because anything planned earlier
 * would be late by that much. If this fails, the next sweep repeats it.
 */
export const checkPlans = async ({ store, enqueue, now }: SetBackDeps, by: number): Promise<void> => {
  const start = now();
  for await (const page of store.due.pages(start + by + LONGEST_DELAY)) {
    const later = page.filter(({ time }) => time > start);
    await enqueue(later.flatMap(({ task }) => checkOf(task, by)));
  }
  await store.due.endSetBack();
};
