import { SendMessageBatchCommand, SQSClient, type SQSClientConfig } from '@aws-sdk/client-sqs';
import type { QueueName } from '../capabilities.ts';
import { transport, withFreshSockets } from '../transport.ts';
import type { Bell } from './bell.ts';

/** Puts bells on a queue. Throws when any of them was not taken. */
export type Send = (queue: QueueName, bells: readonly Bell[]) => Promise<void>;

/** https://docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference/API_SendMessageBatch.html */
const BATCH = 10;

/** Sends over SQS. Bells of one customer or webhook share a group id: on a standard queue that makes the queue fair. */
export const sendBySqs = (config: SQSClientConfig, urls: Record<QueueName, string>): Send => {
  const client = withFreshSockets(new SQSClient({ requestHandler: transport(), ...config }));
  return async (queue, bells) => {
    for (let at = 0; at < bells.length; at += BATCH) {
      const Entries = bells.slice(at, at + BATCH).map(({ body, delaySeconds, groupId }, index) => ({
        Id: String(index),
        MessageBody: body,
        MessageGroupId: groupId,
        ...(delaySeconds > 0 && { DelaySeconds: delaySeconds }),
      }));
      const answer = await client.send(new SendMessageBatchCommand({ QueueUrl: urls[queue], Entries }));
      if (answer.Failed?.length) throw new Error(`${answer.Failed.length} messages were not taken by ${queue}`);
    }
  };
};
