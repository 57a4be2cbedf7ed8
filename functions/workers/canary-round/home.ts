import { drawToken, hashOf } from '#shared/auth/tokens.ts';
import { NewWebhook } from '#shared/domain/delivery/webhook.ts';
import { randomUuid } from '#shared/domain/ids.ts';
import { makers } from '#shared/domain/makers/makers.ts';
import { NewRule } from '#shared/domain/rule/rule.ts';
import { newSensor } from '#shared/domain/sensor/sensor.ts';
import type { Deps } from '#shared/runtime/deps.ts';
import type { CanaryHome } from '#shared/store/people/canary.ts';
import type { canaryRound } from './contract.ts';

export type CanaryDeps = Deps<(typeof canaryRound)['uses'][number]>;

const MAKER = 'maker_a';
const name = 'Canary';

/** Seals the token of the canary's device with this context. */
export const CONTEXT = 'canary';

/** Says what a step of furnishing refuses. The next round begins anew. */
const must = (made: unknown, wanted: unknown, what: string): void => {
  if (made !== wanted) throw new Error(`the canary has no ${what}: ${made}`);
};

/** Registers the device of the canary, by a key that nobody has and that is over, and links its sensor. */
const registerDevice = async ({ store, quotas, random, now }: CanaryDeps, customerId: number) => {
  const key = {
    id: randomUuid(random),
    maxDevices: 1,
    name,
    manufacturer: MAKER,
    expires: now(),
    createDate: now(),
  } as const;
  await store.provisioning.put(hashOf(drawToken('device', random)), key);
  const hardwareId = Buffer.from(random(6)).toString('hex').toUpperCase();
  const id = makers[MAKER].sensorIdOf(hardwareId, random(9));
  const token = drawToken('device', random);
  const sensor = newSensor({ id, hardwareId, manufacturer: MAKER, firmwareVersion: 0 }, now());
  const pairing = { hash: hashOf(randomUuid(random)), expires: now() };
  must(await store.devices.register(sensor, hashOf(token), pairing, key), 'done', 'device');
  const moved = await store.sensorOwners.move(0, id, { to: customerId, most: quotas.sensors, now: now() });
  must(typeof moved, 'object', 'sensor');
  return { id, token };
};

/** Makes the webhook of the canary, and the rule that tells it of falls. */
const watch = async ({ store, quotas, sealSecret, random, now }: CanaryDeps, customerId: number, url: string) => {
  const time = now();
  const stamps = { customerId, createDate: time, updateDate: time };
  const botId = await store.limits.nextNumber('accounts');
  must(await store.bots.create({ ...stamps, id: botId, name, locale: 'en' }, quotas.bots), null, 'bot');
  const id = randomUuid(random);
  const sealed = () => sealSecret(Buffer.from(random(24)).toString('base64url'), id);
  const webhook = {
    ...NewWebhook.parse({ name, url, format: 'full', isCustomerHook: false, botId }),
    ...stamps,
    id,
    secretKey: await sealed(),
    token: await sealed(),
    disabledReason: null,
    consecutiveFailures: 0,
  };
  must(await store.webhooks.create(webhook, quotas.webhooks), null, 'webhook');
  const rule = NewRule.parse({
    name,
    title: '{situation}',
    message: '{time}',
    situation: 'fall_detected',
    rateLimitSeconds: 0,
    recipients: [{ botId, webhookId: id }],
  });
  const made = await store.rules.create({ ...rule, ...stamps, id: await store.limits.nextNumber('rules') }, quotas);
  must(made, 'done', 'rule');
};

/**
 * Creates a customer with a sensor, a rule and a webhook to `url`, and keeps where that is. It writes to the store, where
 * `createHome` of lib/home calls the API: the function has no admin to log in as, and its home has no user.
 */
export const furnish = async (deps: CanaryDeps, url: string): Promise<CanaryHome> => {
  const { store, now, sealSecret } = deps;
  const time = now();
  const customerId = await store.limits.nextNumber('customers');
  await store.customers.create({
    id: customerId,
    createDate: time,
    updateDate: time,
    name,
    location: 'no home: it watches the service',
    email: '',
    timeZone: 'UTC',
  });
  const { id: sensorId, token } = await registerDevice(deps, customerId);
  await watch(deps, customerId, url);
  const home = { customerId, sensorId, deviceToken: await sealSecret(token, CONTEXT), url };
  await store.canary.settle(home, hashOf(token));
  return home;
};
