import type { Notice } from '../../../shared/domain/event.ts';
import type { Received } from '../../../shared/queue/consume.ts';
import type { ProcessMessages, ProcessNotice } from '../../../shared/queue/task.ts';
import type { Judged } from '../../../shared/store/states.ts';
import type { ProcessDeps } from './sensor-context.ts';

/**
 * One thing that is to be judged: a message of a device, a notice of the service, or that a device showed itself
 * (neither). `position`: where it stands in what its sensor said; later ones have a greater one, as text.
 */
export type Said = {
  position: string;
  receiveDate: number;
  message?: { raw: string /** Its number within the call. */; at: number };
  notice?: { uuid: string; notice: Notice };
};

/**
 * Messages that were received so much later (ms) than all that were judged were not judged, whatever their context says: a
 * queue that was made anew counts from the beginning. Clocks of hosts that accept differ by less.
 */
const NEW_QUEUE_AFTER = 10_000;

/** Was it judged before? A message that comes again has its old context in what its sensor said. */
export const wasJudged = ({ position, receiveDate }: Said, judged: Judged | undefined): boolean =>
  judged !== undefined && position <= judged.position && receiveDate <= judged.receiveDate + NEW_QUEUE_AFTER;

/** How far a sensor's messages are judged with these. */
export const judgedWith = (taken: readonly Said[], before: Judged | undefined): Judged | undefined => {
  const last = taken.at(-1);
  const dates = [before?.receiveDate ?? 0, ...taken.map(({ receiveDate }) => receiveDate)];
  return last && { position: last.position, receiveDate: Math.max(...dates) };
};

/** What a task brings, in its order. A notice that was told before brings nothing. */
export const saidBy = async (
  { store }: ProcessDeps,
  { task, sequence }: Received<ProcessMessages | ProcessNotice>,
): Promise<Said[]> => {
  const positionOf = (at: number) => `${sequence}#${String(at).padStart(3, '0')}`;
  if (task.type === 'process_notice') {
    const found = await store.events.notice(task.customerId, task.sensorId, task.uuid);
    if (!found) return [];
    const { notice, receiveDate } = found;
    return [{ position: positionOf(0), receiveDate, notice: { uuid: task.uuid, notice } }];
  }
  const { messages, receiveDate, first } = task;
  if (messages.length === 0) return [{ position: positionOf(0), receiveDate }];
  return messages.map((raw, at) => ({ position: positionOf(at), receiveDate, message: { raw, at: first + at } }));
};
