import * as z from 'zod';
import type { QueueName } from '../capabilities.ts';
import { hashOf } from '../domain/ids.ts';
import { Manufacturer } from '../domain/sensor.ts';
import { id, int64, millis, uuid } from '../domain/values.ts';

const CustomerId = int64.min(0).meta({ description: '0: the sensor is nobody’s' });
const SensorId = z.string().min(1).max(26);
const ofSensor = { customerId: CustomerId, sensorId: SensorId };
const ofWebhook = { customerId: id, webhookId: uuid };
const DeliveryId = z.string().regex(/^[0-9a-z]{26}$/);

/**
 * A call of a device as it was accepted: `messages` are its own bytes as text, in its order, of which the first is number
 * `first` of the call. Without any the device only showed that it is there.
 */
export const ProcessMessages = z.object({
  type: z.literal('process_messages'),
  ...ofSensor,
  /** In whose words: not in those of before it was said. */
  manufacturer: Manufacturer.optional(),
  receiveDate: millis,
  first: int64.min(0),
  messages: z.array(z.string()).max(100),
});
export type ProcessMessages = z.output<typeof ProcessMessages>;

/** The service has something to tell of a sensor: the notice that is kept under this uuid. */
export const ProcessNotice = z.object({ type: z.literal('process_notice'), ...ofSensor, uuid });
export type ProcessNotice = z.output<typeof ProcessNotice>;

/** Time may have made something of a sensor: has it been silent for too long, does a fall move on by itself? */
export const CheckSensor = z.object({ type: z.literal('check_sensor'), ...ofSensor });
export type CheckSensor = z.output<typeof CheckSensor>;

/** A delivery is due, not before a time (ms) if one is given. `isRetry`: it goes apart from what goes to well receivers. */
export const Deliver = z.object({
  type: z.literal('deliver'),
  ...ofWebhook,
  deliveryId: DeliveryId,
  isRetry: z.boolean().default(false),
  notBefore: millis.default(0),
});
export type Deliver = z.output<typeof Deliver>;

/** A delivery that is due now. */
export const deliverTask = ({
  customerId,
  webhookId,
  id,
}: {
  customerId: number;
  webhookId: string;
  id: string;
}): Deliver => ({
  ...{ type: 'deliver', customerId, webhookId, deliveryId: id, isRetry: false, notBefore: 0 },
});

/** A webhook is to let go what it holds. */
export const ReleaseHeld = z.object({ type: z.literal('release_held'), ...ofWebhook });
/** A replay is to go on. */
export const StepReplay = z.object({ type: z.literal('step_replay'), ...ofWebhook, replayId: uuid });

/** What works on a sensor, and what works on deliveries. */
export const SensorTask = z.discriminatedUnion('type', [ProcessMessages, ProcessNotice, CheckSensor]);
export const WebhookTask = z.discriminatedUnion('type', [Deliver, ReleaseHeld, StepReplay]);
export type SensorTask = z.output<typeof SensorTask>;
export type WebhookTask = z.output<typeof WebhookTask>;
export type Task = SensorTask | WebhookTask;

type QueueOf = {
  process_messages: 'events';
  process_notice: 'events';
  check_sensor: 'timers';
  deliver: 'deliveries' | 'retries';
  release_held: 'retries';
  step_replay: 'retries';
};
/** The tasks that may be sent to a queue. */
export type TaskOf<Q extends QueueName> = {
  [T in Task as T['type']]: Q extends QueueOf[T['type']] ? T : never;
}[Task['type']];

/** The queue that a task waits in. */
export const queueOf = (task: Task): QueueName => {
  switch (task.type) {
    case 'process_messages':
    case 'process_notice':
      return 'events';
    case 'check_sensor':
      return 'timers';
    case 'deliver':
      return task.isRetry ? 'retries' : 'deliveries';
    case 'release_held':
    case 'step_replay':
      return 'retries';
  }
};

/** What is sent to a queue. Times in whole seconds, 0 to MAX_DELAY_SECONDS; a FIFO queue knows no delay. */
export type Outgoing = { body: string; groupId: string; delaySeconds: number; deduplicationId?: string };

/** Longest delay that a queue can hold a message back. https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/sqs-delay-queues.html */
export const MAX_DELAY_SECONDS = 900;

/** The group of a webhook, and the customer in it: `deliveries` are fair to both. At most 128 characters. */
export const customerOf = (groupId: string): string => groupId.split('/')[0] ?? '';
const groupOf = (task: Task): string => ('webhookId' in task ? `${task.customerId}/${task.webhookId}` : task.sensorId);

/**
 * SQS takes XML's characters alone; what JSON leaves in a text besides them are these two.
 * https://docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference/API_SendMessage.html
 */
const withinXml = (json: string): string => json.replaceAll('\uFFFE', '\\ufffe').replaceAll('\uFFFF', '\\uffff');

/** A task as its queue carries it. `deduplicationId` of what SQS shall take once in 5 minutes; otherwise it is unique to the task. */
export const encode = (task: Task, delaySeconds = 0, deduplicationId?: string): Outgoing => {
  const body = withinXml(JSON.stringify({ version: 1, ...task }));
  const isFifo = queueOf(task) === 'events';
  return {
    body,
    groupId: groupOf(task),
    delaySeconds: isFifo ? 0 : Math.min(MAX_DELAY_SECONDS, Math.max(0, Math.ceil(delaySeconds))),
    ...(isFifo && { deduplicationId: deduplicationId ?? hashOf(body) }),
  };
};
