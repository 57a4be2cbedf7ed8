import { type Receiver, startReceiver } from '#lib/home/receiver.ts';
import { type Clock, systemClock } from '#lib/local/clock.ts';
import type { Cloud } from '#lib/local/cloud.ts';
import { drawToken } from '#shared/auth/tokens.ts';
import type { DeliveryView } from '#shared/domain/delivery/delivery-view.ts';
import type { Runtime } from '#shared/runtime/deps.ts';
import { store } from '#shared/store/store.ts';
import { type Client, logIn } from '../fixtures/client.ts';
import { PROVISIONING_KEY, startTestCloud, withShortPauses } from '../fixtures/cloud.ts';
import { ALL_PERMISSIONS, adminOf, createAlarm, createHome, fallMessage, linkSensor } from '../fixtures/home.ts';
import { startIssuer } from '../fixtures/issuer.ts';
import { createJobs } from './data-examples.ts';

const DAY = 86_400_000;

/** Creates a delivery to a person and returns the delivery id. */
const notifyPerson = async (cloud: Cloud, { customerId, userId, client }: Home, fall: () => Promise<void>) => {
  const { channels, duty } = store(cloud.runtime.table);
  const channel = { by: 'email', address: 'duty@example.com', provenDate: cloud.runtime.now() } as const;
  await channels.put({ customerId, userId }, channel, null);
  await duty.begin(customerId, { userId, until: cloud.runtime.now() + DAY });
  const rule = { name: 'n', title: 't', message: 'm', situation: 'fall_detected' };
  const { id } = await client.ok<{ id: number }>('POST', '/rules', {
    ...rule,
    recipients: [{ onDuty: true, by: 'email' }],
  });
  await fall();
  await client.ok('DELETE', `/rules/${id}`);
  const [page] = await client.ok<{ data: DeliveryView[] }[]>('GET', `/customers/${customerId}/deliveries`);
  const sent = page?.data.find(({ webhookId }) => webhookId === null);
  if (!sent) throw new Error('the fall created no delivery to a person');
  return sent.id;
};
type Home = Awaited<ReturnType<typeof createHome>>;

const furnish = async (cloud: Cloud, admin: Client, name: string, receiver: Receiver) => {
  const home = await createHome(admin, name, ALL_PERMISSIONS);
  const sensor = await linkSensor(home.client);
  const makerB = await linkSensor(home.client, 'maker_b');
  const alarm = await createAlarm(home.client, receiver.url);
  const fall = async () => {
    await sensor.device.ok('POST', `/devices/${sensor.sensorId}/messages`, fallMessage('calling', Date.now()));
    await cloud.idle();
  };
  await fall();
  const { acknowledgeUrl } = JSON.parse(receiver.received.at(-1)?.body ?? '') as { acknowledgeUrl: string };
  const [page] = await home.client.ok<{ data: { id: number; sensorEventId: string }[] }[]>(
    'GET',
    `/customers/${home.customerId}/rule-hits`,
  );
  const hit = page?.data[0];
  const ruleHitId = hit?.id;
  if (ruleHitId === undefined) throw new Error('the fall created no rule hit');
  const deliveries = `/webhooks/${alarm.webhook.id}/deliveries`;
  const [sent] = await home.client.ok<{ data: { id: string }[] }[]>('GET', deliveries);
  const deliveryId = sent?.data[0]?.id;
  if (deliveryId === undefined) throw new Error('the fall created no delivery');
  const personDeliveryId = await notifyPerson(cloud, home, fall);
  const span = { since: 0, until: 1 };
  const replay = await home.client.ok<{ id: string }>('POST', `/webhooks/${alarm.webhook.id}/replays`, span);
  const [session] = await home.client.ok<{ id: string }[]>('GET', '/users/me/sessions');
  const { id: tokenId } = await home.client.ok<{ id: string }>('POST', '/users/me/access-tokens', { name: 'n' });
  const opinion = { referenceDate: 1, reason: 'r', classification: 'TRUE_POSITIVE' };
  const path = `/sensors/${sensor.sensorId}/feedback`;
  const { id: feedbackId } = await home.client.ok<{ id: number }>('POST', path, opinion);
  const { id: groupId } = await home.client.ok<{ id: number }>('POST', '/sensor-groups', { name, sensorIds: [] });
  /** An id for each path parameter. */
  const ids: Readonly<Record<string, string>> = {
    userId: String(home.userId),
    tokenId,
    sessionId: session?.id ?? '',
    customerId: String(home.customerId),
    sensorId: sensor.sensorId,
    makerBSensorId: makerB.sensorId,
    botId: String(alarm.bot.id),
    ruleId: String(alarm.rule.id),
    webhookId: alarm.webhook.id,
    deliveryId,
    personDeliveryId,
    replayId: replay.id,
    ruleHitId: String(ruleHitId),
    by: 'email',
    manufacturer: 'maker_b',
    // Firmware belongs to no customer.
    versionCode: '987654321',
    groupId: String(groupId),
    feedbackId: String(feedbackId),
    eventId: hit?.sensorEventId ?? '',
    uuid: hit?.sensorEventId ?? '',
    address: acknowledgeUrl.split('/').at(-1) ?? '',
    freeSensorId: makerB.sensorId,
    ...(await createJobs(home)),
  };
  return { ...home, ...alarm, sensor, ids };
};

/** Nonexistent ids. */
export const unknownIds: Readonly<Record<string, string>> = {
  userId: '987654321',
  tokenId: '00000000-0000-4000-8000-000000000000',
  sessionId: '00000000-0000-4000-8000-000000000000',
  customerId: '987654321',
  sensorId: `id_${'0'.repeat(23)}`,
  makerBSensorId: `id_${'0'.repeat(9)}`,
  botId: '987654321',
  ruleId: '987654321',
  exportId: '0'.repeat(26),
  importId: '0'.repeat(26),
  erasureId: '0'.repeat(26),
  webhookId: '00000000-0000-4000-8000-000000000000',
  deliveryId: '0'.repeat(26),
  personDeliveryId: '0'.repeat(26),
  replayId: '00000000-0000-4000-8000-000000000000',
  address: `987654321-0-9999999999-${'0'.repeat(22)}`,
  ruleHitId: '987654321',
  keyId: '00000000-0000-4000-8000-000000000000',
  by: 'email',
  manufacturer: 'maker_b',
  versionCode: '987654321',
  groupId: '987654321',
  feedbackId: '987654321',
  file: `swagger-ui.${'0'.repeat(16)}.js`,
  page: `app.${'0'.repeat(16)}.js`,
  uuid: '00000000-0000-4000-8000-000000000000',
};

/**
 * Returns the ids for an operation's path: a sensor from the maker in the path, and a delivery to the kind of receiver
 * in the path.
 */
export const idsFor = (path: string, ids: Readonly<Record<string, string>>): Readonly<Record<string, string>> => ({
  ...ids,
  ...(path.includes('/maker_b/') && { sensorId: ids.makerBSensorId ?? '' }),
  ...(path.startsWith('/customers/') && { deliveryId: ids.personDeliveryId ?? '' }),
});

/** Returns malformed values for a path parameter. */
export const malformedIds = (param: string): readonly string[] => {
  if (param === 'manufacturer') return ['maker_c', 'MAKER_A', '%00'];
  if (param === 'file') return ['page', 'swagger-ui.js', '%00'];
  if (param === 'page') return ['%00', 'a//b', 'a/b/c/d/e/f/g'];
  if (param === 'address') return ['%00', 'a.b', 'a'.repeat(201)];
  if (param === 'sensorId') return ['id_short', `id_${'0'.repeat(24)}`];
  if (['webhookId', 'tokenId', 'sessionId', 'keyId', 'uuid'].includes(param))
    return ['nope', '1', `${unknownIds.webhookId}0`];
  return ['abc', '0', '-1', '01', '1.0', '1e0', '9007199254740993', '%00'];
};

/** Returns a clock that can be set ahead, to age existing objects. */
const aheadClock = () => {
  let ahead = 0;
  const clock: Clock = { now: () => systemClock.now() + ahead, after: systemClock.after };
  const setAhead = (ms: number): void => {
    ahead = ms;
  };
  return { clock, setAhead };
};

type WorldOptions = Omit<NonNullable<Parameters<typeof startTestCloud>[0]>, 'environment'>;

/**
 * Creates a cloud with two customers that have one object of every kind, and valid and invalid credentials of every
 * kind.
 */
export const createWorld = async (environment: Record<string, string> = {}, options: WorldOptions = {}) => {
  const { clock, setAhead } = aheadClock();
  const wrap = (runtime: Runtime) => withShortPauses(options.wrap?.(runtime) ?? runtime);
  // This issuer's users are system admins, because no customer exists yet.
  const issuer = await startIssuer();
  const ofCustomers = [1, 2, 3].map((customerId) => ({ claim: 'groups', value: `customer ${customerId}`, customerId }));
  const oidc = issuer.environment([{ claim: 'groups', value: 'ours', isAdmin: true }, ...ofCustomers]);
  const [cloud, receiver] = await Promise.all([
    startTestCloud({
      clock,
      environment: { PUSH_CONTACT: 'mailto:push@example.org', ...oidc, ...environment },
      ...options,
      wrap,
    }),
    startReceiver(),
  ]);
  setAhead(-2 * DAY);
  const old = await adminOf(cloud.url);
  setAhead(0);
  const admin = await adminOf(cloud.url);
  const ours = await furnish(cloud, admin, 'ours', receiver);
  const theirs = await furnish(cloud, admin, 'theirs', receiver);
  const ended = await adminOf(cloud.url);
  await ended.ok('POST', '/users/logout');

  const clients = new Map<string, Promise<Client>>();
  const create = async (permissions: readonly string[], username: string): Promise<Client> => {
    const password = 'a-password-of-no-interest';
    const names = { firstName: 'A', lastName: 'B', email: '' };
    const { customerId } = ours;
    await admin.ok('POST', '/users', { customerId, username, password, permissions, ...names });
    return logIn(admin.as(undefined), username, password);
  };
  /** Creates an off-duty user. */
  const createOffDuty = async (...user: Parameters<typeof create>): Promise<Client> => {
    const client = await create(...user);
    await client.ok('DELETE', '/users/me/duty');
    return client;
  };
  /** Returns the access token of a user who once held every permission but may no longer log in. */
  const dismiss = async (): Promise<Client> => {
    const username = 'dismissed';
    const client = await create(ALL_PERMISSIONS, username);
    const { token } = await client.ok<{ token: string }>('POST', '/users/me/access-tokens', { name: 'n' });
    const { id } = await client.ok<{ id: number }>('GET', '/users/me');
    await admin.ok('PUT', `/users/${id}/access`, { canLogin: false, permissions: ALL_PERMISSIONS });
    return admin.as(token);
  };
  /** Returns a user at our customer with every permission except these. */
  const without = (missing: readonly string[]): Promise<Client> => {
    const permissions = ALL_PERMISSIONS.filter((permission) => !missing.includes(permission));
    const name = `without-${missing.join('-')}`;
    const client = clients.get(name) ?? create(permissions, name);
    clients.set(name, client);
    return client;
  };

  /** Returns a user at our customer with only this permission. */
  const only = (permission: string): Promise<Client> => {
    const name = `only-${permission}`;
    const client = clients.get(name) ?? createOffDuty([permission], name);
    clients.set(name, client);
    return client;
  };

  /** Returns a session for a user with every permission who must set up a second factor first. */
  const beforeOtp = (): Promise<Client> => {
    const setRequireOtp = (requireOtp: boolean) =>
      admin.ok('PUT', `/customers/${ours.customerId}`, { name: 'ours', location: '', email: '', requireOtp });
    const name = 'before-otp';
    const limited = async () => {
      await setRequireOtp(true);
      const client = await create(ALL_PERMISSIONS, name);
      await setRequireOtp(false);
      return client;
    };
    const client = clients.get(name) ?? limited();
    clients.set(name, client);
    return client;
  };

  /** Returns a display session whose user has every permission. */
  const display = (): Promise<Client> => {
    const name = 'display';
    const { username, password } = ours;
    const client = clients.get(name) ?? logIn(admin.as(undefined), username, password, { display: true });
    clients.set(name, client);
    return client;
  };

  /** Returns an off-duty user at our customer without permissions. */
  const offDuty = (): Promise<Client> => {
    const name = 'off-duty';
    const client = clients.get(name) ?? createOffDuty([], name);
    clients.set(name, client);
    return client;
  };

  const { token: readOnlyToken } = await ours.client.ok<{ token: string }>('POST', '/users/me/access-tokens', {
    name: 'read-only',
    readOnly: true,
  });
  const dismissed = await dismiss();
  const forged = drawToken('session', cloud.runtime.random, 'abcdefghijklmnopqrst');
  const anybody = admin.as(undefined);
  return {
    cloud,
    issuer,
    /** Sets the cloud's clock ahead of the machine clock by the given time (ms). */
    setAhead,
    admin,
    anybody,
    ours,
    theirs,
    only,
    without,
    beforeOtp,
    display,
    offDuty,
    /** A read-only token for our user. */
    readOnly: anybody.as(readOnlyToken),
    /** Credentials that are not valid anywhere. */
    bad: {
      'a garbage token': anybody.as('garbage'),
      'a token with a wrong checksum': anybody.as(`${forged.slice(0, -1)}${forged.endsWith('0') ? '1' : '0'}`),
      'a token that was never issued': anybody.as(forged),
      'an expired token': old,
      'a token that was logged out': ended,
      'a token of a user who may not log in': dismissed,
      'the token of a webhook': anybody.as(ours.webhook.token),
    },
    byDevice: ours.sensor.device,
    byProvisioner: anybody.as(PROVISIONING_KEY),
    /** Resolves when background work from earlier requests has finished. */
    idle: cloud.idle,
    stop: () => Promise.all([cloud.stop(), receiver.stop(), issuer.stop()]),
  };
};
export type World = Awaited<ReturnType<typeof createWorld>>;
