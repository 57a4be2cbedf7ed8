import {
  ChangeMessageVisibilityCommand,
  CreateQueueCommand,
  DeleteMessageBatchCommand,
  GetQueueAttributesCommand,
  ReceiveMessageCommand,
  SQSClient,
  type Message as SqsMessage,
} from '@aws-sdk/client-sqs';
import { consumers } from '../../functions/index.ts';
import { type QueueName, queueNames } from '../../shared/capabilities.ts';
import { MAX_RECEIVES, visibilitySeconds } from '../../shared/queue/consumer.ts';
import { transport } from '../../shared/transport.ts';
import type { Clock } from './clock.ts';
import { createDemand, unlimited } from './demand.ts';
import { createInbox } from './inbox.ts';
import type { Message, MessageSource } from './queue.ts';
import { clientConfig } from './table.ts';

const WAIT_SECONDS = 1;
/** A receive is answered late when there is nothing to give. */
const TIMEOUTS = { connect: 1_000, answer: (WAIT_SECONDS + 2) * 1_000 };

type Urls = Record<QueueName, string>;

const createQueue = async (client: SQSClient, QueueName: string, Attributes: Record<string, string>): Promise<string> =>
  (await client.send(new CreateQueueCommand({ QueueName, Attributes }))).QueueUrl ?? '';

const arnOf = async (client: SQSClient, QueueUrl: string): Promise<string> => {
  const command = new GetQueueAttributesCommand({ QueueUrl, AttributeNames: ['QueueArn'] });
  return (await client.send(command)).Attributes?.QueueArn ?? '';
};

/** The longest that there is. */
const RETENTION = { MessageRetentionPeriod: String(14 * 24 * 60 * 60) };
/** https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/enable-high-throughput-fifo.html */
const HIGH_THROUGHPUT = {
  FifoQueue: 'true',
  DeduplicationScope: 'messageGroup',
  FifoThroughputLimit: 'perMessageGroupId',
};
/** SQS wants to see the kind of a queue in its name. */
const FIFO_SUFFIX = '.fifo';

/** What a queue is called at an SQS endpoint; `more`: its dead letters' ending. */
export const nameAtEndpoint = (name: QueueName, isFifo: boolean, more = ''): string =>
  `sensor-cloud-${name}${more}${isFifo ? FIFO_SUFFIX : ''}`;

/** Creates the queues with their dead-letter queues at an SQS endpoint; does nothing where they are. */
export const ensureQueues = async (
  endpoint: string,
  isFifo: (name: QueueName) => boolean = () => false,
): Promise<{ client: SQSClient; urls: Urls }> => {
  const client = new SQSClient({ ...clientConfig(endpoint), requestHandler: transport(TIMEOUTS) });
  const made = queueNames.map(async (name) => {
    const reader = consumers.find(({ queues }) => (queues as readonly QueueName[]).includes(name));
    const visibility = String(visibilitySeconds(reader ?? { timeoutSeconds: 60 }));
    const kind = { ...RETENTION, ...(isFifo(name) && HIGH_THROUGHPUT) };
    const deadLetter = await createQueue(client, nameAtEndpoint(name, isFifo(name), '-dead'), kind);
    const redrive = { deadLetterTargetArn: await arnOf(client, deadLetter), maxReceiveCount: String(MAX_RECEIVES) };
    const attributes = { ...kind, VisibilityTimeout: visibility, RedrivePolicy: JSON.stringify(redrive) };
    return [name, await createQueue(client, nameAtEndpoint(name, isFifo(name)), attributes)] as const;
  });
  return { client, urls: Object.fromEntries(await Promise.all(made)) as Urls };
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

/** Seconds until a message that had no place here is shown again: longer each time, or it would soon be a dead letter. */
const away = ({ attributes }: Message): number =>
  Math.min(900, 30 * 2 ** (Number(attributes.ApproximateReceiveCount) - 1));

const MessageSystemAttributeNames = ['All' as const];

type Options = {
  client: SQSClient;
  url: string;
  name: QueueName;
  timeoutSeconds: number;
  clock: Clock;
  onError: (error: unknown) => void;
  /** Messages that may wait here. */
  most?: number;
};

/**
 * A queue at an SQS endpoint as a source of messages; each is deleted when it is done. Those of a standard queue are
 * received ahead of need and wait here, so that a poller can choose whose is next. What finds no place is shown again
 * later, and what nobody has taken when the source is closed at once. Of a FIFO queue no more is received than a poller
 * who waits can take: what lies here would block its groups.
 */
export const sqsSource = ({ client, url: QueueUrl, name, timeoutSeconds, clock, onError, most }: Options) => {
  let isClosed = false;
  // As long as it may wait and still be worked on before the queue shows it again.
  const inbox = createInbox(clock, visibilitySeconds({ timeoutSeconds }) - timeoutSeconds, most);
  const demand = QueueUrl.endsWith(FIFO_SUFFIX) ? createDemand(inbox) : unlimited(inbox);
  const changeVisibility = async (ReceiptHandle: string, VisibilityTimeout: number): Promise<void> =>
    void (await client.send(new ChangeMessageVisibilityCommand({ QueueUrl, ReceiptHandle, VisibilityTimeout })));
  const reveal = ({ receiptHandle }: Message, seconds: number): Promise<void> =>
    changeVisibility(receiptHandle, seconds).catch(onError);
  const receive = async (MaxNumberOfMessages: number): Promise<void> => {
    const request = { QueueUrl, MaxNumberOfMessages, WaitTimeSeconds: WAIT_SECONDS, MessageSystemAttributeNames };
    const { Messages = [] } = await client.send(new ReceiveMessageCommand(request));
    const surplus = Messages.flatMap((one) => inbox.add(toMessage(one)) ?? []);
    await Promise.all(surplus.map((one) => reveal(one, away(one))));
  };
  const work = async (): Promise<void> => {
    for (let max = await demand.next(); !isClosed; max = await demand.next())
      await receive(max).catch(async (error) => {
        onError(error);
        await new Promise<void>((resolve) => void clock.after(1_000, resolve));
      });
  };
  const working = work();
  const remove = async (ReceiptHandle: string): Promise<void> => {
    const Entries = [{ Id: '0', ReceiptHandle }];
    const { Failed = [] } = await client.send(new DeleteMessageBatchCommand({ QueueUrl, Entries }));
    if (Failed.length > 0) throw new Error(`a message was not deleted from ${name}: ${Failed[0]?.Code}`);
  };
  const source: MessageSource = { ...demand.source, name, remove, changeVisibility };
  const close = async (): Promise<void> => {
    // The last receive is heard out: what it brings would be hidden from everybody else.
    isClosed = true;
    demand.end();
    await working;
    await Promise.all(inbox.receive(Number.POSITIVE_INFINITY).map((one) => reveal(one, 0)));
  };
  return { source, close };
};
