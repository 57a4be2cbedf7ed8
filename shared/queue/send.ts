import { transport, withFreshSockets } from '../aws/transport.ts';
import type { Outgoing } from './encode.ts';
import type { QueueName } from './names.ts';
import {
  ChangeMessageVisibilityBatchCommand,
  GetQueueAttributesCommand,
  SendMessageBatchCommand,
  SQSClient,
  type SQSClientConfig,
  StartMessageMoveTaskCommand,
} from './sdk.ts';

/** The queues of a host. */
export type Queues = {
  /** Sends messages to a queue in their order. Rejects if the queue did not take all of them. */
  send: (queue: QueueName, messages: readonly Outgoing[]) => Promise<void>;
  /** Makes messages that were received from the queue with this ARN visible again after the given seconds. */
  hide: (arn: string, receiptHandles: readonly string[], seconds: number) => Promise<void>;
  /** Starts to move the messages of a queue's dead-letter queue back to the queue. */
  redrive: (queue: QueueName) => Promise<void>;
};

/**
 * The limits of one call.
 * https://docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference/API_SendMessageBatch.html
 */
const BATCH = { count: 10, bytes: 1_048_576 };

/** Splits messages into batches that SQS takes in one call: at most 10 messages and 1 MiB each. */
const batchesOf = (messages: readonly Outgoing[]): Outgoing[][] => {
  const batches: Outgoing[][] = [];
  let bytes = 0;
  for (const message of messages) {
    const size = Buffer.byteLength(message.body);
    const last = batches.at(-1);
    if (last && last.length < BATCH.count && bytes + size <= BATCH.bytes) {
      last.push(message);
      bytes += size;
    } else {
      batches.push([message]);
      bytes = size;
    }
  }
  return batches;
};

const entryOf = ({ body, delaySeconds, groupId, deduplicationId }: Outgoing, index: number) => ({
  Id: String(index),
  MessageBody: body,
  MessageGroupId: groupId,
  ...(deduplicationId !== undefined && { MessageDeduplicationId: deduplicationId }),
  ...(delaySeconds > 0 && { DelaySeconds: delaySeconds }),
});

/** Lets no try of a command begin when it is too late: a process may have been frozen amid its retries. */
const inTime = (
  command: SendMessageBatchCommand,
  messages: readonly Outgoing[],
  now: () => number,
): SendMessageBatchCommand => {
  const until = Math.min(...messages.map((message) => message.until ?? Number.POSITIVE_INFINITY));
  if (until === Number.POSITIVE_INFINITY) return command;
  command.middlewareStack.add(
    (next) => (args) => {
      if (now() > until) throw new Error('it is too late to send it');
      return next(args);
    },
    // Behind the retries, so it is called for each try.
    { step: 'finalizeRequest', priority: 'low', name: 'inTime' },
  );
  return command;
};

/** Gives the ARN of a queue with this URL. */
const arnOf = (url: string, region: string): string => {
  const [account, name] = new URL(url).pathname.split('/').slice(-2);
  return `arn:aws:sqs:${region}:${account}:${name}`;
};

/** Makes the queues of SQS. The group of a message makes a standard queue fair, and keeps the order on a FIFO queue. */
export const queuesBySqs = (
  config: SQSClientConfig & { region: string },
  urls: Record<QueueName, string>,
  now: () => number,
): Queues => {
  const client = withFreshSockets(new SQSClient({ requestHandler: transport(), ...config }));
  return {
    send: async (queue, messages) => {
      for (const batch of batchesOf(messages)) {
        const command = new SendMessageBatchCommand({ QueueUrl: urls[queue], Entries: batch.map(entryOf) });
        const { Failed = [] } = await client.send(inTime(command, batch, now));
        if (Failed.length > 0) throw new Error(`${Failed.length} messages were not taken by ${queue}`);
      }
    },
    hide: async (arn, receiptHandles, VisibilityTimeout) => {
      const QueueUrl = Object.values(urls).find((url) => url.endsWith(`/${arn.split(':').at(-1)}`));
      for (let at = 0; at < receiptHandles.length; at += BATCH.count) {
        const Entries = receiptHandles
          .slice(at, at + BATCH.count)
          .map((ReceiptHandle, index) => ({ Id: String(index), ReceiptHandle, VisibilityTimeout }));
        await client.send(new ChangeMessageVisibilityBatchCommand({ QueueUrl, Entries }));
      }
    },
    redrive: async (queue) => {
      // A stage without MQTT has no queue for it.
      if (urls[queue] === '') return;
      const AttributeNames = ['RedrivePolicy' as const];
      const { Attributes } = await client.send(
        new GetQueueAttributesCommand({ QueueUrl: urls[queue], AttributeNames }),
      );
      const { deadLetterTargetArn } = JSON.parse(Attributes?.RedrivePolicy ?? '{}');
      const DestinationArn = arnOf(urls[queue], config.region);
      await client.send(new StartMessageMoveTaskCommand({ SourceArn: deadLetterTargetArn, DestinationArn }));
    },
  };
};
