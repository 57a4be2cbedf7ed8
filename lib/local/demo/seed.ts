import { createClient } from '#lib/client/client.ts';
import type { FakeDevice } from '#lib/client/fake-device.ts';
import { listAll } from '#lib/client/list.ts';
import { ok } from '#lib/client/problem.ts';
import { type Home, homeOf } from '#lib/home/home.ts';
import { drawToken, hashSecret } from '#shared/auth/tokens.ts';
import { isUnnamedLoopback } from '#shared/delivery/loopback-target.ts';
import { randomUuid } from '#shared/domain/ids.ts';
import { deviceIdOf } from '#shared/domain/sensor/sensor.ts';
import type { Runtime } from '#shared/runtime/deps.ts';
import { store } from '#shared/store/store.ts';
import { findDemoUser, startDemoSession } from './person.ts';
import { ESCALATES_AFTER, HEAD_NURSE, NURSE } from './staff.ts';

/** The hardware ids of the demo sensors. */
const HARDWARE = ['02DE00000001', '02DE00000002', '02DE00000003'] as const;

export type Demo = { password: string | null; token: string; customerId: number; sensors: FakeDevice[] };
/** Creates part of the demo home. On failure, prints the reason and returns null. */
export type Attempt = <T>(part: string, act: () => Promise<T>) => Promise<T | null>;

/** Registers the demo devices with a temporary provisioning key. Known devices get a new token. */
const addSensors = async ({ table, now, random }: Runtime, home: Home, attempt: Attempt) => {
  const provisioningKey = drawToken('provisioning', random);
  const id = randomUuid(random);
  const { provisioning } = store(table);
  await provisioning.put(hashSecret(provisioningKey), {
    id,
    name: 'demo',
    manufacturer: 'maker_a',
    createDate: now(),
    expires: null,
    maxDevices: null,
  });
  const known = new Set<string>();
  for await (const sensor of listAll(home.client, '/sensors')) known.add(sensor.id);
  const sensors: FakeDevice[] = [];
  for (const hardwareId of HARDWARE) {
    const sensor = await attempt(`sensor ${hardwareId}`, async () => {
      const params = { path: { sensorId: deviceIdOf(hardwareId) } };
      if (known.has(params.path.sensorId)) await ok(home.client.POST('/sensors/{sensorId}/registration', { params }));
      return home.addSensor({ provisioningKey, hardwareId });
    });
    if (sensor) sensors.push(sensor);
  }
  await provisioning.remove(id);
  return sensors;
};

/** Updates the webhook URLs, because the receiver's address may have changed since an earlier start. */
const updateUrls = async ({ client }: Home, url: string): Promise<void> => {
  for await (const webhook of listAll(client, '/webhooks')) {
    if (webhook.url === url || ![NURSE, HEAD_NURSE].includes(webhook.name)) continue;
    const params = { path: { webhookId: webhook.id } };
    await ok(client.PUT('/webhooks/{webhookId}', { params, body: { ...webhook, url } }));
  }
};

const rules = [
  { situation: 'fall_detected', name: 'Falls' },
  { situation: 'occupied_room', name: 'Room occupied' },
  { situation: 'empty_room', name: 'Room empty' },
] as const;

/** Adds the recipients and rules. The head nurse is notified of a fall that nobody acknowledges. */
const addAlarms = async (home: Home, url: string, { settings }: Runtime, attempt: Attempt): Promise<void> => {
  const [page] = await ok(home.client.GET('/rules'));
  if (page && page.total > 0) return updateUrls(home, url);
  if (isUnnamedLoopback(url, settings))
    throw new Error(
      'HOST opens the service to others, so its receiver on this machine needs ALLOWED_TARGET_RANGES=127.0.0.1/32',
    );
  const staff = await attempt('the bots and webhooks, so there are no rules', async () => [
    await home.addRecipient(NURSE, { url }),
    await home.addRecipient(HEAD_NURSE, { url }),
  ]);
  const [nurse, head] = staff?.map(({ recipient }) => recipient) ?? [];
  if (!nurse || !head) return;
  const escalation = [{ afterSeconds: ESCALATES_AFTER, recipients: [head] }];
  for (const rule of rules)
    await attempt(`the rule for ${rule.situation}`, () =>
      home.addRule({ ...rule, recipients: [nurse], ...(rule.situation === 'fall_detected' && { escalation }) }),
    );
};

/**
 * Creates the demo care home, or finds the one created by an earlier start. `receiver` is the URL that gets the home's
 * alarms. Throws if the demo user cannot be created. Any other part that fails is skipped.
 */
export const seedDemo = async (
  runtime: Runtime,
  baseUrl: string,
  receiver: string,
  attempt: Attempt,
): Promise<Demo> => {
  const person = await findDemoUser(runtime, HARDWARE.map(deviceIdOf));
  const token = await startDemoSession(runtime, person);
  const reached = { baseUrl };
  const home = homeOf({ client: createClient({ ...reached, token }), reached });
  const sensors = await addSensors(runtime, home, attempt);
  await attempt('the alarms', () => addAlarms(home, receiver, runtime, attempt));
  return { password: person.password, token, customerId: person.customerId, sensors };
};
