import type { SQSRecord } from 'aws-lambda';
import { oneOrMany } from '../observability/log.ts';

const ID_NAMES = ['customerId', 'sensorId', 'webhookId', 'deliveryId', 'replayId', 'hitId', 'uuid', 'requestId'];
/** Returns the ids in a task by which its log lines can be found. */
const idsOf = (task: unknown): Record<string, unknown> =>
  Object.fromEntries(Object.entries(Object(task)).filter(([name, id]) => ID_NAMES.includes(name) && id !== undefined));
/**
 * Returns the ids of several tasks; an id that differs between them becomes a list. The `requestId` of a task that was not
 * caused by a call is the id of its message.
 */
export const taskIds = (tasks: readonly { messageId: string; task: unknown }[]) => {
  const idsOfEach = tasks.map(
    ({ messageId, task }): Record<string, unknown> => ({ requestId: messageId, ...idsOf(task) }),
  );
  return Object.fromEntries(
    [...new Set(idsOfEach.flatMap(Object.keys))].map((name) => [name, oneOrMany(idsOfEach.map((ids) => ids[name]))]),
  );
};

/** Returns the ids of messages before they are parsed: nothing else is known about one that cannot be parsed. */
export const messageIds = (records: readonly SQSRecord[]) => {
  const messageId = oneOrMany(records.map((record) => record.messageId));
  return { messageId, requestId: messageId };
};
