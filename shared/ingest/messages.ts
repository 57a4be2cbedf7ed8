import { INEXACT, parseJson } from '../api/http/json.ts';
import { type Credible, credible, messageUuid } from '../domain/event/message.ts';
import { MESSAGES, messagesIn } from '../domain/event/raw.ts';
import { hashOf } from '../domain/ids.ts';
import { decoders } from '../domain/makers/decoders.ts';
import type { CallingDevice } from '../domain/sensor/sensor.ts';
import type { ProcessMessages } from '../queue/task.ts';

/** The device that sends messages, as its token or its MQTT topic tells. */
export type Sender = CallingDevice;

const isObject = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && value !== INEXACT;

/**
 * Why a whole call is refused: it is not JSON, has too many messages, or one that is not an object or too large; or too
 * many calls of the device wait.
 */
export type Refusal = 'json' | 'items' | 'type' | 'too_large' | 'rate_limited';

/** A message of a call: its own bytes as text, and what they say. */
export type ReceivedMessage = { raw: string; decoded: Credible };

/** Splits the text of a call into its messages, and decodes them, or returns why the call is refused. */
export const messagesOf = (
  text: string,
  { manufacturer }: Pick<Sender, 'manufacturer'>,
  receiveDate: number,
): { messages: ReceivedMessage[] } | { refusal: Exclude<Refusal, 'rate_limited'> } => {
  const parsed = parseJson(text);
  if ('problem' in parsed) return { refusal: 'json' };
  const values = Array.isArray(parsed.value) ? parsed.value : [parsed.value];
  if (values.length > MESSAGES.count) return { refusal: 'items' };
  if (!values.every(isObject)) return { refusal: 'type' };
  const raw = messagesIn(text);
  if (raw.some((text) => Buffer.byteLength(text) > MESSAGES.bytes)) return { refusal: 'too_large' };
  const decode = (json: string) => credible(decoders[manufacturer](JSON.parse(json)), receiveDate);
  return { messages: raw.map((bytes) => ({ raw: bytes, decoded: decode(bytes) })) };
};

/** What of a call was not understood, though it is kept: a message of an unknown kind, a field of a wrong type. */
export type Warning = { index: number; message: string };
/** A device gets so many warnings for a call at the most. */
const WARNINGS = 20;
const UNKNOWN = 'is of an unknown kind, or lacks what its kind is about: it is kept and means nothing';

/** Gives what of the messages of a call was not understood. */
export const warningsOf = (received: readonly ReceivedMessage[]): Warning[] =>
  received
    .flatMap(({ decoded: { signal, wrong } }, index) => [
      ...(signal.kind === 'unknown' ? [{ index, message: UNKNOWN }] : []),
      ...wrong.map((path) => ({ index, message: `${path} is not as it is documented, and is left out` })),
    ])
    .slice(0, WARNINGS);

/** The most bytes of messages in one task: escaped as JSON strings they are 1 MiB at most, as much as SQS takes. */
const TASK_BYTES = 450_000;

/** The tasks of one call: its messages in their order, in as few tasks as can hold them. */
export const tasksOf = (
  { customerId, sensorId, manufacturer }: Sender,
  received: readonly ReceivedMessage[],
  receiveDate: number,
): ProcessMessages[] => {
  const taskFrom = (first: number): ProcessMessages => ({
    type: 'process_messages',
    customerId,
    sensorId,
    manufacturer,
    receiveDate,
    first,
    messages: [],
  });
  const tasks = [taskFrom(0)];
  let bytes = 0;
  for (const [at, { raw: json }] of received.entries()) {
    const size = Buffer.byteLength(json);
    if (at > 0 && bytes + size > TASK_BYTES) {
      tasks.push(taskFrom(at));
      bytes = 0;
    }
    tasks.at(-1)?.messages.push(json);
    bytes += size;
  }
  return tasks;
};

/** The same call is enqueued once within so many ms. A device that repeats itself for longer is heard again. */
const REPEATED_WITHIN = 60_000;

/** The UUIDs of the messages of a task, out of those of its call. */
export const uuidsOf = (
  received: readonly ReceivedMessage[],
  { sensorId, receiveDate, first, messages }: ProcessMessages,
): string[] =>
  received
    .slice(first, first + messages.length)
    .map(({ raw, decoded }, at) => messageUuid(sensorId, decoded, raw, [receiveDate, first + at]));

/**
 * The deduplication id of a task for SQS, made of the UUIDs of its messages. A message without anything that identifies
 * it is never the same as another, so a task with such a message is always new.
 */
export const deduplicationIdOf = (
  { customerId, sensorId, receiveDate, messages }: ProcessMessages,
  uuids: readonly string[],
): string => {
  const time = messages.length === 0 ? receiveDate : Math.floor(receiveDate / REPEATED_WITHIN);
  // Who has a sensor since a moment ago knows of nothing that it said before.
  return hashOf(JSON.stringify([customerId, sensorId, time, uuids]));
};
