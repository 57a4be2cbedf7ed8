import type { Context, SQSEvent } from 'aws-lambda';
import { createDeviceRates, deviceLimits, isOver } from '../../../shared/api/device-rates.ts';
import type { Runtime } from '../../../shared/deps.ts';
import type { Device } from '../../../shared/domain/sensor.ts';
import type { Sender } from '../../../shared/ingest/messages.ts';
import { consume, onCall } from '../../../shared/queue/consume.ts';
import type { Published } from '../../../shared/queue/mqtt.ts';
import { ingesting } from './contract.ts';
import { countOf, type Ingesting, refuse, take } from './take.ts';

const HASH = /^[0-9a-f]{64}$/;

/** The device whose token it was, if that is still its token. */
const deviceOf = async ({ store }: Ingesting, sensorId: string, principal: string): Promise<Device | null> => {
  const device = await store.sensors.deviceOf(Buffer.from(principal, 'hex').toString('base64url'));
  return device?.sensorId === sensorId ? device : null;
};

/** The sensor whose topic it was: nobody else may publish there. For what does not tell its token. */
const sensorOf = async ({ store }: Ingesting, sensorId: string): Promise<Sender | null> => {
  const customerId = await store.customers.ownerOf('sensor', sensorId);
  const sensor = customerId === null ? null : await store.sensors.get(customerId, sensorId);
  return sensor && { customerId: sensor.customerId ?? 0, sensorId, manufacturer: sensor.manufacturer };
};

const whoSaid = (deps: Ingesting, { sensorId, principal = '' }: Published) =>
  HASH.test(principal) ? deviceOf(deps, sensorId, principal) : sensorOf(deps, sensorId);

const fromQueue = consume(ingesting, async (received, deps) => {
  for (const { task, done } of received) {
    const device = await whoSaid(deps, task);
    await (device ? take(deps, device, task) : refuse(deps, task, 'credentials_invalid'));
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
    await (isTooMuch ? refuse(deps, event, 'rate_limited') : take(deps, device, event));
  };
});

type Handle<E> = (event: E, context: Context) => Promise<unknown>;
const either =
  (ofQueue: Handle<SQSEvent>, ofRule: Handle<Published>) =>
  (event: SQSEvent | Published, context: Context): Promise<unknown> =>
    'Records' in event ? ofQueue(event, context) : ofRule(event, context);

export const handler = Object.assign(either(fromQueue, fromRule), {
  with: (runtime: Runtime) => either(fromQueue.with(runtime), fromRule.with(runtime)),
});
