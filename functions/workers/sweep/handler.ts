import { queueOf } from '#shared/queue/encode.ts';
import type { Task } from '#shared/queue/task.ts';
import type { Deps } from '#shared/runtime/deps.ts';
import type { Due } from '#shared/store/engine/due.ts';
import { kindOfFailure } from '#shared/worker/failure.ts';
import { onSchedule } from '#shared/worker/on-host.ts';
import { sweep } from './contract.ts';
import { createOverdueItems } from './overdue-items.ts';
import { createResendHistory } from './resend-history.ts';
import { createSensorFilter } from './sensor-filter.ts';
import { checkPlans } from './set-back.ts';

type SweepDeps = Deps<(typeof sweep)['uses'][number]>;

/** The maximum number of deliveries named in a log line. */
const MAX_LOGGED = 100;
/** How much time (ms) the sweep leaves for unresponsive queues. Remaining entries are left to the next sweep. */
const MARGIN_MS = 10_000;

/**
 * Whether a task is always due, like those for disabled webhooks and running replays. The age of such a task is
 * meaningless.
 */
const isAlwaysDue = ({ type }: Task): boolean => type === 'release_held' || type === 'step_replay';

const createSweep = () => {
  const resend = createResendHistory();
  const checks = createSensorFilter();
  const overdue = createOverdueItems();
  let wasOutdated = false;

  /**
   * Enqueues the tasks for due entries, except those enqueued a short time ago. Returns the tasks, including those in
   * failed queues.
   */
  const enqueueDue = async (
    { enqueue, now }: SweepDeps,
    entries: readonly Due[],
    noteFailure: (error: unknown, items: number) => void,
  ): Promise<Task[]> => {
    const tasks = entries
      .map(({ task }) => task)
      .filter((task) => task.type !== 'deliver' || resend.isTime(task.deliveryId, now()));
    const queues = [...Map.groupBy(tasks, queueOf).values()].map((ofQueue) =>
      enqueue(ofQueue).catch((error: unknown) => {
        for (const task of ofQueue) if (task.type === 'deliver') resend.forget(task.deliveryId);
        noteFailure(error, ofQueue.length);
      }),
    );
    await Promise.all(queues);
    return tasks;
  };

  return async (deps: SweepDeps, timeLeft: () => number): Promise<void> => {
    const { store, redrive, now, log, measure } = deps;
    const {
      since: upSince,
      cursors,
      isToRedrive,
      isOutdated,
      setBack,
    } = await store.due.recordHeartbeat(now(), deps.longestGap());
    // Once per process, because an alarm that is always on would hide other failures.
    if (isOutdated && !wasOutdated) {
      log('error', 'the table holds data that only a newer version understands: deploy that version');
      measure('TasksFailed', 1, { worker: sweep.name, kind: 'outdated' });
    }
    wasOutdated = isOutdated;
    resend.tidy(now());
    checks.tidy(now());
    overdue.tidy(now());
    // A failing part must not stop the others. Its entries stay due.
    const noteFailure = (error: unknown, items = 1): void => {
      log('error', 'due tasks were not enqueued and are left to the next sweep', {}, error);
      measure('TasksFailed', items, { worker: sweep.name, kind: kindOfFailure(error) });
    };
    const start = now();
    const sent: Task[] = [];
    let oldest = start;
    let newlyOverdue = 0;
    deps.failpoint('sweep.begun');
    if (setBack > 0) await checkPlans(deps, setBack).catch(noteFailure);
    for await (const page of store.due.pages(now(), cursors, noteFailure)) {
      const entries = await checks.withoutOnline(deps, page, upSince);
      deps.failpoint('sweep.checked');
      sent.push(...(await enqueueDue(deps, entries, noteFailure)));
      deps.failpoint('sweep.enqueued');
      const aging = entries.filter(({ task }) => !isAlwaysDue(task));
      oldest = Math.min(oldest, ...aging.map(({ time }) => time));
      newlyOverdue += overdue.countNew(aging, start);
      if (timeLeft() < MARGIN_MS) break;
    }
    measure('OldestWaiting', (start - oldest) / 1_000);
    if (newlyOverdue > 0) measure('TasksOverdue', newlyOverdue);
    if (cursors.length > 0) await store.due.saveCursors(cursors);
    const deliveryIds = sent.flatMap((task) => ('deliveryId' in task ? task.deliveryId : [])).slice(0, MAX_LOGGED);
    if (sent.length > 0) log('info', 'due tasks were enqueued', { sent: sent.length, deliveryIds });
    if (isToRedrive) await redrive();
  };
};

export const handler = onSchedule(sweep, createSweep);
