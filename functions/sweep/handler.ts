import { onSchedule } from '../../shared/queue/consume.ts';
import { deliverTask, queueOf, type Task } from '../../shared/queue/task.ts';
import type { Waiting } from '../../shared/store/due.ts';
import { sweep } from './contract.ts';
import { createPatience } from './patience.ts';

/** Leaves this much of its time unused, for queues that give no answer: what is left waits for the next sweep. */
const MARGIN_MS = 10_000;

// One for each table, as long as the process lives.
const patience = new WeakMap<object, ReturnType<typeof createPatience>>();
const patienceOf = (store: object) => {
  const known = patience.get(store) ?? createPatience();
  patience.set(store, known);
  return known;
};

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

export const handler = onSchedule(sweep, async (deps, timeLeft) => {
  const { store, enqueue, redrive, now, log } = deps;
  const { places, isToRedrive } = await store.due.beat(now(), deps.longestGap());
  const { isTime, tidy } = patienceOf(store);
  tidy(now());
  let sent = 0;
  deps.crashpoint(30);
  for await (const page of store.due.waiting(now(), places)) {
    const tasks = page.filter((one) => one.kind !== 'delivery' || isTime(one.deliveryId, now())).map(taskOf);
    // One queue that takes nothing must not keep the others from their work: what is due stays due.
    const queues = [...Map.groupBy(tasks, queueOf).values()].map((ofQueue) =>
      enqueue(ofQueue).catch((error: unknown) => log('error', 'what is due waits for the next sweep', {}, error)),
    );
    await Promise.all(queues);
    deps.crashpoint(31);
    sent += tasks.length;
    if (timeLeft() < MARGIN_MS) break;
  }
  if (places.length > 0) await store.due.leave(places);
  if (sent > 0) log('info', 'put on the queues what was due', { sent });
  if (isToRedrive) await redrive();
});
