import { describe, expect, test } from 'vitest';
import { createCanaryHome, enableWebhook, TOKEN_CONTEXT } from '#functions/workers/canary-round/home.ts';
import { hashSecret } from '#shared/auth/tokens.ts';
import { items } from '#shared/store/table.ts';
import { createCanaryWorld } from '#test/fixtures/canary.ts';
import { some } from '#test/fixtures/store-items.ts';
import { NOW } from '#test/fixtures/stub-deps.ts';

const url = 'https://cloud.example.org/api/v1/canary';

const createWorld = async () => {
  const world = await createCanaryWorld();
  const { its, deps } = world;
  return {
    ...world,
    create: () => createCanaryHome(deps, url),
    webhook: async (customerId: number) => {
      const [webhook] = await its.webhooks.list(customerId);
      if (!webhook) throw new Error('the canary has no webhook');
      return webhook;
    },
  };
};

describe('the home of the canary', () => {
  test('it is a customer with a linked sensor', async () => {
    const { its, create } = await createWorld();
    const { customerId, sensorId, url: stored } = await create();
    const stamps = { createDate: NOW, updateDate: NOW };
    expect(await its.customers.get(customerId)).toMatchObject({
      ...stamps,
      name: 'Canary',
      email: '',
      timeZone: 'UTC',
    });
    expect(await its.sensors.get(customerId, sensorId)).toMatchObject({
      customerId,
      manufacturer: 'maker_a',
      hardwareId: expect.stringMatching(/^[0-9A-F]{12}$/),
      firmwareVersion: 0,
    });
    expect([stored, await its.canary.setup()]).toMatchObject([url, { customerId, sensorId, url }]);
  });

  test('the device is marked, and the token is stored encrypted', async () => {
    const { table, create } = await createWorld();
    const { customerId, sensorId, deviceToken } = await create();
    const [context, token = ''] = deviceToken.split('|');
    expect(context).toBe(TOKEN_CONTEXT);
    const device = await table.get(items.device({ hash: hashSecret(token) }));
    expect(device).toMatchObject({ isCanary: true, customerId, sensorId });
  });

  test('no one can register another device with its key or pair it', async () => {
    const { table, create } = await createWorld();
    const { sensorId } = await create();
    const keys = await table.queryAll<Record<string, unknown>>({ pk: items.listedKey.pk({}) });
    expect(keys).toMatchObject([
      { name: 'Canary', maxDevices: 1, manufacturer: 'maker_a', expires: NOW, createDate: NOW },
    ]);
    const link = await table.get<{ pairingHash: string }>(items.deviceOfSensor({ sensorId }));
    expect(await table.get(items.pairingCode({ hash: link?.pairingHash ?? '' }))).toMatchObject({ expires: NOW });
  });

  test('falls go to its webhook, with secrets that are encrypted for this webhook', async () => {
    const { its, create } = await createWorld();
    const { customerId } = await create();
    const [webhook, ...more] = await its.webhooks.list(customerId);
    const [bot] = await its.bots.list(customerId);
    expect([more, bot]).toMatchObject([[], { name: 'Canary', locale: 'en', customerId }]);
    expect(webhook).toMatchObject({
      ...{ name: 'Canary', url, format: 'full', isCustomerHook: false, botId: bot?.id, isEnabled: true },
      ...{ disabledReason: null, consecutiveFailures: 0, createDate: NOW, updateDate: NOW },
    });
    const { id = '', secretKey, token } = webhook ?? {};
    const secrets = [secretKey, token].map((secret) => secret?.split('|'));
    for (const [context, secret = ''] of secrets as [string, string][])
      expect([context, Buffer.from(secret, 'base64url').length]).toEqual([id, 24]);
    expect(secrets[0]).not.toEqual(secrets[1]);
    expect(await its.rules.list(customerId)).toMatchObject([
      {
        ...{ name: 'Canary', title: '{situation}', message: '{time}', situation: 'fall_detected', rateLimitSeconds: 0 },
        ...{ isEnabled: true, sensorId: null, recipients: [{ botId: bot?.id, webhookId: id }], createDate: NOW },
      },
    ]);
  });

  test('the customer, the bot and the rule have numbers that no one else gets', async () => {
    const { its, create } = await createWorld();
    const { customerId } = await create();
    const [[bot], [rule]] = [await its.bots.list(customerId), await its.rules.list(customerId)];
    expect(await its.limits.nextNumber('customers')).toBe(customerId + 1);
    expect(await its.limits.nextNumber('accounts')).toBe(Number(bot?.id) + 1);
    expect(await its.limits.nextNumber('rules')).toBe(Number(rule?.id) + 1);
  });

  test.each([
    ['device', 'devices', 'register', 'taken'],
    ['sensor', 'sensorOwners', 'move', 'string'],
    ['bot', 'bots', 'create', 'limit_reached'],
    ['webhook', 'webhooks', 'create', 'limit_reached'],
    ['rule', 'rules', 'create', 'rules'],
  ] as const)('a home without a %s is not stored, so that the next round starts from scratch', async (...refused) => {
    const [part, noun, call, why] = refused;
    const { its, create } = await createWorld();
    Object.assign(its[noun], { [call]: async () => why });
    await expect(create()).rejects.toThrow(`the canary has no ${part}: ${why}`);
    expect(await its.canary.setup()).toBeNull();
  });
});

describe('enabling the webhook of the canary', () => {
  const createDisabled = async () => {
    const world = await createWorld();
    const home = await world.create();
    await world.its.health.disable(await world.webhook(home.customerId), NOW, 'failing', null);
    return { ...world, home };
  };

  test('a disabled webhook gets enabled, and is otherwise unchanged', async () => {
    const { deps, home, webhook, logged, pass } = await createDisabled();
    const before = await webhook(home.customerId);
    pass(1);
    await enableWebhook(deps, home);
    const after = await webhook(home.customerId);
    const changed = { isEnabled: true, disabledReason: null, consecutiveFailures: 0, updateDate: NOW + 1 };
    expect(after).toMatchObject({ url, botId: before.botId, format: 'full', name: 'Canary', ...changed });
    expect([after.secretKey, after.token]).toEqual([before.secretKey, before.token]);
    const ids = { customerId: home.customerId, webhookId: before.id };
    expect(logged).toEqual([['warn', 'the webhook of the canary was enabled again', ids]]);
  });

  test('an enabled webhook is left alone', async () => {
    const { deps, create, webhook, logged, pass } = await createWorld();
    const home = await create();
    pass(1);
    await enableWebhook(deps, home);
    expect([(await webhook(home.customerId)).updateDate, logged]).toEqual([NOW, []]);
  });

  test('a webhook with another URL is left alone', async () => {
    const { deps, home, webhook } = await createDisabled();
    await enableWebhook(deps, some({ ...home, url: 'https://other.example.org' }));
    expect((await webhook(home.customerId)).isEnabled).toBe(false);
  });
});
