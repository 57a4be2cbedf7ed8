import type { Client } from '#lib/client/client.ts';
import { ok } from '#lib/client/problem.ts';
import { createHome, type Steps, tagged } from '#lib/home/home.ts';

/** `deviceBase` is the address that devices call, with /api/v1; `secret` signs the requests of the webhook. */
type Setting = { base: string; deviceBase: string; receiver: string; secret: string };

/** Creates a provisioning key, which registers one device within ten minutes. */
const createKey = async (admin: Client, { step, undoLater }: Steps): Promise<string> => {
  const body = { name: 'smoke', manufacturer: 'maker_a', expires: Date.now() + 600_000, maxDevices: 1 } as const;
  const { id, key } = await step('make a provisioning key', () => ok(admin.POST('/provisioning-keys', { body })));
  undoLater('the provisioning key', () =>
    ok(admin.DELETE('/provisioning-keys/{keyId}', { params: { path: { keyId: id } } })),
  );
  return key;
};

/** Creates as a system admin all that the main case needs. The clean-up of the steps removes all of it. */
export const settle = async (admin: Client, { base, deviceBase, receiver, secret }: Setting, steps: Steps) => {
  const home = await createHome(admin, {
    reached: { baseUrl: base },
    name: tagged('Smoke test '),
    user: { username: tagged('smoke-'), permissions: ['manage_sensors', 'manage_bots', 'manage_rules'] },
    steps,
  });
  const { client, customerId } = home;
  await steps.step('log the user in', () => ok(client.GET('/users/{userId}', { params: { path: { userId: 'me' } } })));
  const device = await home.addSensor({ baseUrl: deviceBase, provisioningKey: await createKey(admin, steps) });
  const { webhook, recipient } = await home.addRecipient('Smoke test', { url: receiver, secretKey: secret });
  await home.addRule({
    name: 'Falls',
    title: 'Smoke test',
    message: 'Nobody fell: this is a smoke test',
    situation: 'fall_detected',
    sensorId: device.sensorId,
    recipients: [recipient],
  });
  return { client, customerId, device, webhookId: webhook.id };
};
export type Home = Awaited<ReturnType<typeof settle>>;
