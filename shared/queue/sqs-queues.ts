import { requestHandlerOptions, withFreshSockets } from '../aws/transport.ts';
import type { QueueMessage } from './encode.ts';
import type { QueueName } from './names.ts';
import {
  ChangeMessageVisibilityBatchCommand,
  GetQueueAttributesCommand,
  SendMessageBatchCommand,
  SQSClient,
  type SQSClientConfig,
  StartMessageMoveTaskCommand,
} from './sdk.ts';

/** The queues on a host. */
export type Queues = {
  /** Sends messages to a queue in order. Rejects if the queue did not accept all of them. */
  send: (queue: QueueName, messages: readonly QueueMessage[]) => Promise<void>;
  /** Sets the seconds until messages received from the queue with this ARN become visible again. */
  hide: (arn: string, receiptHandles: readonly string[], seconds: number) => Promise<void>;
  /** Starts moving messages from the dead-letter queue back to their queue. */
  redrive: (queue: QueueName) => Promise<void>;
};

/**
 * The limits for one call.
 * https://docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference/API_SendMessageBatch.html
 */
const BATCH = { count: 10, bytes: 1_048_576 };

/** Splits messages into batches that SQS accepts in one call: at most 10 messages and 1 MiB each. */
const batchesOf = (messages: readonly QueueMessage[]): QueueMessage[][] => {
  const batches: QueueMessage[][] = [];
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

const entryOf = ({ body, delaySeconds, groupId, deduplicationId }: QueueMessage, index: number) => ({
  Id: String(index),
  MessageBody: body,
  MessageGroupId: groupId,
  ...(deduplicationId !== undefined && { MessageDeduplicationId: deduplicationId }),
  ...(delaySeconds > 0 && { DelaySeconds: delaySeconds }),
});

/** Fails any attempt to send a command after its deadline, because a process may have been frozen between retries. */
const withDeadline = (
  command: SendMessageBatchCommand,
  messages: readonly QueueMessage[],
  now: () => number,
): SendMessageBatchCommand => {
  const until = Math.min(...messages.map((message) => message.until ?? Number.POSITIVE_INFINITY));
  if (until === Number.POSITIVE_INFINITY) return command;
  command.middlewareStack.add(
    (next) => (args) => {
      if (now() > until) throw new Error('it is too late to send it');
      return next(args);
    },
    // Runs once for each attempt, inside the retries.
    { step: 'finalizeRequest', priority: 'low', name: 'inTime' },
  );
  return command;
};

/** Returns the ARN for a queue URL. */
const arnOf = (url: string, region: string): string => {
  const [account, name] = new URL(url).pathname.split('/').slice(-2);
  return `arn:aws:sqs:${region}:${account}:${name}`;
};

/**
 * Creates a client for the SQS queues of a stage. The message group makes a standard queue fair, and a FIFO queue
 * ordered.
 */
export const sqsQueues = (
  config: SQSClientConfig & { region: string },
  urls: Record<QueueName, string>,
  now: () => number,
): Queues => {
  const client = withFreshSockets(new SQSClient({ requestHandler: requestHandlerOptions(), ...config }));
  return {
    send: async (queue, messages) => {
      for (const batch of batchesOf(messages)) {
        const command = new SendMessageBatchCommand({ QueueUrl: urls[queue], Entries: batch.map(entryOf) });
        const { Failed = [] } = await client.send(withDeadline(command, batch, now));
        if (Failed.length > 0) throw new Error(`the queue ${queue} did not accept ${Failed.length} messages`);
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
      // A stage without MQTT does not have the queue `mqtt`.
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
