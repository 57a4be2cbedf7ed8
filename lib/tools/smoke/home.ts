import type { Client } from '#lib/client/client.ts';
import { ok } from '#lib/client/problem.ts';
import { createHome, type SetupSteps, withRandomSuffix } from '#lib/home/home.ts';

/** The app and device API addresses (both with /api/v1), the receiver address, and the webhook secret. */
type Target = { base: string; deviceBase: string; receiver: string; secret: string };

/** Creates a provisioning key that registers one device within ten minutes. */
const createKey = async (admin: Client, { step, undoLater }: SetupSteps): Promise<string> => {
  const body = { name: 'smoke', manufacturer: 'maker_a', expires: Date.now() + 600_000, maxDevices: 1 } as const;
  const { id, key } = await step('create a provisioning key', () => ok(admin.POST('/provisioning-keys', { body })));
  undoLater('the provisioning key', () =>
    ok(admin.DELETE('/provisioning-keys/{keyId}', { params: { path: { keyId: id } } })),
  );
  return key;
};

/** Creates everything the smoke test needs, as a system admin. The steps' cleanup removes it. */
export const createSmokeHome = async (
  admin: Client,
  { base, deviceBase, receiver, secret }: Target,
  steps: SetupSteps,
) => {
  const home = await createHome(admin, {
    reached: { baseUrl: base },
    name: withRandomSuffix('Smoke test '),
    user: { username: withRandomSuffix('smoke-'), permissions: ['manage_sensors', 'manage_bots', 'manage_rules'] },
    steps,
  });
  const { client, customerId } = home;
  await steps.step('log in as the user', () =>
    ok(client.GET('/users/{userId}', { params: { path: { userId: 'me' } } })),
  );
  const device = await home.addSensor({ baseUrl: deviceBase, provisioningKey: await createKey(admin, steps) });
  const { webhook, recipient } = await home.addRecipient('Smoke test', { url: receiver, secretKey: secret });
  await home.addRule({
    name: 'Falls',
    title: 'Smoke test',
    message: 'This is a smoke test. Nobody fell.',
    situation: 'fall_detected',
    sensorId: device.sensorId,
    recipients: [recipient],
  });
  return { client, customerId, device, webhookId: webhook.id };
};
export type SmokeHome = Awaited<ReturnType<typeof createSmokeHome>>;
