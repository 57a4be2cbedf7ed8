import type { Signal, TrustedMessage } from '#shared/domain/event/message.ts';
import { type ProcessedRun, type RecordedCall, runWith } from '#shared/domain/event/recorded-call.ts';
import { decodeText } from '#shared/domain/makers/decoders.ts';
import { isFuture } from '#shared/domain/state/clock.ts';
import type { ProcessMessages, ProcessNotice } from '#shared/queue/task.ts';
import type { NoticeItem } from '#shared/store/sensors/events.ts';
import type { ProcessedPosition } from '#shared/store/sensors/state-item.ts';
import type { Received } from '#shared/worker/consume.ts';
import type { ProcessDeps } from './context.ts';

/** A received task with messages of a device or a notice of the service. */
export type MessageTask = Received<ProcessMessages | ProcessNotice>;

type Origin = {
  /** The task that is done once all of its inputs are judged. */
  received: MessageTask;
  /** The position in the order of the sensor's inputs. Compared as text, later positions are greater. */
  position: string;
  receiveDate: number;
  /** The id of the API call that it came with. */
  requestId?: string | undefined;
  /** The recorded call that ends with this message. */
  noted?: RecordedCall | undefined;
};
/** A message of a device, decoded; `at` is its number within the call. */
export type MessageInput = Origin & { kind: 'message'; raw: string; at: number; decoded: TrustedMessage };
/** A notice of the service about a sensor. */
export type NoticeInput = Origin & { kind: 'notice'; uuid: string; notice: NoticeItem };
/** A call of a device without a message. */
type CallInput = Origin & { kind: 'call' };
/** One input to be judged. */
export type SensorInput = MessageInput | NoticeInput | CallInput;

/** Returns the inputs of one task in order. A notice that was processed before has no inputs. */
const readTask = async ({ store }: ProcessDeps, received: MessageTask): Promise<SensorInput[]> => {
  const { task, sequence } = received;
  const positionOf = (at: number) => `${sequence}#${String(at).padStart(3, '0')}`;
  const { requestId } = task;
  if (task.type === 'process_notice') {
    const { customerId, sensorId, uuid } = task;
    const notice = await store.events.notice(customerId, sensorId, uuid);
    if (!notice) return [];
    const { receiveDate } = notice;
    return [{ kind: 'notice', received, position: positionOf(0), receiveDate, requestId, uuid, notice }];
  }
  const { manufacturer, messages, receiveDate, first, noted } = task;
  if (messages.length === 0)
    return [{ kind: 'call', received, position: positionOf(0), receiveDate, requestId, noted }];
  return messages.map((raw, at) => ({
    kind: 'message',
    received,
    position: positionOf(at),
    receiveDate,
    requestId,
    raw,
    at: first + at,
    decoded: decodeText(manufacturer, raw, receiveDate),
    ...(at === messages.length - 1 && { noted }),
  }));
};

/** Reads the inputs of tasks in order. */
export const readInputs = async (deps: ProcessDeps, tasks: readonly MessageTask[]): Promise<SensorInput[]> =>
  (await Promise.all(tasks.map((received) => readTask(deps, received)))).flat();

const alarming = new Set<Signal['kind']>(['fall', 'bed_exit']);
/** Whether an input is likely to create an event, so that everything an alarm needs is read in one go. */
export const isLikelyEvent = (input: SensorInput): boolean =>
  input.kind === 'notice' || (input.kind === 'message' && alarming.has(input.decoded.signal.kind));

/**
 * A message received this much later (ms) than all judged ones counts as new, whatever its position: a queue that was
 * recreated numbers its messages from the start. The clocks of accepting hosts differ by less.
 */
const NEW_QUEUE_AFTER = 10_000;

/** Whether an input was judged before. A message that is received twice has the same position. */
export const wasJudged = ({ position, receiveDate }: SensorInput, judged: ProcessedPosition | undefined): boolean =>
  judged !== undefined && position <= judged.position && receiveDate <= judged.receiveDate + NEW_QUEUE_AFTER;

/**
 * Whether a decision from these inputs may be stored but not applied: they were received before, or accepted no later
 * than the judged ones. (SQS restarts the receive count of a redriven dead letter.)
 */
export const mayHaveDecision = (inputs: readonly SensorInput[], judged: ProcessedPosition | undefined): boolean =>
  inputs.some(({ received, receiveDate }) => received.receives > 1 || (judged && receiveDate <= judged.receiveDate));

/** Returns the position up to which the messages of a sensor are judged at `now` (ms), including these inputs. */
export const judgedUpTo = (
  inputs: readonly SensorInput[],
  before: ProcessedPosition | undefined,
  now: number,
): ProcessedPosition | undefined => {
  const last = inputs.at(-1);
  const calls = inputs.flatMap(({ noted }) => noted ?? []);
  const run = calls.reduce<ProcessedRun | undefined>(runWith, before?.run);
  const earlier = before && !isFuture(before.receiveDate, now) ? before.receiveDate : 0;
  const dates = [earlier, ...inputs.map(({ receiveDate }) => receiveDate)];
  return last && { position: last.position, receiveDate: Math.max(...dates), ...(run && { run }) };
};
