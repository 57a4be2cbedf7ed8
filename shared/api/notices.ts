import type { ProcessNotice } from '../queue/task.ts';
import type { Deps } from '../runtime/deps.ts';

type NoticeDeps = Pick<Deps<'enqueue:events'>, 'enqueue' | 'log'>;

/** Queues a stored notice about a sensor. If the queue rejects it, the sweep finds the notice. */
export const sendNotice = ({ enqueue, log }: NoticeDeps, notice: Omit<ProcessNotice, 'type'>): Promise<void> =>
  enqueue([{ type: 'process_notice', ...notice }]).catch((error: unknown) =>
    log('warn', 'could not queue a notice: the sweep will retry', { sensorId: notice.sensorId }, error),
  );
