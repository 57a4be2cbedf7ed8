import type { Deps } from '../deps.ts';
import { noteContext, oneOrAll } from '../log.ts';
import { deduplicationIdOf, messagesOf, type Refusal, type Sender, tasksOf, uuidsOf } from './messages.ts';

/** Makes durable that a device made a call, with the messages that it sent. */
export const accept = async (
  { enqueue, now }: Deps<'enqueue:events'>,
  device: Sender,
  messages: readonly string[] = [],
): Promise<void> => {
  for (const task of tasksOf(device, messages, now())) {
    const uuids = uuidsOf(device, task);
    noteContext({ sensorId: device.sensorId, uuid: oneOrAll(uuids) });
    await enqueue([task], { deduplicationId: deduplicationIdOf(task, uuids) });
  }
};

/**
 * The one entry for messages of devices over any protocol: `text` is JSON, one message or an array of messages. Returns
 * null once all of them are durable, or the reason why none was taken. Throws QueueUnavailable, to be tried again.
 */
export const ingest = async (
  deps: Deps<'enqueue:events' | 'measure'>,
  device: Sender,
  text: string,
): Promise<Refusal | null> => {
  const read = messagesOf(text);
  if ('refusal' in read) return read.refusal;
  deps.failpoint('ingest.read');
  await accept(deps, device, read.raw);
  deps.measure('MessagesAccepted', read.raw.length);
  deps.failpoint('ingest.enqueued');
  return null;
};
