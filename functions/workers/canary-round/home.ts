import { drawToken, hashSecret } from '#shared/auth/tokens.ts';
import { NewWebhook, WebhookUpdate } from '#shared/domain/delivery/webhook.ts';
import { randomUuid } from '#shared/domain/ids.ts';
import { makers } from '#shared/domain/makers/makers.ts';
import { NewRule } from '#shared/domain/rule/rule.ts';
import { newSensor } from '#shared/domain/sensor/sensor.ts';
import type { Deps } from '#shared/runtime/deps.ts';
import type { CanarySetup } from '#shared/store/people/canary.ts';
import type { canaryRound } from './contract.ts';

export type CanaryDeps = Deps<(typeof canaryRound)['uses'][number]>;

const MAKER = 'maker_a';
const name = 'Canary';

/** The encryption context for the canary device token. */
export const TOKEN_CONTEXT = 'canary';

/** Throws if a setup step failed. The next round starts from scratch. */
const expectResult = (result: unknown, expected: unknown, part: string): void => {
  if (result !== expected) throw new Error(`the canary has no ${part}: ${result}`);
};

/** Registers the canary device with an expired provisioning key that no one has, and links the sensor. */
const registerDevice = async ({ store, quotas, random, now }: CanaryDeps, customerId: number) => {
  const key = {
    id: randomUuid(random),
    maxDevices: 1,
    name,
    manufacturer: MAKER,
    expires: now(),
    createDate: now(),
  } as const;
  await store.provisioning.put(hashSecret(drawToken('device', random)), key);
  const hardwareId = Buffer.from(random(6)).toString('hex').toUpperCase();
  const id = makers[MAKER].sensorIdOf(hardwareId, random(9));
  const token = drawToken('device', random);
  const sensor = newSensor({ id, hardwareId, manufacturer: MAKER, firmwareVersion: 0 }, now());
  const pairing = { hash: hashSecret(randomUuid(random)), expires: now() };
  expectResult(await store.devices.register(sensor, hashSecret(token), pairing, key), 'done', 'device');
  const moved = await store.sensorOwners.move(0, id, { to: customerId, most: quotas.sensors, now: now() });
  expectResult(typeof moved, 'object', 'sensor');
  return { id, token };
};

const fieldsOf = (url: string, botId: number | null) =>
  ({ name, url, format: 'full', isCustomerHook: false, botId }) as const;

/** Enables the canary webhook if it is disabled. */
export const enableWebhook = async (
  { store, now, log }: CanaryDeps,
  { customerId, url }: CanarySetup,
): Promise<void> => {
  const webhook = (await store.webhooks.list(customerId)).find((one) => one.url === url);
  if (!webhook || webhook.isEnabled) return;
  const update = WebhookUpdate.parse({ ...fieldsOf(url, webhook.botId), isEnabled: true });
  await store.webhooks.replace(webhook, update, now());
  log('warn', 'the webhook of the canary was enabled again', { customerId, webhookId: webhook.id });
};

/** Creates the canary webhook, and the rule that sends falls to it. */
const createRule = async (
  { store, quotas, encryptSecret, random, now }: CanaryDeps,
  customerId: number,
  url: string,
) => {
  const time = now();
  const stamps = { customerId, createDate: time, updateDate: time };
  const botId = await store.limits.nextNumber('accounts');
  expectResult(await store.bots.create({ ...stamps, id: botId, name, locale: 'en' }, quotas.bots), null, 'bot');
  const id = randomUuid(random);
  const newSecret = () => encryptSecret(Buffer.from(random(24)).toString('base64url'), id);
  const webhook = {
    ...NewWebhook.parse(fieldsOf(url, botId)),
    ...stamps,
    id,
    secretKey: await newSecret(),
    token: await newSecret(),
    disabledReason: null,
    consecutiveFailures: 0,
  };
  expectResult(await store.webhooks.create(webhook, quotas.webhooks), null, 'webhook');
  const rule = NewRule.parse({
    name,
    title: '{situation}',
    message: '{time}',
    situation: 'fall_detected',
    rateLimitSeconds: 0,
    recipients: [{ botId, webhookId: id }],
  });
  const created = await store.rules.create({ ...rule, ...stamps, id: await store.limits.nextNumber('rules') }, quotas);
  expectResult(created, 'done', 'rule');
};

/**
 * Creates a customer with a sensor, a rule and a webhook to `url`, and stores their ids. Unlike `createHome` in
 * lib/home, which calls the API, this writes to the store. The function has no admin to log in as, and the home has no
 * user.
 */
export const createCanaryHome = async (deps: CanaryDeps, url: string): Promise<CanarySetup> => {
  const { store, now, encryptSecret } = deps;
  const time = now();
  const customerId = await store.limits.nextNumber('customers');
  await store.customers.create({
    id: customerId,
    createDate: time,
    updateDate: time,
    name,
    location: 'not a home: monitors the service',
    email: '',
    timeZone: 'UTC',
  });
  const { id: sensorId, token } = await registerDevice(deps, customerId);
  await createRule(deps, customerId, url);
  const home = { customerId, sensorId, deviceToken: await encryptSecret(token, TOKEN_CONTEXT), url };
  await store.canary.storeSetup(home, hashSecret(token));
  return home;
};
