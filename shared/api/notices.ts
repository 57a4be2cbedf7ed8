import type { ProcessNotice } from '../queue/task.ts';
import type { Deps } from '../runtime/deps.ts';

type Sending = Pick<Deps<'enqueue:events'>, 'enqueue' | 'log'>;

/** Puts a stored notice about a sensor on its way. If the queue takes nothing, the sweep finds the notice. */
export const sendNotice = ({ enqueue, log }: Sending, notice: Omit<ProcessNotice, 'type'>): Promise<void> =>
  enqueue([{ type: 'process_notice', ...notice }]).catch((error: unknown) =>
    log('warn', 'a notice waits for the sweep', { sensorId: notice.sensorId }, error),
  );
