import type { Deps } from '../deps.ts';
import type { NotedCall } from '../domain/noted-call.ts';
import { noteContext, oneOrAll } from '../log.ts';
import { changesNothing, isNoted } from './caught-up.ts';
import { deduplicationIdOf, messagesOf, type Refusal, type Sender, tasksOf, uuidsOf } from './messages.ts';
import type { IngestDeps } from './uses.ts';

type Call = { messages?: readonly string[]; receiveDate?: number; noted?: NotedCall | undefined };

/** Makes durable that a device made a call, with the messages that it sent. */
export const accept = async (
  { enqueue, now }: Deps<'enqueue:events'>,
  device: Sender,
  { messages = [], receiveDate = now(), noted }: Call = {},
): Promise<void> => {
  const tasks = tasksOf(device, messages, receiveDate);
  for (const task of tasks) {
    const uuids = uuidsOf(device, task);
    noteContext({ sensorId: device.sensorId, uuid: oneOrAll(uuids) });
    const isLast = task === tasks.at(-1) && noted !== undefined;
    await enqueue([isLast ? { ...task, noted } : task], { deduplicationId: deduplicationIdOf(task, uuids) });
  }
};

/** Notes a call before it is queued: from then on reports go through the queue, until this call is judged. */
const note = async ({ store, random, now, failpoint }: IngestDeps, { hash }: Sender) => {
  const noted = await store.sensors.noteCall(hash, Buffer.from(random(6)).toString('base64url'), now());
  failpoint('ingest.noted');
  return noted;
};

/**
 * The one entry for messages of devices over any protocol: `text` is JSON, one message or an array of messages, received
 * at `receiveDate` (ms). Returns null once all of them are durable, or judged already because they change nothing; or the
 * reason why none was taken. Throws QueueUnavailable, to be tried again.
 */
export const ingest = async (
  deps: IngestDeps,
  device: Sender,
  text: string,
  receiveDate = deps.now(),
): Promise<Refusal | null> => {
  const read = messagesOf(text);
  if ('refusal' in read) return read.refusal;
  noteContext({ sensorId: device.sensorId });
  deps.failpoint('ingest.read');
  if (!(await changesNothing(deps, device, read.raw, receiveDate))) {
    const noted = isNoted(device, read.raw) ? await note(deps, device) : undefined;
    await accept(deps, device, { messages: read.raw, receiveDate, noted });
  }
  deps.measure('MessagesAccepted', read.raw.length);
  deps.failpoint('ingest.enqueued');
  return null;
};
