import { randomBytes } from 'node:crypto';
import { type Client, type ClientOptions, createClient } from '#lib/client/client.ts';
import { FakeDevice, type NewFakeDevice } from '#lib/client/fake-device.ts';
import { ok } from '#lib/client/problem.ts';
import type { NewRule, NewUser, NewWebhook } from '#openapi';

type Reached = Pick<ClientOptions, 'baseUrl' | 'fetch'>;
/** Sees each step of making a home, and gets what removes its result again. */
export type Steps = {
  step: <T>(what: string, run: () => Promise<T>) => Promise<T>;
  undoLater: (what: string, undo: () => Promise<unknown>) => void;
};
const unwatched: Steps = { step: (_, run) => run(), undoLater: () => {} };

/** What a home may leave out of a body has a default, here or in the API. */
export type HomeUser = Partial<Omit<NewUser, 'permissions'>> & {
  username: string;
  permissions: readonly NewUser['permissions'][number][];
};
type Device = Partial<NewFakeDevice> & Pick<NewFakeDevice, 'provisioningKey'>;
type Webhook = Partial<NewWebhook> & Pick<NewWebhook, 'name' | 'url'>;
type Rule = Partial<NewRule> & Pick<NewRule, 'name' | 'situation' | 'recipients'>;

/** Creates a user, with a random password unless one is given. */
export const addUser = async (admin: Client, user: HomeUser, { step, undoLater }: Steps = unwatched) => {
  const password = randomBytes(18).toString('base64url');
  const body = { firstName: 'Home', lastName: 'Manager', email: '', password, ...user } as NewUser;
  const { id } = await step('make a user', () => ok(admin.POST('/users', { body })));
  undoLater('the user', () => ok(admin.DELETE('/users/{userId}', { params: { path: { userId: id } } })));
  return { id, username: body.username, password: body.password };
};

type HomeOptions = { client: Client; reached: Reached; admin?: Client; steps?: Steps };

/** What the user of `client` adds to the home of a customer. A sensor can be removed again by an admin alone. */
export const homeOf = ({ client, reached, admin = client, steps = unwatched }: HomeOptions) => {
  const { step, undoLater } = steps;
  const addWebhook = async (webhook: Webhook) => {
    const body = { format: 'full', isCustomerHook: false, ...webhook } as NewWebhook;
    const made = await step('make a webhook', () => ok(client.POST('/webhooks', { body })));
    const path = { webhookId: made.id };
    undoLater('the webhook', () => ok(client.DELETE('/webhooks/{webhookId}', { params: { path } })));
    return made;
  };
  return {
    client,
    /** Registers a device, and links its sensor to the customer. Its MAC is a local one, which no real device has. */
    addSensor: async ({ manufacturer = 'maker_a', ...given }: Device) => {
      const hardwareId = `02${randomBytes(5).toString('hex')}`;
      const device = { ...reached, manufacturer, hardwareId, ...given };
      const sensor = await step('register a device', () => FakeDevice.register(device));
      const params = { path: { sensorId: sensor.sensorId } };
      undoLater('the sensor', async () => {
        // An active sensor cannot be deleted. A sensor without a customer is not active.
        await ok(admin.PUT('/sensors/{sensorId}/customer', { params, body: { customerId: null } }));
        await ok(admin.DELETE('/sensors/{sensorId}', { params }));
      });
      const body = { manufacturer, code: sensor.pairingCode };
      await step('link the sensor', () => ok(client.POST('/sensors/link', { body })));
      return sensor;
    },
    addWebhook,
    /** Adds a bot with a webhook, which rules can name. */
    addRecipient: async (name: string, webhook: Omit<Webhook, 'name'> & { name?: string }) => {
      const bot = await step('make a bot', () => ok(client.POST('/bots', { body: { name, locale: 'en' } })));
      undoLater('the bot', () => ok(client.DELETE('/bots/{botId}', { params: { path: { botId: bot.id } } })));
      const made = await addWebhook({ name, ...webhook, botId: bot.id });
      return { bot, webhook: made, recipient: { botId: bot.id, webhookId: made.id } };
    },
    addRule: async (rule: Rule) => {
      const body = { title: '{sensor}: {situation}', message: '{location}, {time}', ...rule } as NewRule;
      const made = await step('make a rule', () => ok(client.POST('/rules', { body })));
      undoLater('the rule', () => ok(client.DELETE('/rules/{ruleId}', { params: { path: { ruleId: made.id } } })));
      return made;
    },
  };
};
export type Home = ReturnType<typeof homeOf>;

type NewHome = { reached: Reached; name: string; location?: string; user: HomeUser; steps?: Steps };

/** Creates a customer with a user who adds the rest of the home. */
export const createHome = async (admin: Client, given: NewHome) => {
  const { reached, name, location = '', user, steps = unwatched } = given;
  const body = { name, location, email: '' };
  const { id: customerId } = await steps.step('make a customer', () => ok(admin.POST('/customers', { body })));
  const params = { path: { customerId } };
  steps.undoLater('the customer', () => ok(admin.DELETE('/customers/{customerId}', { params })));
  const { id: userId, username, password } = await addUser(admin, { ...user, customerId }, steps);
  const client = createClient({ ...reached, username, password });
  return { customerId, userId, username, password, ...homeOf({ client, reached, admin, steps }) };
};

/** Adds some random letters to a name, by which runs are told apart. */
export const tagged = (name: string): string => `${name}${randomBytes(3).toString('hex')}`;
