import type { Deps } from '../../../shared/deps.ts';
import { onSchedule } from '../../../shared/queue/consume.ts';
import { deliverTask, queueOf, type Task } from '../../../shared/queue/task.ts';
import type { Waiting } from '../../../shared/store/due.ts';
import { sweep } from './contract.ts';
import { createResend } from './resend.ts';

/** Leaves this much of its time unused, for queues that give no answer: what is left waits for the next sweep. */
const MARGIN_MS = 10_000;

/** The task by which what is due is worked on. */
const taskOf = (one: Waiting): Task => {
  const { customerId } = one;
  switch (one.kind) {
    case 'sensor':
      return { type: 'check_sensor', customerId, sensorId: one.sensorId };
    case 'notice':
      return { type: 'process_notice', customerId, sensorId: one.sensorId, uuid: one.uuid };
    case 'delivery':
      return deliverTask({ customerId, webhookId: one.webhookId, id: one.deliveryId });
    case 'job':
      return one.job === 'held'
        ? { type: 'release_held', customerId, webhookId: one.webhookId }
        : { type: 'step_replay', customerId, webhookId: one.webhookId, replayId: one.job };
  }
};

const createSweep = () => {
  const { isTime, tidy } = createResend();
  return async (deps: Deps<(typeof sweep)['uses'][number]>, timeLeft: () => number): Promise<void> => {
    const { store, enqueue, redrive, now, log, measure } = deps;
    const { cursors, isToRedrive, isOutdated } = await store.due.beat(now(), deps.longestGap());
    if (isOutdated) log('error', 'the table holds what only a newer version understands: deploy that one');
    tidy(now());
    const start = now();
    let sent = 0;
    let oldest = start;
    deps.failpoint('sweep.begun');
    for await (const page of store.due.waiting(now(), cursors)) {
      const tasks = page.filter((one) => one.kind !== 'delivery' || isTime(one.deliveryId, now())).map(taskOf);
      // One queue that takes nothing must not keep the others from their work: what is due stays due.
      const queues = [...Map.groupBy(tasks, queueOf).values()].map((ofQueue) =>
        enqueue(ofQueue).catch((error: unknown) => log('error', 'what is due waits for the next sweep', {}, error)),
      );
      await Promise.all(queues);
      deps.failpoint('sweep.enqueued');
      // What a webhook that is off holds is due all the time.
      oldest = Math.min(oldest, ...page.flatMap(({ kind, time }) => (kind === 'job' ? [] : [time])));
      sent += tasks.length;
      if (timeLeft() < MARGIN_MS) break;
    }
    measure('OldestWaiting', (start - oldest) / 1_000);
    if (cursors.length > 0) await store.due.leave(cursors);
    if (sent > 0) log('info', 'put on the queues what was due', { sent });
    if (isToRedrive) await redrive();
  };
};

export const handler = onSchedule(sweep, createSweep);
