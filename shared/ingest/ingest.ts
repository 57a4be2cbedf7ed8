import type { Deps } from '../deps.ts';
import { deduplicationIdOf, messagesOf, type Refusal, type Sender, tasksOf } from './messages.ts';

/** Accepts that a device was heard of, which is durable then, with the messages that it brought. */
export const accept = async (
  { enqueue, now }: Deps<'enqueue:events'>,
  device: Sender,
  messages: readonly string[] = [],
): Promise<void> => {
  for (const task of tasksOf(device, messages, now()))
    await enqueue([task], { deduplicationId: deduplicationIdOf(device, task) });
};

/**
 * The one way in for messages of devices, whatever carries them: `text` is one message or an array of them. Null once
 * all of them are durable; else why none of them was taken. Throws QueueUnavailable: it is to be tried again then.
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
