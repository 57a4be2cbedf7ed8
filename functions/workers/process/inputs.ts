import type { Signal, TrustedMessage } from '#shared/domain/event/message.ts';
import { type ProcessedRun, type RecordedCall, runWith } from '#shared/domain/event/recorded-call.ts';
import { decodeText } from '#shared/domain/makers/decoders.ts';
import { isFuture } from '#shared/domain/state/clock.ts';
import type { ProcessMessages, ProcessNotice } from '#shared/queue/task.ts';
import type { NoticeItem } from '#shared/store/sensors/events.ts';
import type { ProcessedPosition } from '#shared/store/sensors/state-item.ts';
import type { Received } from '#shared/worker/consume.ts';
import type { ProcessDeps } from './context.ts';

/** A received task with device messages or a service notice. */
export type MessageTask = Received<ProcessMessages | ProcessNotice>;

type Origin = {
  /** The task, which is done once all its inputs are judged. */
  received: MessageTask;
  /** The position in the input order for the sensor. Later positions are greater when compared as text. */
  position: string;
  receiveDate: number;
  /** The id of the API request that sent the input. */
  requestId?: string | undefined;
  /** The recorded call that ends with this message. */
  noted?: RecordedCall | undefined;
};
/** A decoded device message. `at` is the message number within the call. */
export type MessageInput = Origin & { kind: 'message'; raw: string; at: number; decoded: TrustedMessage };
/** A notice from the service about a sensor. */
export type NoticeInput = Origin & { kind: 'notice'; uuid: string; notice: NoticeItem };
/** A device call without a message. */
type CallInput = Origin & { kind: 'call' };
/** A single input to judge. */
export type SensorInput = MessageInput | NoticeInput | CallInput;

/** Returns a task's inputs in order. A notice that has already been processed has no inputs. */
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

/** Reads task inputs in order. */
export const readInputs = async (deps: ProcessDeps, tasks: readonly MessageTask[]): Promise<SensorInput[]> =>
  (await Promise.all(tasks.map((received) => readTask(deps, received)))).flat();

const alarming = new Set<Signal['kind']>(['fall', 'bed_exit']);
/** Whether an input is likely to create an event, in which case everything an alarm needs is read at once. */
export const isLikelyEvent = (input: SensorInput): boolean =>
  input.kind === 'notice' || (input.kind === 'message' && alarming.has(input.decoded.signal.kind));

/**
 * A message received this much later (ms) than all judged messages counts as new, whatever its position. A recreated
 * queue restarts its message numbering. The clocks of the accepting hosts differ by less than this.
 */
const NEW_QUEUE_AFTER = 10_000;

/** Whether an input has already been judged. A message received twice has the same position. */
export const wasJudged = ({ position, receiveDate }: SensorInput, judged: ProcessedPosition | undefined): boolean =>
  judged !== undefined && position <= judged.position && receiveDate <= judged.receiveDate + NEW_QUEUE_AFTER;

/**
 * Whether a decision from these inputs may be stored but not applied. That is possible if an input was received from
 * the queue before, or was accepted no later than the latest judged input. (SQS restarts the receive count of a
 * redriven dead letter.)
 */
export const mayHaveDecision = (inputs: readonly SensorInput[], judged: ProcessedPosition | undefined): boolean =>
  inputs.some(({ received, receiveDate }) => received.receives > 1 || (judged && receiveDate <= judged.receiveDate));

/** Returns the position up to which messages from a sensor are judged at `now` (ms), including these inputs. */
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
