import type { RecordedCall } from '../domain/event/recorded-call.ts';
import { addLogContext, oneOrMany } from '../observability/log.ts';
import type { Deps } from '../runtime/deps.ts';
import { holdBackIfBehind, isRejected } from './holding-back.ts';
import {
  deduplicationIdOf,
  parseMessages,
  type ReceivedMessage,
  type Rejection,
  type Sender,
  tasksOf,
  uuidsOf,
  type Warning,
  warningsOf,
} from './messages.ts';
import { changesNothing, mustRecordCall, reportsOnlyFalls } from './unchanged-reports.ts';
import type { IngestDeps } from './uses.ts';

type Call = {
  messages?: readonly ReceivedMessage[];
  receiveDate?: number;
  noted?: RecordedCall | undefined;
  until?: number;
};

/**
 * How long after the start of a call its messages may be queued. Later its caller already has a response, and a process that
 * was frozen meanwhile must not queue them behind newer ones.
 */
const QUEUE_WITHIN_MS = 20_000;

/** Queues the messages of a call; a call without messages still marks its device as online. */
export const queueCall = async (
  { enqueue, now }: Deps<'enqueue:events'>,
  device: Sender,
  { messages = [], receiveDate = now(), noted, until = now() + QUEUE_WITHIN_MS }: Call = {},
): Promise<void> => {
  const tasks = tasksOf(device, messages, receiveDate);
  for (const task of tasks) {
    const uuids = uuidsOf(messages, task);
    addLogContext({ sensorId: device.sensorId, uuid: oneOrMany(uuids) });
    const isLast = task === tasks.at(-1) && noted !== undefined;
    await enqueue([isLast ? { ...task, noted } : task], {
      deduplicationId: deduplicationIdOf(task, uuids),
      until,
    });
  }
};

/** Notes a call before it is queued. From now on reports go through the queue, until this call has been processed. */
const note = async ({ store, random, now, failpoint }: IngestDeps, { hash }: Sender) => {
  const noted = await store.devices.noteCall(hash, Buffer.from(random(6)).toString('base64url'), now());
  failpoint('ingest.noted');
  return noted;
};

/**
 * Accepts messages of a device, over any protocol. `text`: one JSON message or an array of them, received at `receiveDate`
 * (ms). Returns warnings about what was not understood, once all messages are durable or known to change nothing, or the
 * reason why the call was rejected. Throws QueueUnavailable, after which the call can be retried.
 */
export const ingest = async (
  deps: IngestDeps,
  device: Sender,
  text: string,
  receiveDate = deps.now(),
): Promise<{ refusal: Rejection } | { warnings: readonly Warning[] }> => {
  const until = deps.now() + QUEUE_WITHIN_MS;
  const read = parseMessages(text, device, receiveDate);
  if ('refusal' in read) return read;
  addLogContext({ sensorId: device.sensorId });
  deps.failpoint('ingest.read');
  const { messages } = read;
  if (!(await changesNothing(deps, device, messages, receiveDate))) {
    if (await isRejected(deps, device, reportsOnlyFalls(messages))) return { refusal: 'rate_limited' };
    const noted = mustRecordCall(messages, device) ? await note(deps, device) : undefined;
    if (noted) await holdBackIfBehind(deps, device, noted);
    await queueCall(deps, device, { messages, receiveDate, noted, until });
  }
  // The canary must not hide that no real device sends messages.
  if (!device.isCanary) deps.measure('MessagesAccepted', messages.length);
  deps.failpoint('ingest.enqueued');
  return { warnings: warningsOf(messages) };
};
