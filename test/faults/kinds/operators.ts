import { register } from '#test/fixtures/client.ts';
import { PROVISIONING_KEY } from '#test/fixtures/cloud.ts';
import { linkSensor, nextHardwareId } from '#test/fixtures/home.ts';
import type { Fault, Story } from '../fault.ts';
import { addHook, type Home, type Hook, replaceHook } from '../homes.ts';
import type { Scene } from '../scene.ts';

const hookOf = ({ hooks: [first] }: Home): Hook => {
  if (!first) throw new Error('a home without a webhook');
  return first;
};

/** Rotates a secret. The receiver gets the new one immediately, or later if the old one stays valid for a while. */
const secretRotated = async ({ homes: { birch }, receiver, chance, fresh }: Scene): Promise<Story> => {
  const hook = hookOf(birch);
  const secretKey = fresh('a-secret-of-sixteen-characters');
  const updateReceiver = async () => void receiver.secrets.set(hook.path, secretKey);
  const overlapSeconds = chance() < 0.5 ? 86_400 : 0;
  const unsigned = receiver.unsigned();
  return {
    duringRetries: async () => {
      await birch.client.ok('PUT', `/webhooks/${hook.id}/secret`, { secretKey, overlapSeconds });
      if (overlapSeconds === 0) await updateReceiver();
    },
    heal: updateReceiver,
    after: async () =>
      receiver.unsigned() > unsigned ? ['a request had a signature that the receiver could not verify'] : [],
  };
};

const urlChanged = async ({ homes: { birch }, receiver, cloud, fresh }: Scene): Promise<Story> => {
  const hook = hookOf(birch);
  const path = `/${birch.customerId}/${fresh('moved')}`;
  receiver.down.add(hook.path);
  return {
    duringRetries: async () => {
      await replaceHook(birch.client, hook, { url: receiver.urls.http + path });
      await cloud.idle();
      receiver.closed.add(hook.path);
    },
    after: async () => {
      await replaceHook(birch.client, hook, { url: hook.url });
      receiver.closed.delete(hook.path);
      receiver.down.delete(hook.path);
      return [];
    },
  };
};

const webhookOff = async ({ homes: { birch } }: Scene): Promise<Story> => {
  const hook = hookOf(birch);
  return {
    duringRetries: () => replaceHook(birch.client, hook, { isEnabled: false }),
    heal: () => replaceHook(birch.client, hook, { isEnabled: true }),
  };
};

/** Deletes a webhook, which must not be called afterwards. */
const webhookDeleted = async ({ homes: { birch }, receiver, cloud, fresh }: Scene): Promise<Story> => {
  const doomed = await addHook(birch.client, receiver, birch.customerId, fresh('doomed'));
  birch.hooks = [...birch.hooks, doomed];
  return {
    duringRetries: async () => {
      await birch.client.ok('DELETE', `/webhooks/${doomed.id}`);
      await cloud.idle();
      receiver.closed.add(doomed.path);
    },
  };
};

const INACTIVE_MS = 90_000;
const sensorDeleted = async ({ homes: { birch }, step }: Scene): Promise<Story> => {
  birch.sensor = await linkSensor(birch.client);
  return {
    duringRetries: async () => {
      // An active sensor cannot be deleted. It becomes inactive if it reports nothing while the service is running.
      await step(1_000);
      await step(INACTIVE_MS);
      await birch.client.ok('DELETE', `/sensors/${birch.sensor.sensorId}`);
    },
  };
};

const sensorMoved = async ({ homes: { maple, birch }, admin }: Scene): Promise<Story> => {
  birch.sensor = await linkSensor(birch.client);
  return {
    duringRetries: async () => {
      await (await admin()).ok('PUT', `/sensors/${birch.sensor.sensorId}/customer`, { customerId: maple.customerId });
    },
  };
};

/** Deletes a customer with a sensor and a webhook but no users. */
const customerDeleted = async ({ homes, receiver, admin, cloud, fresh }: Scene): Promise<Story> => {
  const client = await admin();
  const name = fresh('elm');
  const { id } = await client.ok<{ id: number }>('POST', '/customers', { name, location: '', email: '' });
  const device = await register(client, PROVISIONING_KEY, nextHardwareId());
  const toCustomer = (customerId: number | null) =>
    client.ok('PUT', `/sensors/${device.sensorId}/customer`, { customerId });
  await toCustomer(id);
  const hook = await addHook(client, receiver, id, fresh('admin'));
  homes.birch = {
    customerId: id,
    client,
    hooks: [hook],
    sensor: { ...device, device: client.as(device.deviceToken) },
  };
  return {
    duringRetries: async () => {
      await toCustomer(null);
      await client.ok('DELETE', `/customers/${id}`);
      await cloud.idle();
      receiver.closed.add(hook.path);
    },
  };
};

const failing = { rates: { trouble: 1 } } as const;

/** Faults in which users make changes between delivery retries. */
export const ofOperators: readonly Fault[] = [
  {
    title: 'a secret is rotated between retries: the receiver can verify later signatures',
    ...failing,
    story: secretRotated,
    steps: 1,
  },
  {
    title: 'a URL is changed between retries: all pending deliveries go to the new URL',
    ...failing,
    story: urlChanged,
  },
  {
    title: 'a webhook is disabled and enabled between retries: its deliveries are held, then sent',
    ...failing,
    story: webhookOff,
  },
  {
    title: 'a webhook is deleted between retries: its deliveries end with this reason, and all others arrive',
    ...failing,
    story: webhookDeleted,
    mayEnd: ['deleted'],
  },
  {
    title: 'a sensor is deleted between retries: its earlier falls are still delivered',
    ...failing,
    story: sensorDeleted,
    settings: { SENSOR_INACTIVE_AFTER_SECONDS: 60 },
  },
  {
    title: 'a sensor moves to another customer between retries: its earlier falls go to the previous customer',
    ...failing,
    story: sensorMoved,
  },
  {
    title: 'a customer is deleted between retries: its deliveries end with this reason, and no one else gets them',
    ...failing,
    story: customerDeleted,
    mayEnd: ['deleted'],
  },
];
