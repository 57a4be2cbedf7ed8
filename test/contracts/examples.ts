import { library } from '#functions/api/docs/library.ts';
import { hashSecret } from '#shared/auth/tokens.ts';
import { criticalFields } from '#shared/domain/config/critical.ts';
import { defaultsOf } from '#shared/domain/config/field.ts';
import { usernameKey } from '#shared/domain/identity/username.ts';
import * as makerA from '#shared/domain/makers/maker-a/config.ts';
import * as makerB from '#shared/domain/makers/maker-b/config.ts';
import { defaultRoom } from '#shared/domain/sensor/room-geometry.ts';
import { store } from '#shared/store/store.ts';
import { type Client, register } from '../fixtures/client.ts';
import { PROVISIONING_KEY } from '../fixtures/cloud.ts';
import { fallMessage, linkSensor, nextHardwareId } from '../fixtures/home.ts';
import { channelExamples } from './channel-examples.ts';
import { dataExamples } from './data-examples.ts';
import { opinion, rule, webhook } from './ids-in-bodies.ts';
import { loginExamples } from './login-examples.ts';
import type { World } from './world.ts';

/**
 * A valid request. Missing parts are filled in: our customer's ids in the path, and a client with the permission to
 * send it.
 */
export type Example = {
  params?: Readonly<Record<string, string>>;
  query?: Readonly<Record<string, string>>;
  body?: unknown;
  client?: Client;
};

let last = 0;
const fresh = (name: string) => `${name} ${++last}`;
const person = () => ({ username: fresh('example'), password: 'a-password-of-no-interest', ...names });
const names = { firstName: 'A', lastName: 'B', email: 'a@example.com' };

const profile = { ...names, locale: 'en', telegramId: null, mobileNumber: null };
const token = { name: 'n' };
const newPassword = 'another-password-of-no-interest';

/** Creates a user at our customer, whom the request may change permanently. */
const newUser = async ({ ours }: World): Promise<Readonly<Record<string, string>>> => {
  const { id } = await ours.client.ok<{ id: number }>('POST', '/users', person());
  return { userId: String(id) };
};

const firmware = () => ({ versionCode: 1_000 + ++last, versionName: 'v', buildDate: 0, isDefault: false });
/** Creates a firmware version, which the request may change permanently. */
const newFirmware = async (admin: Client): Promise<Readonly<Record<string, string>>> => {
  const { versionCode } = await admin.ok<{ versionCode: number }>('POST', '/firmwares/maker_b', firmware());
  return { manufacturer: 'maker_b', versionCode: String(versionCode) };
};
const sensorGroup = async ({ ours }: World): Promise<Example> => ({
  body: { name: 'n', sensorIds: [(await linkSensor(ours.client)).sensorId] },
});

/** Creates an object at our customer, which the request deletes. */
const another = async ({ ours }: World, kind: 'bot' | 'rule' | 'webhook', body: object): Promise<Example> => {
  const { id } = await ours.client.ok<{ id: string | number }>('POST', `/${kind}s`, body);
  return { params: { [`${kind}Id`]: String(id) } };
};

const nothing = (): Example => ({});

/** Withdraws the acknowledgement of our hit. */
const open = async ({ ours: { client, ids } }: World): Promise<Example> => {
  const path = `/customers/${ids.customerId}/rule-hits/${ids.ruleHitId}/acknowledgement`;
  await client.ok('DELETE', path);
  return { body: {} };
};
/** Names a fall other than our hit's, because a closed fall stays closed. */
const otherFall = async ({ ours: { client, ids } }: World): Promise<Example> => {
  const [page] = await client.ok<{ data: { uuid: string; type: string }[] }[]>(
    'GET',
    `/sensors/${ids.sensorId}/events`,
  );
  const uuid = page?.data.find((event) => event.type === 'fall' && event.uuid !== ids.uuid)?.uuid;
  return { params: { uuid: uuid ?? '' } };
};
const byAddress = async (world: World): Promise<Example> => {
  await open(world);
  return { params: { address: world.ours.ids.address ?? '' } };
};

/** Acknowledges our hit through a link, and names that acknowledgement. */
const acknowledged = async (world: World): Promise<Example> => {
  const { params } = await byAddress(world);
  const { date } = await world.anybody.ok<{ date: number }>('POST', `/acknowledge/${params?.address}`, {
    name: 'Anna',
  });
  return { params: { ...params, date: String(date) } };
};

/** An example for each operation. The contract tests fail until a new operation has one. */
export const examples: Readonly<Record<string, (world: World) => Example | Promise<Example>>> = {
  login: ({ ours: { username, password } }) => ({ body: { username, password } }),
  logout: nothing,
  listUsers: nothing,
  createUser: () => ({ body: person() }),
  getUser: nothing,
  requestPasswordReset: () => ({ body: { username: fresh('nobody') } }),
  confirmPasswordReset: async ({ cloud, ours }) => {
    const { username, password, ...rest } = person();
    await ours.client.ok('POST', '/users', { username, password, ...rest });
    const { sessions, resets } = store(cloud.runtime.table);
    const accountKey = (await sessions.accountKeyOf(usernameKey(username))) ?? '';
    const code = fresh('code');
    await resets.create(hashSecret(code), {
      accountKey,
      accountId: ours.userId,
      customerId: ours.customerId,
      username,
      epoch: 0,
      mailbox: 0,
      createDate: 0,
      expires: Date.now() + 60_000,
    });
    return { body: { code, newPassword } };
  },
  updateUser: async (world) => ({ params: await newUser(world), body: profile }),
  deleteUser: async (world) => ({ params: await newUser(world) }),
  setUserAccess: async (world) => ({ params: await newUser(world), body: { canLogin: true, permissions: [] } }),
  setUserPassword: async (world) => ({ params: await newUser(world), body: { newPassword } }),
  listAccessTokens: async (world) => ({ params: await newUser(world) }),
  createAccessToken: async (world) => ({ params: await newUser(world), body: token }),
  deleteAccessToken: async (world) => {
    const params = await newUser(world);
    const { id } = await world.ours.client.ok<{ id: string }>('POST', `/users/${params.userId}/access-tokens`, token);
    return { params: { ...params, tokenId: id } };
  },
  ...channelExamples,
  ...loginExamples,
  ...dataExamples,
  listCustomers: nothing,
  createCustomer: () => ({ body: { name: 'n', location: '', email: '' } }),
  getCustomer: nothing,
  updateCustomer: () => ({ body: { name: 'n', location: '', email: '' } }),
  getEmergencyContacts: nothing,
  setEmergencyContacts: () => ({ body: [] }),
  deleteCustomer: async ({ admin }) => {
    const { id } = await admin.ok('POST', '/customers', { name: 'n', location: '', email: '' });
    return { params: { customerId: String(id) } };
  },
  listSensors: nothing,
  listAudit: nothing,
  listOpenFalls: nothing,
  getWatch: nothing,
  listAlarms: nothing,
  listCustomerStates: ({ ours: { customerId } }) => ({ query: { customerIds: String(customerId) } }),
  getStation: nothing,
  getReport: nothing,
  downloadReport: nothing,
  linkSensor: async ({ anybody }) => {
    const { pairingCode: code } = await register(anybody, PROVISIONING_KEY, nextHardwareId());
    return { body: { manufacturer: 'maker_a', code } };
  },
  getSensor: nothing,
  deleteSensor: async ({ ours }) => ({ params: { sensorId: (await linkSensor(ours.client)).sensorId } }),
  allowRegistration: nothing,
  getSensorStatus: nothing,
  listSensorEvents: nothing,
  getSensorEvent: nothing,
  setSensorCustomer: async ({ anybody, ours }) => {
    const { sensorId } = await register(anybody, PROVISIONING_KEY, nextHardwareId());
    return { params: { sensorId }, body: { customerId: ours.customerId } };
  },
  listSensorGroups: nothing,
  createSensorGroup: sensorGroup,
  getSensorGroup: nothing,
  updateSensorGroup: sensorGroup,
  getFloorPlan: nothing,
  setFloorPlan: () => ({ body: { width: 40, height: 20, rooms: [] } }),
  deleteSensorGroup: async ({ ours }) => {
    const { id } = await ours.client.ok<{ id: number }>('POST', '/sensor-groups', { name: 'n', sensorIds: [] });
    return { params: { groupId: String(id) } };
  },
  getRoom: nothing,
  putRoom: () => ({ body: defaultRoom }),
  listRegions: nothing,
  listFeedback: nothing,
  createFeedback: ({ ours: { ids } }) => ({
    body: { ...opinion, ruleHitId: Number(ids.ruleHitId), eventId: ids.eventId },
  }),
  deleteFeedback: async ({ ours: { client, sensor } }) => {
    const path = `/sensors/${sensor.sensorId}/feedback`;
    const { id } = await client.ok<{ id: number }>('POST', path, opinion);
    return { params: { feedbackId: String(id) } };
  },
  getMakerABasicConfig: nothing,
  putMakerABasicConfig: () => ({ body: { ...defaultsOf(makerA.basicFields), name: 'Room 1' } }),
  getMakerADryContactConfig: nothing,
  putMakerADryContactConfig: () => ({ body: defaultsOf(makerA.dryContactFields) }),
  getMakerAFirmwareConfig: nothing,
  putMakerAFirmwareConfig: () => ({ body: defaultsOf(makerA.firmwareFields) }),
  getMakerATelemetryConfig: nothing,
  putMakerATelemetryConfig: () => ({ body: defaultsOf(makerA.telemetryFields) }),
  getMakerACriticalConfig: nothing,
  putMakerACriticalConfig: () => ({ body: defaultsOf(criticalFields) }),
  getMakerBBasicConfig: nothing,
  putMakerBBasicConfig: () => ({ body: { ...defaultsOf(makerB.basicFields), name: 'Room 2' } }),
  getMakerBFallConfig: nothing,
  putMakerBFallConfig: () => ({ body: defaultsOf(makerB.fallFields) }),
  getMakerBVitalDataConfig: nothing,
  putMakerBVitalDataConfig: () => ({ body: defaultsOf(makerB.vitalFields) }),
  listRuleHits: nothing,
  getRuleHit: nothing,
  acknowledgeRuleHit: open,
  withdrawAcknowledgement: async (world) => {
    await open(world);
    return {};
  },
  acknowledgeFall: open,
  withdrawFallAcknowledgement: async (world) => {
    await open(world);
    return {};
  },
  closeFall: async (world) => ({ ...(await otherFall(world)), body: { outcome: 'helped', note: fresh('n') } }),
  acknowledgeByAddress: async (world) => ({ ...(await byAddress(world)), body: { name: 'Anna' } }),
  getAcknowledgePage: byAddress,
  acknowledgeByPage: byAddress,
  withdrawByPage: acknowledged,
  listMakerAFirmwares: nothing,
  listFirmwares: nothing,
  createFirmware: () => ({ body: firmware() }),
  deleteFirmware: async ({ admin }) => ({ params: await newFirmware(admin) }),
  setDefaultFirmware: async ({ admin }) => ({ params: await newFirmware(admin) }),
  listBots: nothing,
  createBot: () => ({ body: { name: 'n' } }),
  getBot: nothing,
  updateBot: () => ({ body: { name: 'n' } }),
  deleteBot: (world) => another(world, 'bot', { name: 'n' }),
  listRules: nothing,
  createRule: (world) => ({ body: rule(world) }),
  getRule: nothing,
  copyRule: () => ({ body: { name: 'n' } }),
  tryRule: nothing,
  updateRule: (world) => ({ body: rule(world) }),
  deleteRule: (world) => another(world, 'rule', rule(world)),
  listWebhooks: nothing,
  createWebhook: (world) => ({ body: webhook(world) }),
  getWebhook: nothing,
  getCircuit: nothing,
  listDeliveries: nothing,
  listCustomerDeliveries: nothing,
  getDelivery: nothing,
  getDeliveryMessage: nothing,
  redeliver: nothing,
  getPersonDelivery: nothing,
  getPersonDeliveryMessage: nothing,
  redeliverToPerson: nothing,
  testWebhook: nothing,
  rotateSecret: () => ({ body: { secretKey: 'another-secret-of-16', overlapSeconds: 60 } }),
  // Needs a separate webhook, because a replay for the other webhook may still be running.
  createReplay: async (world) => ({
    ...(await another(world, 'webhook', webhook(world))),
    body: { since: 0, until: 1, states: ['failed'], ratePerSecond: 100 },
  }),
  listReplays: nothing,
  getReplay: nothing,
  updateReplay: async () => ({ body: { isPaused: true } }),
  cancelReplay: nothing,
  updateWebhook: (world) => ({ body: webhook(world) }),
  deleteWebhook: (world) => another(world, 'webhook', webhook(world)),
  drawWebhookToken: nothing,
  markSeen: () => ({ body: { date: 1 } }),
  fetchFeed: (world) => another(world, 'webhook', { ...webhook(world), url: null }),
  registerDevice: () => ({
    body: { manufacturer: 'maker_a', hardwareId: nextHardwareId(), firmwareVersion: 42, model: 'm' },
  }),
  drawPairingCode: nothing,
  getDeviceConfig: nothing,
  postMessages: () => ({ body: fallMessage('calling', Date.now()) }),
  listProvisioningKeys: nothing,
  deleteProvisioningKey: async ({ admin }) => {
    const { id } = await admin.ok<{ id: string }>('POST', '/provisioning-keys', { name: 'n', manufacturer: 'maker_a' });
    return { params: { keyId: id } };
  },
  createProvisioningKey: () => ({ body: { name: 'n', manufacturer: 'maker_b' } }),
  getServerConfig: nothing,
  getQrCode: nothing,
  getOpenApi: nothing,
  getSchema: () => ({ params: { name: 'webhook-full' } }),
  getHealth: nothing,
  getDocs: nothing,
  getConsole: nothing,
  receiveCanary: () => ({ body: { event: { uuid: crypto.randomUUID() } } }),
  getConsolePage: () => ({ params: { page: 'sensors/id_123456789' } }),
  getDocsFile: () => ({ params: { file: Object.keys(library).find((name) => name.endsWith('.css')) ?? '' } }),
};
