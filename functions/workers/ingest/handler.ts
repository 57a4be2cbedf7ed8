import type { Context, SQSEvent } from 'aws-lambda';
import { createDeviceRates, deviceLimits, exceedsLimits } from '#shared/api/device/device-rates.ts';
import { isTokenValid } from '#shared/domain/sensor/device-token.ts';
import type { Device } from '#shared/domain/sensor/sensor.ts';
import type { Sender } from '#shared/ingest/messages.ts';
import type { Published } from '#shared/queue/mqtt.ts';
import type { Runtime } from '#shared/runtime/deps.ts';
import { consume } from '#shared/worker/consume.ts';
import { onCall } from '#shared/worker/on-host.ts';
import { ingesting } from './contract.ts';
import { isReplaced, mayBeWill, RECONNECT_SECONDS } from './last-will.ts';
import { type IngestDeps, ingestPublished, messageCount, rejectPublished } from './published.ts';

const HASH = /^[0-9a-f]{64}$/;

/**
 * Returns the customer that owned the sensor when the message was received. Queued messages stay with that customer.
 */
const ownerAt = ({ customerId, moved }: Device, time = Number.POSITIVE_INFINITY): number =>
  moved && time < moved.at ? moved.from : customerId;

/** Returns the device that published with this token, or null if the token is no longer valid. */
const deviceOf = async ({ store, now }: IngestDeps, { sensorId, receiveDate }: Published, principal: string) => {
  // By connecting with this token, the device has invalidated the previous one.
  const device = await store.devices.get(Buffer.from(principal, 'hex').toString('base64url'));
  return device?.sensorId === sensorId && isTokenValid(device, now())
    ? { ...device, customerId: ownerAt(device, receiveDate) }
    : null;
};

/**
 * Returns the sensor in the topic, for messages without a principal. AWS IoT does not let other devices publish to it.
 */
const sensorOf = async ({ store }: IngestDeps, sensorId: string): Promise<Sender | null> => {
  const read = async () => {
    const link = await store.devices.linkOf(sensorId);
    return link && store.devices.get(link.hash);
  };
  // The device may have received a new token between the two reads.
  return (await read()) ?? read();
};

/**
 * Returns the message sender, or null if the principal is not a device. IAM may let other identities in the account
 * publish to any topic. AWS does not document what `principal()` returns with custom authorizers. If it returns
 * nothing, the topic identifies the sensor.
 */
const senderOf = async (deps: IngestDeps, published: Published): Promise<Sender | null> => {
  const { sensorId, principal } = published;
  if (principal === undefined || principal === '') return sensorOf(deps, sensorId);
  return HASH.test(principal) ? deviceOf(deps, published, principal) : null;
};

const fromQueue = consume(ingesting, async (received, deps) => {
  for (const { task, done } of received) {
    const device = await senderOf(deps, task);
    if (device && isReplaced(device, task))
      deps.log('info', 'dropped the last will of a replaced connection', { sensorId: task.sensorId });
    else if (device) await ingestPublished(deps, device, task);
    else await rejectPublished(deps, task, 'credentials_invalid');
    done();
  }
});

const fromRule = onCall(ingesting, (deps: IngestDeps) => {
  const rates = createDeviceRates();
  const limits = deviceLimits(deps.settings);
  return async (event: Published): Promise<void> => {
    const device = await senderOf(deps, event);
    if (!device) return rejectPublished(deps, event, 'credentials_invalid');
    const isOverLimit = exceedsLimits(rates.count(event.sensorId, messageCount(event), deps.now()), limits);
    if (isOverLimit) return rejectPublished(deps, event, 'rate_limited');
    if (!event.isCurrent && mayBeWill(device, event))
      return deps.postpone({ ...event, isPostponed: true }, RECONNECT_SECONDS);
    const isBusy = rates.isBusy(event.sensorId, deps.now());
    await ingestPublished(deps, { ...device, isBusy }, event);
  };
});

type Handle<E> = (event: E, context: Context) => Promise<unknown>;
const byOrigin =
  (handleQueue: Handle<SQSEvent>, handleRule: Handle<Published>) =>
  (event: SQSEvent | Published, context: Context): Promise<unknown> =>
    'Records' in event ? handleQueue(event, context) : handleRule(event, context);

export const handler = { with: (runtime: Runtime) => byOrigin(fromQueue.with(runtime), fromRule.with(runtime)) };
