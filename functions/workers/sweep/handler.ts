import { queueOf } from '#shared/queue/encode.ts';
import type { Task } from '#shared/queue/task.ts';
import type { Deps } from '#shared/runtime/deps.ts';
import { kindOfFailure } from '#shared/worker/failure.ts';
import { onSchedule } from '#shared/worker/on-host.ts';
import { sweep } from './contract.ts';
import { createLooks } from './looks.ts';
import { createResend } from './resend.ts';

/** So many deliveries are named in the log. */
const TOLD = 100;
/** How much time (ms) the sweep leaves unused for queues that do not answer. What is left waits for the next sweep. */
const MARGIN_MS = 10_000;

/** Returns whether the task is due all the time, as those of disabled webhooks and running replays: its age tells nothing. */
const isStanding = ({ type }: Task): boolean => type === 'release_held' || type === 'step_replay';

const createSweep = () => {
  const { isTime, forget, tidy } = createResend();
  const looks = createLooks();
  return async (deps: Deps<(typeof sweep)['uses'][number]>, timeLeft: () => number): Promise<void> => {
    const { store, enqueue, redrive, now, log, measure } = deps;
    const { since, cursors, isToRedrive, isOutdated } = await store.due.beat(now(), deps.longestGap());
    if (isOutdated) {
      log('error', 'the table holds what only a newer version understands: deploy that one');
      measure('TasksFailed', 1, { worker: sweep.name, kind: 'outdated' });
    }
    tidy(now());
    looks.tidy(now());
    const start = now();
    let sent = 0;
    const deliveryIds: string[] = [];
    let oldest = start;
    // A part that fails must not stop the others: what is in it stays due.
    const noteFailure = (error: unknown, items = 1): void => {
      log('error', 'what is due waits for the next sweep', {}, error);
      measure('TasksFailed', items, { worker: sweep.name, kind: kindOfFailure(error) });
    };
    deps.failpoint('sweep.begun');
    for await (const entries of store.due.waiting(now(), cursors, noteFailure)) {
      const page = await looks.withoutQuiet(deps, entries, since);
      deps.failpoint('sweep.looked');
      const tasks = page
        .map(({ task }) => task)
        .filter((task) => task.type !== 'deliver' || isTime(task.deliveryId, now()));
      const queues = [...Map.groupBy(tasks, queueOf).values()].map((ofQueue) =>
        enqueue(ofQueue).catch((error: unknown) => {
          for (const task of ofQueue) if (task.type === 'deliver') forget(task.deliveryId);
          noteFailure(error, ofQueue.length);
        }),
      );
      await Promise.all(queues);
      deps.failpoint('sweep.enqueued');
      oldest = Math.min(oldest, ...page.flatMap(({ task, time }) => (isStanding(task) ? [] : [time])));
      sent += tasks.length;
      deliveryIds.push(...tasks.flatMap((task) => ('deliveryId' in task ? task.deliveryId : [])));
      if (timeLeft() < MARGIN_MS) break;
    }
    measure('OldestWaiting', (start - oldest) / 1_000);
    if (cursors.length > 0) await store.due.leave(cursors);
    if (sent > 0) log('info', 'put on the queues what was due', { sent, deliveryIds: deliveryIds.slice(0, TOLD) });
    if (isToRedrive) await redrive();
  };
};

export const handler = onSchedule(sweep, createSweep);
