import { isNear } from '#shared/domain/rule/escalation.ts';
import type { Escalate } from '#shared/queue/task.ts';
import type { ProcessDeps } from './sensor-context.ts';

/** Enqueues the task for a round that is due `at` (ms), if a queue can delay it until then; else the sweep does, in time. */
export const enqueueRound = async (
  { enqueue, now }: Pick<ProcessDeps, 'enqueue' | 'now'>,
  about: Omit<Escalate, 'type'>,
  at: number,
): Promise<void> => {
  if (isNear(at, now())) await enqueue([{ type: 'escalate', ...about }], { delaySeconds: (at - now()) / 1_000 });
};
