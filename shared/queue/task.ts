import * as z from 'zod';
import { MESSAGE_LIMITS } from '../domain/event/raw.ts';
import { RecordedCall } from '../domain/event/recorded-call.ts';
import { urgentSituations } from '../domain/rule/alarm.ts';
import { Manufacturer } from '../domain/sensor/sensor.ts';
import { id, int64, millis, uuid } from '../domain/values.ts';
import type { QueueName } from './names.ts';
import type { RunJob } from './run-job.ts';
import { CustomerId, traceFields } from './task-fields.ts';

const SensorId = z.string().min(1).max(26);
const ofSensor = { customerId: CustomerId, sensorId: SensorId };
const ofWebhook = { customerId: id, webhookId: uuid };
const DeliveryId = z.string().regex(/^[0-9a-z]{26}$/);

/**
 * Processes the messages in one accepted device call. `messages` are the original bytes as text, in order. `first` is
 * the number of the first one within the call. A task without messages only shows that the device is online.
 */
export const ProcessMessages = z.object({
  type: z.literal('process_messages'),
  ...ofSensor,
  ...traceFields,
  /** The maker whose format the messages use. */
  manufacturer: Manufacturer,
  receiveDate: millis,
  /** The recorded call, if this is its last task. */
  noted: RecordedCall.optional(),
  first: int64.min(0),
  messages: z.array(z.string()).max(MESSAGE_LIMITS.count),
});
export type ProcessMessages = z.output<typeof ProcessMessages>;

/**
 * Sends a service notice about a sensor. The notice is stored under this uuid and was created at `receiveDate` (ms).
 */
export const ProcessNotice = z.object({
  type: z.literal('process_notice'),
  ...ofSensor,
  ...traceFields,
  uuid,
  receiveDate: millis.optional(),
});
export type ProcessNotice = z.output<typeof ProcessNotice>;

/** Returns the parsed body of a message, or undefined if it is not JSON. */
export const parsedBody = ({ body }: { body: string }): unknown => {
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
};

const Accepted = z.object({ receiveDate: millis });
/** Returns when (ms) a task was accepted, if the task contains this time. Nothing else in the task is read. */
export const acceptedAt = (task: unknown): number | undefined => Accepted.safeParse(task).data?.receiveDate;

/** Checks a sensor because time has passed. The sensor may have been offline for too long, or its fall may advance. */
export const CheckSensor = z.object({ type: z.literal('check_sensor'), ...ofSensor, ...traceFields });
export type CheckSensor = z.output<typeof CheckSensor>;

/**
 * Decides the next escalation round for a hit, if it is due. `failed`: a failed delivery for the hit. If all other
 * deliveries in its round have also failed, the next step is due at once. `setBack`: how far (ms) the clock was set
 * back, which means that the round may be planned too late.
 */
export const Escalate = z.object({
  type: z.literal('escalate'),
  customerId: id,
  hitId: id,
  ...traceFields,
  failed: z.object({ webhookId: uuid.nullable(), deliveryId: DeliveryId }).optional().catch(undefined),
  setBack: millis.optional().catch(undefined),
});
export type Escalate = z.output<typeof Escalate>;

/**
 * Checks at the given time (ms) whether anyone was notified of each alarm for an urgent event. There is one alarm for
 * each hit, and one for the event deliveries to customer webhooks.
 */
export const CheckAlarm = z.object({
  type: z.literal('check_alarm'),
  ...ofSensor,
  ...traceFields,
  eventUuid: uuid,
  situation: z.enum(urgentSituations),
  /** When (ms) the alarms were created. */
  createDate: millis,
  at: millis,
  hitIds: z.array(id),
  ofEvent: z.array(z.object({ webhookId: uuid, deliveryId: DeliveryId })),
  /** Rule deliveries that were due at once, used to check whether any was attempted. */
  immediate: z.array(z.object({ webhookId: uuid.nullable(), deliveryId: DeliveryId })).optional(),
  /** The key of the fall the event is about, if any. */
  fall: z.string().optional().catch(undefined),
});
export type CheckAlarm = z.output<typeof CheckAlarm>;

/**
 * Attempts a delivery, but not before `notBefore` (ms). If `webhookId` is null, the delivery is to a person. `by`: the
 * channel, if known. `isGathered`: the delivery may become part of a message about several sensors. `isRetry`: the task
 * goes through the queue `retries`, so that it does not delay deliveries to healthy receivers.
 */
export const Deliver = z.object({
  type: z.literal('deliver'),
  customerId: id,
  webhookId: uuid.nullable(),
  by: z
    .string()
    .regex(/^[a-z]{1,16}$/)
    .optional()
    .catch(undefined),
  isGathered: z.literal(true).optional().catch(undefined),
  /** The first attempt to deliver an alarm about a person. Other deliveries to the same receiver do not delay it. */
  isAlarm: z.literal(true).optional().catch(undefined),
  ...traceFields,
  deliveryId: DeliveryId,
  isRetry: z.boolean().default(false),
  notBefore: millis.default(0),
  /**
   * Set for an early attempt. It replaces the attempt at `insteadOf` (ms), because the receiver was back at `back`
   * (ms).
   */
  early: z.object({ insteadOf: millis, back: millis }).optional().catch(undefined),
  /** How far (ms) the clock was set back. The attempt may be planned too late. */
  setBack: millis.optional().catch(undefined),
});
export type Deliver = z.output<typeof Deliver>;

/**
 * Continues releasing the pending deliveries to a receiver that was back at `date` (ms), starting after the delivery
 * `after`. Alarms about people come first, then other alarms (`isAboutSensors`), then all other deliveries (`isRest`).
 * `isListed`: no deliveries are left, so the release ends.
 */
const Back = z.object({
  date: millis,
  isAboutSensors: z.literal(true).optional().catch(undefined),
  isRest: z.boolean(),
  after: DeliveryId.nullable(),
  isListed: z.boolean(),
});
export type Back = z.output<typeof Back>;
/**
 * Releases deliveries to a webhook: the held deliveries or, with `back`, the pending deliveries. `setBack`: how far
 * (ms) the clock was set back, which means that the release may be planned too late.
 */
export const ReleaseHeld = z.object({
  type: z.literal('release_held'),
  ...ofWebhook,
  ...traceFields,
  back: Back.optional().catch(undefined),
  setBack: millis.optional().catch(undefined),
});
export type ReleaseHeld = z.output<typeof ReleaseHeld>;
/** Continues a replay. */
const StepReplay = z.object({ type: z.literal('step_replay'), ...ofWebhook, ...traceFields, replayId: uuid });

/** Emails the users who can help when a customer's alarms have reached no one. */
const AlertManagers = z.object({ type: z.literal('alert_managers'), customerId: id, ...traceFields });

/** The tasks for the workers `process` and `deliver`. */
export const SensorTask = z.discriminatedUnion('type', [
  ProcessMessages,
  ProcessNotice,
  CheckSensor,
  Escalate,
  CheckAlarm,
]);
export const WebhookTask = z.discriminatedUnion('type', [Deliver, ReleaseHeld, StepReplay, AlertManagers]);
export type SensorTask = z.output<typeof SensorTask>;
export type WebhookTask = z.output<typeof WebhookTask>;
export type Task = SensorTask | WebhookTask | RunJob;

type QueueOf = {
  process_messages: 'events';
  process_notice: 'events';
  check_sensor: 'timers';
  escalate: 'timers';
  check_alarm: 'timers';
  deliver: 'deliveries' | 'retries';
  release_held: 'retries';
  step_replay: 'retries';
  alert_managers: 'retries';
  run_job: 'jobs';
};
/** The tasks allowed in a queue. */
export type TaskOf<Q extends QueueName> = {
  [T in Task as T['type']]: Q extends QueueOf[T['type']] ? T : never;
}[Task['type']];
