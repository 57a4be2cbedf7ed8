import { isInexact, parseJson } from '../api/http/json.ts';
import { messageUuid, type TrustedMessage } from '../domain/event/message.ts';
import { MESSAGE_LIMITS, splitMessages } from '../domain/event/raw.ts';
import { hashOf } from '../domain/ids.ts';
import { decodeText } from '../domain/makers/decoders.ts';
import type { CallingDevice } from '../domain/sensor/sensor.ts';
import type { ProcessMessages } from '../queue/task.ts';

/** The device that sends messages, identified by token or MQTT topic. */
export type Sender = CallingDevice;

const isObject = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !isInexact(value);

/**
 * Why a whole call is rejected: it is not JSON, it has too many messages, a message is not an object or too large, or
 * the device has too many pending calls.
 */
export type Rejection = 'json' | 'items' | 'type' | 'too_large' | 'rate_limited';

/** The text and decoded content of a message in a call. */
export type ReceivedMessage = { raw: string; decoded: TrustedMessage };

/** Splits the text of a call into messages and decodes them, or returns why the call is rejected. */
export const parseMessages = (
  text: string,
  { manufacturer }: Pick<Sender, 'manufacturer'>,
  receiveDate: number,
): { messages: ReceivedMessage[] } | { refusal: Exclude<Rejection, 'rate_limited'> } => {
  const parsed = parseJson(text);
  if ('problem' in parsed) return { refusal: 'json' };
  const values = Array.isArray(parsed.value) ? parsed.value : [parsed.value];
  if (values.length > MESSAGE_LIMITS.count) return { refusal: 'items' };
  if (!values.every(isObject)) return { refusal: 'type' };
  const raw = splitMessages(text);
  if (raw.some((text) => Buffer.byteLength(text) > MESSAGE_LIMITS.bytes)) return { refusal: 'too_large' };
  return { messages: raw.map((json) => ({ raw: json, decoded: decodeText(manufacturer, json, receiveDate) })) };
};

/** A problem with a stored message: an unknown kind, or a field of the wrong type. */
export type Warning = { index: number; message: string };
const MAX_WARNINGS = 20;
const UNKNOWN = 'unknown kind of message, or its required fields are missing; the message is stored without effect';

/** Returns warnings about messages in a call that were not fully understood. */
export const warningsOf = (received: readonly ReceivedMessage[]): Warning[] =>
  received
    .flatMap(({ decoded: { signal, wrong } }, index) => [
      ...(signal.kind === 'unknown' ? [{ index, message: UNKNOWN }] : []),
      ...wrong.map((path) => ({ index, message: `${path} does not match the documentation and is ignored` })),
    ])
    .slice(0, MAX_WARNINGS);

/**
 * The maximum size (bytes) of the messages in one task. Escaped as JSON strings, they fit into the 1 MiB allowed for an
 * SQS message.
 */
const TASK_BYTES = 450_000;

/** Returns as few tasks as possible for a call, with the messages in order. */
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

/** Identical calls within this time (ms) are queued only once. */
const DUPLICATE_WITHIN_MS = 60_000;

/** Returns the UUIDs of the messages in a task. `received`: all messages in the call. */
export const uuidsOf = (
  received: readonly ReceivedMessage[],
  { sensorId, receiveDate, first, messages }: ProcessMessages,
): string[] =>
  received
    .slice(first, first + messages.length)
    .map(({ raw, decoded }, at) => messageUuid(sensorId, decoded, raw, [receiveDate, first + at]));

/**
 * Returns the SQS deduplication id for a task. It is derived from message UUIDs and bytes, because a device may reuse a
 * UUID. A message that cannot be identified is never a duplicate, so a task with such a message is always new.
 */
export const deduplicationIdOf = (
  { customerId, sensorId, receiveDate, messages }: ProcessMessages,
  uuids: readonly string[],
): string => {
  const time = messages.length === 0 ? receiveDate : Math.floor(receiveDate / DUPLICATE_WITHIN_MS);
  // Messages for a new owner are never deduplicated against those for the previous owner.
  return hashOf(JSON.stringify([customerId, sensorId, time, uuids, messages]));
};
