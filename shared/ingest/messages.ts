import { INEXACT, parseJson } from '../api/json.ts';
import { hashOf } from '../domain/ids.ts';
import { decoders } from '../domain/makers/decoders.ts';
import { messageUuid } from '../domain/message.ts';
import { MESSAGES, messagesIn } from '../domain/raw.ts';
import type { Device } from '../domain/sensor.ts';
import type { ProcessMessages } from '../queue/task.ts';

/** The device that sends messages, as its token or its MQTT topic tells. */
export type Sender = Device;

const isObject = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && value !== INEXACT;

/** Why a whole call is refused: it is not JSON, has too many messages, or one that is not an object or too large. */
export type Refusal = 'json' | 'items' | 'type' | 'too_large';

/** Splits the text of a call into the texts of its messages, or returns why the call is refused. */
export const messagesOf = (text: string): { raw: string[] } | { refusal: Refusal } => {
  const parsed = parseJson(text);
  if ('problem' in parsed) return { refusal: 'json' };
  const values = Array.isArray(parsed.value) ? parsed.value : [parsed.value];
  if (values.length > MESSAGES.count) return { refusal: 'items' };
  if (!values.every(isObject)) return { refusal: 'type' };
  const raw = messagesIn(text);
  return raw.some((one) => Buffer.byteLength(one) > MESSAGES.bytes) ? { refusal: 'too_large' } : { raw };
};

/** The most bytes of messages in one task: escaped as JSON strings they are 1 MiB at most, as much as SQS takes. */
const TASK_BYTES = 450_000;

/** The tasks of one call: its messages in their order, in as few tasks as can hold them. */
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

/** The same call is enqueued once within so many ms. A device that repeats itself for longer is heard again. */
const REPEATED_WITHIN = 60_000;

/** The UUIDs of the messages of a task. */
export const uuidsOf = (
  { manufacturer }: Sender,
  { sensorId, receiveDate, first, messages }: ProcessMessages,
): string[] =>
  messages.map((raw, at) =>
    messageUuid(sensorId, decoders[manufacturer](JSON.parse(raw)), raw, [receiveDate, first + at]),
  );

/**
 * The deduplication id of a task for SQS, made of the UUIDs of its messages. A message without anything that identifies
 * it is never the same as another, so a task with such a message is always new.
 */
export const deduplicationIdOf = (
  { sensorId, receiveDate, messages }: ProcessMessages,
  uuids: readonly string[],
): string => {
  const time = messages.length === 0 ? receiveDate : Math.floor(receiveDate / REPEATED_WITHIN);
  return hashOf(JSON.stringify([sensorId, time, uuids]));
};
