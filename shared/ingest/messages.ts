import { parseJson } from '../api/json.ts';
import { hashOf } from '../domain/ids.ts';
import { makers } from '../domain/makers/makers.ts';
import { messageUuid } from '../domain/message.ts';
import { MESSAGES, messagesIn } from '../domain/raw.ts';
import type { Device } from '../domain/sensor.ts';
import type { ProcessMessages } from '../queue/task.ts';

/** Whose messages they are: what its token opens, or its topic. */
export type Sender = Omit<Device, 'hash'>;

const isObject = (value: unknown): boolean => typeof value === 'object' && value !== null && !Array.isArray(value);

/** Why nothing of a call can be kept: no JSON, too many messages, one that is no object, one that is too large. */
export type Refusal = 'json' | 'items' | 'type' | 'too_large';

/** Splits a call of a device into its messages, or says why none of it can be kept. */
export const messagesOf = (text: string): { raw: string[] } | { refusal: Refusal } => {
  const parsed = parseJson(text);
  if ('problem' in parsed) return { refusal: 'json' };
  const values = Array.isArray(parsed.value) ? parsed.value : [parsed.value];
  if (values.length > MESSAGES.count) return { refusal: 'items' };
  if (!values.every(isObject)) return { refusal: 'type' };
  const raw = messagesIn(text);
  return raw.some((one) => Buffer.byteLength(one) > MESSAGES.bytes) ? { refusal: 'too_large' } : { raw };
};

/** So many bytes of messages go into one task: as JSON text, with all that must be escaped, they are 1 MiB at most. */
const TASK_BYTES = 450_000;

/** The tasks that a call of a device makes: its messages in their order, in as few as hold them. */
export const tasksOf = (
  { customerId, sensorId, manufacturer }: Sender,
  raw: readonly string[],
  receiveDate: number,
): ProcessMessages[] => {
  const taskFrom = (first: number): ProcessMessages => ({
    ...{ type: 'process_messages', customerId, sensorId, manufacturer, receiveDate, first, messages: [] },
  });
  const tasks = [taskFrom(0)];
  let bytes = 0;
  for (const [at, one] of raw.entries()) {
    const size = Buffer.byteLength(one);
    if (at > 0 && bytes + size > TASK_BYTES) {
      tasks.push(taskFrom(at));
      bytes = 0;
    }
    tasks.at(-1)?.messages.push(one);
    bytes += size;
  }
  return tasks;
};

/** A call that comes again within so many ms is dropped by its queue; rarely enough that a device which repeats itself is heard. */
const REPEATED_WITHIN = 60_000;

/**
 * What tells SQS that a task is a repetition: the UUIDs of its messages. One that nothing identifies is never the same
 * as another, so that with it the task is new.
 */
export const deduplicationIdOf = (
  { manufacturer }: Sender,
  { sensorId, receiveDate, first, messages }: ProcessMessages,
): string => {
  const uuids = messages.map((raw, at) =>
    messageUuid(sensorId, makers[manufacturer].decode(JSON.parse(raw)), raw, [receiveDate, first + at]),
  );
  const time = messages.length === 0 ? receiveDate : Math.floor(receiveDate / REPEATED_WITHIN);
  return hashOf(JSON.stringify([sensorId, time, uuids]));
};
