import type { SQSRecord } from 'aws-lambda';
import { oneOrAll } from '../observability/log.ts';

const IDS = ['customerId', 'sensorId', 'webhookId', 'deliveryId', 'replayId', 'hitId', 'uuid', 'requestId'];
/** Returns the ids in a task, by which all its log lines can be found. */
const idsOf = (task: unknown): Record<string, unknown> =>
  Object.fromEntries(Object.entries(Object(task)).filter(([name, id]) => IDS.includes(name) && id !== undefined));
/**
 * Returns the ids of several tasks; an id that differs among them becomes a list. A task that does not follow from a call
 * is known by the id of its message.
 */
export const idsOfAll = (tasks: readonly { messageId: string; task: unknown }[]) => {
  const all = tasks.map(({ messageId, task }): Record<string, unknown> => ({ requestId: messageId, ...idsOf(task) }));
  return Object.fromEntries(
    [...new Set(all.flatMap(Object.keys))].map((name) => [name, oneOrAll(all.map((ids) => ids[name]))]),
  );
};

/** Returns the ids of messages before they are parsed: of a message that cannot be parsed nothing else is known. */
export const idsOfMessages = (records: readonly SQSRecord[]) => {
  const messageId = oneOrAll(records.map((record) => record.messageId));
  return { messageId, requestId: messageId };
};
