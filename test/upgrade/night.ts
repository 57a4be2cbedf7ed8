import { type Receiver, startReceiver } from '#lib/home/receiver.ts';
import { type SkippingClock, skippingClock } from '#lib/local/clock.ts';
import type { Runtime } from '#shared/runtime/deps.ts';
import type { Failpoint } from '#shared/runtime/failpoints.ts';
import type { Client } from '../fixtures/client.ts';
import { startTestCloud, type TestOptions } from '../fixtures/cloud.ts';
import { ALL_PERMISSIONS, adminOf, createHome, fallMessage, linkSensor } from '../fixtures/home.ts';
import { b, room } from '../fixtures/messages.ts';
import { dump, prepare } from './folder.ts';

/** When the night starts (ms), and how long the version runs (s). */
export const BEGIN = Date.UTC(2026, 10, 28, 3);
export const ENDS_AFTER = 30;
/** Stands in for the receiver URL in the folder, because that differs in each run. */
export const RECEIVER = 'http://127.0.0.1:9';
/**
 * The receiver paths: one notified first, one notified by the escalation, and one that fails until the version has
 * stopped.
 */
export const paths = { first: '/first', next: '/next', fails: '/fails' } as const;
export const ESCALATES_AFTER = 120;
const PUBLIC_URL = 'https://cloud.example.com';
export const SECRET = 'a-secret-of-16-or-more';

export const startAt = (dataDir: string, clock: SkippingClock, more: TestOptions = {}) =>
  startTestCloud({ dataDir, clock, sweepSeconds: 60, environment: { PUBLIC_URL }, ...more });

type Sensor = Awaited<ReturnType<typeof linkSensor>>;
export const fall = (sensor: Pick<Sensor, 'device' | 'sensorId'>, status: string, start: number) =>
  sensor.device.ok('POST', `/devices/${sensor.sensorId}/messages`, fallMessage(status, start));
type Pose = { track: number; pose: number };
/** Sends the pose of a person tracked by a maker B sensor. Pose 5 is a fall. */
export const pose = (sensor: Pick<Sensor, 'device' | 'sensorId'>, { track, pose }: Pose, timestamp: number) =>
  sensor.device.ok('POST', `/devices/${sensor.sensorId}/messages`, { ...b.pose(track, pose), timestamp });

/** Creates a rule whose recipients are three paths on one receiver. */
const createRule = async (client: Client, url: string) => {
  const bot = await client.ok<{ id: number }>('POST', '/bots', { name: 'Nurse call' });
  const createWebhook = async (path: string) => {
    const webhook = await client.ok<{ id: string }>('POST', '/webhooks', {
      name: path,
      url: url + path,
      format: 'full',
      isCustomerHook: false,
      botId: bot.id,
      secretKey: SECRET,
      retrySchedule: [0, 60, 600],
    });
    return { botId: bot.id, webhookId: webhook.id };
  };
  const first = await createWebhook(paths.first);
  const next = await createWebhook(paths.next);
  const fails = await createWebhook(paths.fails);
  await client.ok('POST', '/rules', {
    name: 'Falls',
    title: '{sensor}: {situation}',
    message: 'at {location}, {time}',
    situation: 'fall_detected',
    recipients: [first, fails],
    rateLimitSeconds: 0,
    escalation: [{ afterSeconds: ESCALATES_AFTER, recipients: [next] }],
  });
};

/** Returns the GET responses for these paths. */
export const answersOf = async (client: Client, paths: readonly string[]): Promise<Record<string, unknown>> => {
  const answers: Record<string, unknown> = {};
  for (const path of paths) {
    // Health changes as deliveries are sent in the meantime.
    const { health: _, ...answer } = await client.ok<{ health?: unknown }>('GET', path);
    answers[path] = answer;
  }
  return answers;
};

/** Fails everything that reaches a chosen failpoint, every time. */
const failingPoints = () => {
  const chosen = new Map<Failpoint, () => void>();
  const failpoint = (name: Failpoint): void => {
    if (!chosen.has(name)) return;
    chosen.get(name)?.();
    throw new Error('the process ends here');
  };
  return {
    options: { log: () => {}, wrap: (runtime: Runtime): Runtime => ({ ...runtime, failpoint }) },
    /** Chooses a failpoint, and resolves when it is reached. */
    failAt: (name: Failpoint) => new Promise<void>((resolve) => void chosen.set(name, resolve)),
  };
};

/**
 * Simulates a night at a home in a data folder. It stops while one fall is decided but no one has been notified,
 * another is undecided, a delivery to a failing receiver is being retried, and escalation rounds are pending. Returns
 * the folder's SQL statements, and what the next version is expected to do.
 */
export const writeNight = async (folder: string) => {
  await prepare(folder);
  const receiver: Receiver = await startReceiver((_, response) => {
    response.statusCode = response.req.url?.endsWith(paths.fails) ? 500 : 200;
    response.end();
  });
  const clock = skippingClock(BEGIN);
  const failpoints = failingPoints();
  const cloud = await startAt(folder, clock, failpoints.options);
  const { client: nurse, customerId, userId } = await createHome(await adminOf(cloud.url), 'maple', ALL_PERMISSIONS);
  const { token } = await nurse.ok<{ token: string }>('POST', '/users/me/access-tokens', { name: 'Console' });
  const client = nurse.as(token);
  const notified = await linkSensor(client);
  const sensors = {
    notified,
    tracks: await linkSensor(client, 'maker_b'),
    decided: await linkSensor(client),
    received: await linkSensor(client),
  };
  await client.ok('PUT', `/sensors/${notified.sensorId}/room`, room);
  await createRule(client, receiver.url);
  await fall(notified, 'calling', clock.now());
  await pose(sensors.tracks, { track: 1, pose: 5 }, clock.now());
  // This person gets up again.
  await pose(sensors.tracks, { track: 2, pose: 5 }, clock.now());
  await receiver.until(6);
  await pose(sensors.tracks, { track: 2, pose: 3 }, clock.now());
  await cloud.idle();
  const list = async (path: string) =>
    (await client.ok<{ data: { id: string | number }[] }[]>('GET', path))[0]?.data.map(({ id }) => `${path}/${id}`) ??
    [];
  const ofCustomer = `/customers/${customerId}`;
  const webhooks = await list('/webhooks');
  const readPaths = [
    ofCustomer,
    '/users',
    '/sensors',
    '/bots',
    '/rules',
    `/users/${userId}/access-tokens`,
    `${ofCustomer}/audit`,
    ...[notified, sensors.tracks].flatMap(({ sensorId }) =>
      ['', '/room', '/status', '/events'].map((part) => `/sensors/${sensorId}${part}`),
    ),
    ...webhooks,
    ...(await list(`${ofCustomer}/rule-hits`)),
    ...(await list('/rules')),
    ...(await Promise.all(webhooks.map((path) => list(`${path}/deliveries`)))).flat(),
  ];
  const answers = await answersOf(client, readPaths);
  for (const [failpoint, sensor] of [
    ['process.decided', sensors.decided],
    ['process.judged', sensors.received],
  ] as const) {
    const reached = failpoints.failAt(failpoint);
    await fall(sensor, 'calling', clock.now());
    await reached;
  }
  await cloud.stop();
  await receiver.stop();
  const known = {
    token,
    customerId,
    sensors: Object.fromEntries(
      Object.entries(sensors).map(([name, { sensorId, deviceToken }]) => [name, { sensorId, deviceToken }]),
    ),
    answers,
  };
  const withoutUrl = (text: string) => text.replaceAll(receiver.url, RECEIVER);
  return { statements: withoutUrl(dump(folder)), known: JSON.parse(withoutUrl(JSON.stringify(known))) as typeof known };
};
