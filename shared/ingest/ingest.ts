import type { NotedCall } from '../domain/event/noted-call.ts';
import { noteContext, oneOrAll } from '../observability/log.ts';
import type { Deps } from '../runtime/deps.ts';
import { changesNothing, isNoted, isOfFalls } from './caught-up.ts';
import { isHeldBack, look } from './holding-back.ts';
import {
  deduplicationIdOf,
  messagesOf,
  type ReceivedMessage,
  type Refusal,
  type Sender,
  tasksOf,
  uuidsOf,
  type Warning,
  warningsOf,
} from './messages.ts';
import type { IngestDeps } from './uses.ts';

type Call = {
  messages?: readonly ReceivedMessage[];
  receiveDate?: number;
  noted?: NotedCall | undefined;
  until?: number;
};

/**
 * How long (ms) after a call began its messages may be queued. Whoever called has an answer by then: a process that was
 * frozen meanwhile must not put them behind newer ones.
 */
const TIME_TO_QUEUE = 20_000;

/** Makes durable that a device made a call, with the messages that it sent. */
export const accept = async (
  { enqueue, now }: Deps<'enqueue:events'>,
  device: Sender,
  { messages = [], receiveDate = now(), noted, until = now() + TIME_TO_QUEUE }: Call = {},
): Promise<void> => {
  const tasks = tasksOf(device, messages, receiveDate);
  for (const task of tasks) {
    const uuids = uuidsOf(messages, task);
    noteContext({ sensorId: device.sensorId, uuid: oneOrAll(uuids) });
    const isLast = task === tasks.at(-1) && noted !== undefined;
    await enqueue([isLast ? { ...task, noted } : task], {
      deduplicationId: deduplicationIdOf(task, uuids),
      until,
    });
  }
};

/** Notes a call before it is queued: from then on reports go through the queue, until this call is judged. */
const note = async ({ store, random, now, failpoint }: IngestDeps, { hash }: Sender) => {
  const noted = await store.devices.noteCall(hash, Buffer.from(random(6)).toString('base64url'), now());
  failpoint('ingest.noted');
  return noted;
};

/**
 * The one entry for messages of devices over any protocol: `text` is JSON, one message or an array of messages, received
 * at `receiveDate` (ms). Returns what of them was not understood, once all of them are durable, or judged already because
 * they change nothing; or the reason why none was taken. Throws QueueUnavailable, to be tried again.
 */
export const ingest = async (
  deps: IngestDeps,
  device: Sender,
  text: string,
  receiveDate = deps.now(),
): Promise<{ refusal: Refusal } | { warnings: readonly Warning[] }> => {
  const until = deps.now() + TIME_TO_QUEUE;
  const read = messagesOf(text, device, receiveDate);
  if ('refusal' in read) return read;
  noteContext({ sensorId: device.sensorId });
  deps.failpoint('ingest.read');
  const { messages } = read;
  if (!(await changesNothing(deps, device, messages, receiveDate))) {
    if (await isHeldBack(deps, device, isOfFalls(messages))) return { refusal: 'rate_limited' };
    const noted = isNoted(messages, device) ? await note(deps, device) : undefined;
    if (noted) await look(deps, device, noted);
    await accept(deps, device, { messages, receiveDate, noted, until });
  }
  // The canary must not hide that no device of a home sends messages.
  if (!device.isCanary) deps.measure('MessagesAccepted', messages.length);
  deps.failpoint('ingest.enqueued');
  return { warnings: warningsOf(messages) };
};
