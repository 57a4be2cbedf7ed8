import { randomBytes } from 'node:crypto';
import { type Client, type ClientOptions, createClient } from '#lib/client/client.ts';
import { FakeDevice, type NewFakeDevice } from '#lib/client/fake-device.ts';
import { ok } from '#lib/client/problem.ts';
import type { RuleCreation, UserCreation, WebhookCreation } from '#openapi';

type Connection = Pick<ClientOptions, 'baseUrl' | 'fetch'>;
/** Runs the steps that create a home and records how to undo them. */
export type SetupSteps = {
  step: <T>(what: string, run: () => Promise<T>) => Promise<T>;
  undoLater: (what: string, undo: () => Promise<unknown>) => void;
};
const plainSteps: SetupSteps = { step: (_, run) => run(), undoLater: () => {} };

/** The fields for a new user. Defaults for optional fields are set here or in the API. */
export type HomeUser = Partial<Omit<UserCreation, 'permissions'>> & {
  username: string;
  permissions: readonly UserCreation['permissions'][number][];
};
type Device = Partial<NewFakeDevice> & Pick<NewFakeDevice, 'provisioningKey'>;
type Webhook = Partial<WebhookCreation> & Pick<WebhookCreation, 'name' | 'url'>;
type Rule = Partial<RuleCreation> & Pick<RuleCreation, 'name' | 'situation' | 'recipients'>;

/** Creates a user, by default with a random password. */
export const addUser = async (admin: Client, user: HomeUser, { step, undoLater }: SetupSteps = plainSteps) => {
  const { password = randomBytes(18).toString('base64url'), ...rest } = user;
  const body = { firstName: 'Home', lastName: 'Manager', email: '', password, ...rest } as UserCreation;
  const { id } = await step('create a user', () => ok(admin.POST('/users', { body })));
  undoLater('the user', () => ok(admin.DELETE('/users/{userId}', { params: { path: { userId: String(id) } } })));
  return { id, username: body.username, password };
};

type HomeOptions = { client: Client; reached: Connection; admin?: Client; steps?: SetupSteps };

/** Returns functions that extend a home as the `client` user. Only an admin can remove a sensor. */
export const homeOf = ({ client, reached, admin = client, steps = plainSteps }: HomeOptions) => {
  const { step, undoLater } = steps;
  const addWebhook = async (webhook: Webhook) => {
    const body = { format: 'full', isCustomerHook: false, ...webhook } as WebhookCreation;
    const created = await step('create a webhook', () => ok(client.POST('/webhooks', { body })));
    const path = { webhookId: created.id };
    undoLater('the webhook', () => ok(client.DELETE('/webhooks/{webhookId}', { params: { path } })));
    return created;
  };
  return {
    client,
    /**
     * Registers a device and links the sensor to the customer. The MAC is locally administered, unlike a real device's.
     */
    addSensor: async ({ manufacturer = 'maker_a', ...options }: Device) => {
      const hardwareId = `02${randomBytes(5).toString('hex')}`;
      const device = { ...reached, manufacturer, hardwareId, ...options };
      const sensor = await step('register a device', () => FakeDevice.register(device));
      const params = { path: { sensorId: sensor.sensorId } };
      undoLater('the sensor', async () => {
        // An active sensor cannot be deleted, so removing its customer makes it inactive first.
        await ok(admin.PUT('/sensors/{sensorId}/customer', { params, body: { customerId: null } }));
        await ok(admin.DELETE('/sensors/{sensorId}', { params }));
      });
      const body = { manufacturer, code: sensor.pairingCode };
      await step('link the sensor', () => ok(client.POST('/sensors/link', { body })));
      return sensor;
    },
    addWebhook,
    /** Adds a bot with a webhook to use as a rule recipient. */
    addRecipient: async (name: string, webhook: Omit<Webhook, 'name'> & { name?: string }) => {
      const bot = await step('create a bot', () => ok(client.POST('/bots', { body: { name, locale: 'en' } })));
      undoLater('the bot', () => ok(client.DELETE('/bots/{botId}', { params: { path: { botId: bot.id } } })));
      const created = await addWebhook({ name, ...webhook, botId: bot.id });
      return { bot, webhook: created, recipient: { botId: bot.id, webhookId: created.id } };
    },
    addRule: async (rule: Rule) => {
      const body = { title: '{sensor}: {situation}', message: '{location}, {time}', ...rule } as RuleCreation;
      const created = await step('create a rule', () => ok(client.POST('/rules', { body })));
      undoLater('the rule', () => ok(client.DELETE('/rules/{ruleId}', { params: { path: { ruleId: created.id } } })));
      return created;
    },
  };
};
export type Home = ReturnType<typeof homeOf>;

type NewHome = { reached: Connection; name: string; location?: string; user: HomeUser; steps?: SetupSteps };

/** Creates a customer and a user who can add the rest of the home. */
export const createHome = async (
  admin: Client,
  { reached, name, location = '', user, steps = plainSteps }: NewHome,
) => {
  const body = { name, location, email: '' };
  const { id: customerId } = await steps.step('create a customer', () => ok(admin.POST('/customers', { body })));
  const params = { path: { customerId } };
  steps.undoLater('the customer', () => ok(admin.DELETE('/customers/{customerId}', { params })));
  const { id: userId, username, password } = await addUser(admin, { ...user, customerId }, steps);
  const client = createClient({ ...reached, username, password });
  return { customerId, userId, username, password, ...homeOf({ client, reached, admin, steps }) };
};

/** Adds a random suffix to a name to tell runs apart. */
export const withRandomSuffix = (name: string): string => `${name}${randomBytes(3).toString('hex')}`;
