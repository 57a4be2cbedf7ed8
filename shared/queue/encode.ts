import { type Delivery, isFirstDelivery, messageUuidOf } from '../domain/delivery/delivery.ts';
import { isGathered } from '../domain/delivery/gathering.ts';
import { hashOf } from '../domain/ids.ts';
import { isAlarmAboutPerson } from '../domain/rule/alarm.ts';
import type { QueueName } from './names.ts';
import type { Deliver, Task } from './task.ts';

/** A delivery, or only its key. */
export type DueDelivery = Pick<Delivery, 'customerId' | 'webhookId' | 'id' | 'requestId'> &
  Partial<Pick<Delivery, 'snapshot' | 'person' | 'attempts' | 'isTest' | 'body' | 'replayOf' | 'replay'>>;
/** Whether a delivery is an alarm about a person that has not been attempted yet. */
const isNewAlarm = (delivery: DueDelivery): boolean => {
  const { snapshot, attempts } = delivery;
  return attempts === 0 && snapshot !== undefined && isAlarmAboutPerson(snapshot.event) && isFirstDelivery(delivery);
};
/** Returns the task for a delivery due now. */
export const deliverTask = (delivery: DueDelivery): Deliver => {
  const { customerId, webhookId, id, requestId, snapshot, person } = delivery;
  return {
    type: 'deliver',
    customerId,
    webhookId,
    deliveryId: id,
    isRetry: false,
    notBefore: 0,
    ...(person && { by: person.by }),
    ...(requestId !== undefined && { requestId }),
    ...(snapshot && { uuid: messageUuidOf(snapshot) }),
    ...(snapshot && isGathered({ ...delivery, snapshot }) && { isGathered: true }),
    ...(isNewAlarm(delivery) && { isAlarm: true }),
  };
};

/** Returns the queue for a task. */
export const queueOf = (task: Task): QueueName => {
  switch (task.type) {
    case 'process_messages':
    case 'process_notice':
      return 'events';
    case 'check_sensor':
    case 'escalate':
    case 'check_alarm':
      return 'timers';
    case 'deliver':
      return task.isRetry ? 'retries' : 'deliveries';
    case 'release_held':
    case 'step_replay':
    case 'alert_managers':
      return 'retries';
    case 'run_job':
      return 'jobs';
  }
};

/**
 * A queue message. `delaySeconds` is a whole number from 0 to MAX_DELAY_SECONDS, and 0 on a FIFO queue, which cannot
 * delay single messages.
 */
export type QueueMessage = {
  body: string;
  groupId: string;
  delaySeconds: number;
  deduplicationId?: string;
  /** When (ms) it is too late to send the message. No attempt starts after that. */
  until?: number;
};

/**
 * The longest delay for an SQS message.
 * https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/sqs-delay-queues.html
 */
export const MAX_DELAY_SECONDS = 900;

/**
 * Returns the customer in the message group for a webhook. The group id names the customer and the webhook, because the
 * queue `deliveries` is fair to both. It has at most 128 characters.
 */
export const customerOfGroup = (groupId: string): string => groupId.split('/')[0] ?? '';
const groupOf = (task: Task): string => {
  if (task.type === 'escalate') return `${task.customerId}/${task.hitId}`;
  if (task.type === 'alert_managers') return `${task.customerId}/alarms`;
  if (task.type === 'run_job') return `${task.customerId}/${task.jobId}`;
  if (!('webhookId' in task)) return task.sensorId;
  const { by = 'people', isAlarm = false } = task as Partial<Deliver>;
  // An unresponsive messaging service delays only the people notified through it. However many other deliveries a
  // receiver has, its alarms are not delayed.
  return `${task.customerId}/${task.webhookId ?? by}${isAlarm ? '/alarms' : ''}`;
};

/**
 * Escapes the two characters kept by JSON but rejected by SQS, which accepts only XML characters.
 * https://docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference/API_SendMessage.html
 */
const withinXml = (json: string): string => json.replaceAll('\uFFFE', '\\ufffe').replaceAll('\uFFFF', '\\uffff');

/**
 * Returns the queue message for a task. A FIFO queue accepts only one message with the same `deduplicationId` within 5
 * minutes. The default is the hash of the task without `requestId`, so that equal tasks are accepted once, whichever
 * requests caused them.
 */
export const encodeTask = (task: Task, delaySeconds = 0, deduplicationId?: string): QueueMessage => {
  const body = withinXml(JSON.stringify({ version: 1, ...task }));
  const { requestId: _, ...content } = task;
  const isFifo = queueOf(task) === 'events';
  return {
    body,
    groupId: groupOf(task),
    delaySeconds: isFifo ? 0 : Math.min(MAX_DELAY_SECONDS, Math.max(0, Math.ceil(delaySeconds))),
    ...(isFifo && { deduplicationId: deduplicationId ?? hashOf(JSON.stringify(content)) }),
  };
};
