import type { Context, SQSEvent } from 'aws-lambda';
import { createDeviceRates, deviceLimits, isOver } from '#shared/api/device/device-rates.ts';
import type { Device } from '#shared/domain/sensor/sensor.ts';
import type { Sender } from '#shared/ingest/messages.ts';
import type { Published } from '#shared/queue/mqtt.ts';
import type { Runtime } from '#shared/runtime/deps.ts';
import { consume } from '#shared/worker/consume.ts';
import { onCall } from '#shared/worker/on-host.ts';
import { ingesting } from './contract.ts';
import { countOf, type Ingesting, refuse, take } from './take.ts';

const HASH = /^[0-9a-f]{64}$/;

/** The customer to whom the sensor belonged when the message was received: a message that waits stays with that customer. */
const ownerAt = ({ customerId, moved }: Device, time = Number.POSITIVE_INFINITY): number =>
  moved && time < moved.at ? moved.from : customerId;

/** The device that published with this token; null when the token is void by now. */
const deviceOf = async ({ store }: Ingesting, { sensorId, receiveDate }: Published, principal: string) => {
  const device = await store.devices.get(Buffer.from(principal, 'hex').toString('base64url'));
  return device?.sensorId === sensorId ? { ...device, customerId: ownerAt(device, receiveDate) } : null;
};

/** The sensor of the topic, for messages that tell no principal: AWS IoT lets nobody else publish to it. */
const sensorOf = async ({ store }: Ingesting, sensorId: string): Promise<Sender | null> => {
  const read = async () => {
    const link = await store.devices.linkOf(sensorId);
    return link && store.devices.get(link.hash);
  };
  // The device may have got another token between the two reads.
  return (await read()) ?? read();
};

/**
 * The sender of a message; null when its principal is no device, because IAM may let other identities of the account
 * publish to any topic. AWS does not document what `principal()` gives under custom authorizers. Where it gives
 * nothing, the topic tells the sensor.
 */
const whoSaid = async (deps: Ingesting, published: Published): Promise<Sender | null> => {
  const { sensorId, principal } = published;
  if (principal === undefined || principal === '') return sensorOf(deps, sensorId);
  return HASH.test(principal) ? deviceOf(deps, published, principal) : null;
};

const fromQueue = consume(ingesting, async (received, deps) => {
  for (const { task, done } of received) {
    const device = await whoSaid(deps, task);
    if (device) await take(deps, device, task);
    else await refuse(deps, task, 'credentials_invalid');
    done();
  }
});

const fromRule = onCall(ingesting, (deps: Ingesting) => {
  const rates = createDeviceRates();
  const limits = deviceLimits(deps.settings);
  return async (event: Published): Promise<void> => {
    const device = await whoSaid(deps, event);
    if (!device) return refuse(deps, event, 'credentials_invalid');
    const isTooMuch = isOver(rates.count(event.sensorId, countOf(event), deps.now()), limits);
    if (isTooMuch) return refuse(deps, event, 'rate_limited');
    const isBusy = rates.isBusy(event.sensorId, deps.now());
    await take(deps, { ...device, isBusy }, event);
  };
});

type Handle<E> = (event: E, context: Context) => Promise<unknown>;
const either =
  (ofQueue: Handle<SQSEvent>, ofRule: Handle<Published>) =>
  (event: SQSEvent | Published, context: Context): Promise<unknown> =>
    'Records' in event ? ofQueue(event, context) : ofRule(event, context);

export const handler = { with: (runtime: Runtime) => either(fromQueue.with(runtime), fromRule.with(runtime)) };
