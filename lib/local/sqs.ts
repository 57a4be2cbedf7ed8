import {
  CreateQueueCommand,
  DeleteMessageBatchCommand,
  GetQueueAttributesCommand,
  type Message,
  ReceiveMessageCommand,
  SQSClient,
} from '@aws-sdk/client-sqs';
import type { SQSEvent, SQSRecord } from 'aws-lambda';
import { consumers } from '../../functions/index.ts';
import { type QueueName, queueNames } from '../../shared/capabilities.ts';
import type { QueueHandler } from '../../shared/queue/consume.ts';
import { MAX_RECEIVES, visibilitySeconds } from '../../shared/queue/consumer.ts';
import { transport } from '../../shared/transport.ts';
import type { Clock } from './clock.ts';
import { lambdaContext } from './pollers.ts';
import { clientConfig } from './table.ts';

const WAIT_SECONDS = 1;
/** A receive is answered late when there is nothing to give. */
const PATIENCE = { connect: 1_000, answer: (WAIT_SECONDS + 2) * 1_000 };

type Urls = Record<QueueName, string>;

const createQueue = async (client: SQSClient, QueueName: string, Attributes: Record<string, string>): Promise<string> =>
  (await client.send(new CreateQueueCommand({ QueueName, Attributes }))).QueueUrl ?? '';

const arnOf = async (client: SQSClient, QueueUrl: string): Promise<string> => {
  const command = new GetQueueAttributesCommand({ QueueUrl, AttributeNames: ['QueueArn'] });
  return (await client.send(command)).Attributes?.QueueArn ?? '';
};

/** Creates the queues with their dead-letter queues at an SQS endpoint; does nothing where they are. */
export const ensureQueues = async (endpoint: string): Promise<{ client: SQSClient; urls: Urls }> => {
  const client = new SQSClient({ ...clientConfig(endpoint), requestHandler: transport(PATIENCE) });
  const made = queueNames.map(async (name) => {
    const reader = consumers.find(({ queues }) => (queues as readonly QueueName[]).includes(name));
    const visibility = String(visibilitySeconds(reader ?? { timeoutSeconds: 60 }));
    const deadLetter = await createQueue(client, `sensor-cloud-${name}-dead`, {});
    const redrive = { deadLetterTargetArn: await arnOf(client, deadLetter), maxReceiveCount: String(MAX_RECEIVES) };
    const attributes = { VisibilityTimeout: visibility, RedrivePolicy: JSON.stringify(redrive) };
    return [name, await createQueue(client, `sensor-cloud-${name}`, attributes)] as const;
  });
  return { client, urls: Object.fromEntries(await Promise.all(made)) as Urls };
};

const toRecord = ({
  MessageId = '',
  ReceiptHandle = '',
  Body = '',
  Attributes = {},
  MD5OfBody = '',
}: Message): SQSRecord => ({
  messageId: MessageId,
  receiptHandle: ReceiptHandle,
  body: Body,
  attributes: Attributes as unknown as SQSRecord['attributes'],
  messageAttributes: {},
  md5OfBody: MD5OfBody,
  eventSource: 'aws:sqs',
  eventSourceARN: '',
  awsRegion: '',
});

type Source = {
  client: SQSClient;
  url: string;
  functionName: string;
  handler: QueueHandler;
  batchSize: number;
  concurrency: number;
  timeoutSeconds: number;
  clock: Clock;
  onError: (error: unknown) => void;
};

const invoke = async (source: Source, Records: SQSRecord[]): Promise<void> => {
  const { client, url, handler } = source;
  const event: SQSEvent = { Records };
  const { batchItemFailures } = await handler(event, lambdaContext(source));
  const failed = new Set(batchItemFailures.map(({ itemIdentifier }) => itemIdentifier));
  const done = Records.filter(({ messageId }) => !failed.has(messageId));
  const Entries = done.map(({ receiptHandle }, at) => ({ Id: String(at), ReceiptHandle: receiptHandle }));
  if (Entries.length > 0) await client.send(new DeleteMessageBatchCommand({ QueueUrl: url, Entries }));
};

/** An event source mapping over the SQS protocol; stops when the signal says so. */
export const pollSqs = (source: Source, signal: AbortSignal): Promise<unknown> => {
  const { client, url: QueueUrl, batchSize, clock, onError } = source;
  const request = {
    QueueUrl,
    MaxNumberOfMessages: batchSize,
    WaitTimeSeconds: WAIT_SECONDS,
    MessageSystemAttributeNames: ['All' as const],
  };
  const work = async (): Promise<void> => {
    while (!signal.aborted) {
      try {
        const { Messages = [] } = await client.send(new ReceiveMessageCommand(request), { abortSignal: signal });
        if (Messages.length > 0) await invoke(source, Messages.map(toRecord));
      } catch (error) {
        if (signal.aborted) return;
        onError(error);
        await new Promise<void>((resolve) => void clock.after(1_000, resolve));
      }
    }
  };
  return Promise.all(Array.from({ length: Math.min(source.concurrency, 4) }, work));
};
