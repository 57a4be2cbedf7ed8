import { type Credible, credible } from '#shared/domain/event/message.ts';
import { type JudgedRun, type NotedCall, runWith } from '#shared/domain/event/noted-call.ts';
import { decoders } from '#shared/domain/makers/decoders.ts';
import type { ProcessMessages, ProcessNotice } from '#shared/queue/task.ts';
import type { NoticeItem } from '#shared/store/sensors/events.ts';
import type { JudgedPosition } from '#shared/store/sensors/states.ts';
import type { Received } from '#shared/worker/consume.ts';
import type { ProcessDeps } from './sensor-context.ts';

/**
 * One thing to be judged: a message of a device, a notice of the service, or neither when the device only made a call.
 * `position` is its place in the order of its sensor: compared as text, a later one is greater.
 */
export type SensorInput = {
  position: string;
  receiveDate: number;
  /** `at`: its number within the call. It is decoded once, here. */
  message?: { raw: string; at: number; decoded: Credible };
  notice?: NoticeItem & { uuid: string };
  /** The call that brought it. */
  requestId?: string | undefined;
  /** The call whose last message this is. */
  noted?: NotedCall | undefined;
};

/**
 * A message that was received so much later (ms) than all judged ones counts as new, whatever its position says: a queue
 * that was created again numbers its messages from the beginning. The clocks of accepting hosts differ by less.
 */
const NEW_QUEUE_AFTER = 10_000;

/** Was it judged before? A message that comes again has its old position in the order of its sensor. */
export const wasJudged = ({ position, receiveDate }: SensorInput, judged: JudgedPosition | undefined): boolean =>
  judged !== undefined && position <= judged.position && receiveDate <= judged.receiveDate + NEW_QUEUE_AFTER;

/** Up to which message a sensor is judged, once these are. */
export const judgedUpTo = (
  taken: readonly SensorInput[],
  before: JudgedPosition | undefined,
): JudgedPosition | undefined => {
  const last = taken.at(-1);
  const calls = taken.flatMap(({ noted }) => noted ?? []);
  const run = calls.reduce<JudgedRun | undefined>(runWith, before?.run);
  const dates = [before?.receiveDate ?? 0, ...taken.map(({ receiveDate }) => receiveDate)];
  return last && { position: last.position, receiveDate: Math.max(...dates), ...(run && { run }) };
};

/** The messages of a task in their order. A notice that was processed before gives none. */
export const inputsOf = async (
  { store }: ProcessDeps,
  { task, sequence }: Received<ProcessMessages | ProcessNotice>,
): Promise<SensorInput[]> => {
  const positionOf = (at: number) => `${sequence}#${String(at).padStart(3, '0')}`;
  const { requestId } = task;
  if (task.type === 'process_notice') {
    const found = await store.events.notice(task.customerId, task.sensorId, task.uuid);
    if (!found) return [];
    return [
      { position: positionOf(0), receiveDate: found.receiveDate, notice: { ...found, uuid: task.uuid }, requestId },
    ];
  }
  const { manufacturer, messages, receiveDate, first, noted } = task;
  const decode = decoders[manufacturer];
  if (messages.length === 0) return [{ position: positionOf(0), receiveDate, requestId, noted }];
  return messages.map((raw, at) => ({
    position: positionOf(at),
    receiveDate,
    requestId,
    message: { raw, at: first + at, decoded: credible(decode(JSON.parse(raw)), receiveDate) },
    ...(at === messages.length - 1 && { noted }),
  }));
};
