import {
  ChangeMessageVisibilityCommand,
  CreateQueueCommand,
  DeleteMessageBatchCommand,
  GetQueueAttributesCommand,
  ReceiveMessageCommand,
  SQSClient,
  type Message as SqsMessage,
} from '@aws-sdk/client-sqs';
import { consumers } from '#functions/index.ts';
import { requestHandlerOptions } from '#shared/aws/transport.ts';
import { MAX_RECEIVES } from '#shared/queue/consumer.ts';
import { type QueueName, queueNames } from '#shared/queue/names.ts';
import type { Clock } from '../clock.ts';
import type { Message } from '../message.ts';
import type { MessageSource } from '../queue/queue.ts';
import { clientConfig } from '../table/endpoint.ts';
import { createPrefetch } from './prefetch.ts';
import { receiveOnDemand, unlimited } from './receive-on-demand.ts';

const WAIT_SECONDS = 1;
/** Timeouts in ms. A long poll without a message takes WAIT_SECONDS to respond. */
const TIMEOUTS = { connect: 1_000, answer: (WAIT_SECONDS + 2) * 1_000 };
/**
 * The visibility timeout for queues created by this host, including the time messages are held before a function runs.
 */
const visibilitySeconds = (timeoutSeconds: number): number => 2 * timeoutSeconds;

type Urls = Record<QueueName, string>;

const createQueue = async (client: SQSClient, QueueName: string, Attributes: Record<string, string>): Promise<string> =>
  (await client.send(new CreateQueueCommand({ QueueName, Attributes }))).QueueUrl ?? '';

const arnOf = async (client: SQSClient, QueueUrl: string): Promise<string> => {
  const command = new GetQueueAttributesCommand({ QueueUrl, AttributeNames: ['QueueArn'] });
  return (await client.send(command)).Attributes?.QueueArn ?? '';
};

/** The longest retention SQS allows. */
const RETENTION = { MessageRetentionPeriod: String(14 * 24 * 60 * 60) };
/** https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/enable-high-throughput-fifo.html */
const HIGH_THROUGHPUT = {
  FifoQueue: 'true',
  DeduplicationScope: 'messageGroup',
  FifoThroughputLimit: 'perMessageGroupId',
};
/** The required suffix for FIFO queue names. */
const FIFO_SUFFIX = '.fifo';

/** Returns a queue's name at an SQS endpoint or, with the suffix "-dead", the name of its dead-letter queue. */
export const nameAtEndpoint = (name: QueueName, isFifo: boolean, suffix = ''): string =>
  `sensor-cloud-${name}${suffix}${isFifo ? FIFO_SUFFIX : ''}`;

/** Creates the queues and their dead-letter queues at an SQS endpoint. Existing queues are left unchanged. */
export const ensureQueues = async (
  endpoint: string,
  isFifo: (name: QueueName) => boolean = () => false,
): Promise<{ client: SQSClient; urls: Urls }> => {
  const client = new SQSClient({ ...clientConfig(endpoint), requestHandler: requestHandlerOptions(TIMEOUTS) });
  const created = queueNames.map(async (name) => {
    const consumer = consumers.find(({ queues }) => (queues as readonly QueueName[]).includes(name));
    const visibility = String(visibilitySeconds(consumer?.timeoutSeconds ?? 60));
    const kind = { ...RETENTION, ...(isFifo(name) && HIGH_THROUGHPUT) };
    const deadQueueUrl = await createQueue(client, nameAtEndpoint(name, isFifo(name), '-dead'), kind);
    const redrive = { deadLetterTargetArn: await arnOf(client, deadQueueUrl), maxReceiveCount: String(MAX_RECEIVES) };
    const attributes = { ...kind, VisibilityTimeout: visibility, RedrivePolicy: JSON.stringify(redrive) };
    return [name, await createQueue(client, nameAtEndpoint(name, isFifo(name)), attributes)] as const;
  });
  return { client, urls: Object.fromEntries(await Promise.all(created)) as Urls };
};

const toMessage = ({ MessageId = '', ReceiptHandle = '', Body = '', Attributes = {} }: SqsMessage): Message => ({
  messageId: MessageId,
  receiptHandle: ReceiptHandle,
  body: Body,
  attributes: {
    ApproximateReceiveCount: '1',
    SentTimestamp: '',
    ApproximateFirstReceiveTimestamp: '',
    ...Attributes,
  },
});

/**
 * The visibility timeout (s) for a message beyond the memory limit. It doubles with each receive, because the message
 * would otherwise soon end up in the dead-letter queue.
 */
const surplusDelay = ({ attributes }: Message): number =>
  Math.min(900, 30 * 2 ** (Number(attributes.ApproximateReceiveCount) - 1));

const MessageSystemAttributeNames = ['All' as const];

type Options = {
  client: SQSClient;
  url: string;
  name: QueueName;
  timeoutSeconds: number;
  clock: Clock;
  onError: (error: unknown) => void;
  /** The maximum number of messages held in memory. */
  maxHeld?: number;
};

/**
 * Opens a queue at an SQS endpoint as a message source. Each message is deleted once it has been processed. Messages
 * from a standard queue are received in advance and held in memory, so a poller can choose between groups. A message
 * beyond the memory limit becomes visible again later. When the source is closed, any remaining messages become visible
 * again immediately. From a FIFO queue, only as many messages are received as a waiting poller can take, because held
 * messages would block their groups.
 */
export const sqsSource = ({ client, url: QueueUrl, name, timeoutSeconds, clock, onError, maxHeld }: Options) => {
  let isClosed = false;
  // A message is held only as long as there is still time to process it before the queue shows it again.
  const prefetched = createPrefetch(clock, visibilitySeconds(timeoutSeconds) - timeoutSeconds, maxHeld);
  const demand = QueueUrl.endsWith(FIFO_SUFFIX) ? receiveOnDemand(prefetched) : unlimited(prefetched);
  const changeVisibility = async (ReceiptHandle: string, VisibilityTimeout: number): Promise<void> => {
    await client.send(new ChangeMessageVisibilityCommand({ QueueUrl, ReceiptHandle, VisibilityTimeout }));
  };
  const reveal = ({ receiptHandle }: Message, seconds: number): Promise<void> =>
    changeVisibility(receiptHandle, seconds).catch(onError);
  const receive = async (MaxNumberOfMessages: number): Promise<void> => {
    const request = { QueueUrl, MaxNumberOfMessages, WaitTimeSeconds: WAIT_SECONDS, MessageSystemAttributeNames };
    const { Messages = [] } = await client.send(new ReceiveMessageCommand(request));
    const surplus = Messages.flatMap((message) => prefetched.add(toMessage(message)) ?? []);
    await Promise.all(surplus.map((message) => reveal(message, surplusDelay(message))));
  };
  const work = async (): Promise<void> => {
    for (let count = await demand.next(); !isClosed; count = await demand.next())
      await receive(count).catch(async (error) => {
        onError(error);
        await new Promise<void>((resolve) => void clock.after(1_000, resolve));
      });
  };
  const working = work();
  const remove = async (ReceiptHandle: string): Promise<void> => {
    const Entries = [{ Id: '0', ReceiptHandle }];
    const { Failed = [] } = await client.send(new DeleteMessageBatchCommand({ QueueUrl, Entries }));
    if (Failed.length > 0) throw new Error(`could not delete a message from ${name}: ${Failed[0]?.Code}`);
  };
  const source: MessageSource = { ...demand.source, name, remove, changeVisibility };
  const close = async (): Promise<void> => {
    // Wait for the last receive. Otherwise, its messages would stay hidden from other receivers.
    isClosed = true;
    demand.end();
    await working;
    await Promise.all(prefetched.receive(Number.POSITIVE_INFINITY).map((message) => reveal(message, 0)));
  };
  return { source, close };
};
