import { type Receiver, startReceiver } from '#lib/home/receiver.ts';
import { type SkippingClock, skippingClock } from '#lib/local/clock.ts';
import type { Runtime } from '#shared/runtime/deps.ts';
import type { Failpoint } from '#shared/runtime/failpoints.ts';
import type { Client } from '../fixtures/client.ts';
import { startTestCloud, type TestOptions } from '../fixtures/cloud.ts';
import { ALL_PERMISSIONS, adminOf, createHome, fallMessage, linkSensor } from '../fixtures/home.ts';
import { b, room } from '../fixtures/messages.ts';
import { dump, prepare } from './folder.ts';

/** When (ms) the night begins, and how long (s) after it the version ends. */
export const BEGIN = Date.UTC(2026, 10, 28, 3);
export const ENDS_AFTER = 30;
/** Stands in the folder for the address of the receiver, which is another one in each run. */
export const RECEIVER = 'http://127.0.0.1:9';
/** The places of the receiver: one is told first; one next, by the escalation; one fails until the version has ended. */
export const places = { first: '/first', next: '/next', fails: '/fails' } as const;
export const ESCALATES_AFTER = 120;
const PUBLIC_URL = 'https://cloud.example.com';
export const SECRET = 'a-secret-of-16-or-more';

export const startAt = (dataDir: string, clock: SkippingClock, more: TestOptions = {}) =>
  startTestCloud({ dataDir, clock, sweepSeconds: 60, environment: { PUBLIC_URL }, ...more });

type Sensor = Awaited<ReturnType<typeof linkSensor>>;
export const fall = (sensor: Pick<Sensor, 'device' | 'sensorId'>, status: string, start: number) =>
  sensor.device.ok('POST', `/devices/${sensor.sensorId}/messages`, fallMessage(status, start));
type Pose = { track: number; pose: number };
/** The pose of a person whom a sensor of maker B tracks: 5 is a fall. */
export const pose = (sensor: Pick<Sensor, 'device' | 'sensorId'>, { track, pose }: Pose, timestamp: number) =>
  sensor.device.ok('POST', `/devices/${sensor.sensorId}/messages`, { ...b.pose(track, pose), timestamp });

/** Creates a rule that tells the three places of a receiver. */
const createRule = async (client: Client, url: string) => {
  const bot = await client.ok<{ id: number }>('POST', '/bots', { name: 'Nurse call' });
  const add = async (place: string) => {
    const hook = { name: place, url: url + place, format: 'full', isCustomerHook: false, botId: bot.id };
    const more = { secretKey: SECRET, retrySchedule: [0, 60, 600] };
    return {
      botId: bot.id,
      webhookId: (await client.ok<{ id: string }>('POST', '/webhooks', { ...hook, ...more })).id,
    };
  };
  const first = await add(places.first);
  const next = await add(places.next);
  const fails = await add(places.fails);
  const texts = { name: 'Falls', title: '{sensor}: {situation}', message: 'at {location}, {time}' };
  await client.ok('POST', '/rules', {
    ...texts,
    situation: 'fall_detected',
    recipients: [first, fails],
    rateLimitSeconds: 0,
    escalation: [{ afterSeconds: ESCALATES_AFTER, recipients: [next] }],
  });
};

/** What a version answers to GET at these paths, for the token of a user. */
export const answersOf = async (client: Client, paths: readonly string[]): Promise<Record<string, unknown>> => {
  const answers: Record<string, unknown> = {};
  for (const path of paths) {
    // Health changes with what is sent meanwhile.
    const { health: _, ...answer } = await client.ok<{ health?: unknown }>('GET', path);
    answers[path] = answer;
  }
  return answers;
};

/** Lets whatever comes to some failpoints end there, each time. */
const createEnd = () => {
  const places = new Map<Failpoint, () => void>();
  const failpoint = (name: Failpoint): void => {
    if (!places.has(name)) return;
    places.get(name)?.();
    throw new Error('the process ends here');
  };
  return {
    options: { log: () => {}, wrap: (runtime: Runtime): Runtime => ({ ...runtime, failpoint }) },
    /** Resolves when something has come there. */
    at: (name: Failpoint) => new Promise<void>((resolve) => void places.set(name, resolve)),
  };
};

/**
 * Has a night at a home in a data folder. It ends while a fall is decided and not told, one not even decided, one tried at
 * a receiver that fails, and the steps of escalations wait. Gives the statements of its folder, and what is known of it.
 */
export const writeNight = async (folder: string) => {
  await prepare(folder);
  const receiver: Receiver = await startReceiver((_, response) => {
    response.statusCode = response.req.url?.endsWith(places.fails) ? 500 : 200;
    response.end();
  });
  const clock = skippingClock(BEGIN);
  const end = createEnd();
  const cloud = await startAt(folder, clock, end.options);
  const { client: nurse, customerId, userId } = await createHome(await adminOf(cloud.url), 'maple', ALL_PERMISSIONS);
  const { token } = await nurse.ok<{ token: string }>('POST', '/users/me/access-tokens', { name: 'Console' });
  const client = nurse.as(token);
  const told = await linkSensor(client);
  const sensors = {
    told,
    tracks: await linkSensor(client, 'maker_b'),
    decided: await linkSensor(client),
    waiting: await linkSensor(client),
  };
  await client.ok('PUT', `/sensors/${told.sensorId}/room`, room);
  await createRule(client, receiver.url);
  await fall(sensors.told, 'calling', clock.now());
  await pose(sensors.tracks, { track: 1, pose: 5 }, clock.now());
  // This one gets up again.
  await pose(sensors.tracks, { track: 2, pose: 5 }, clock.now());
  await receiver.until(6);
  await pose(sensors.tracks, { track: 2, pose: 3 }, clock.now());
  await cloud.idle();
  const list = async (path: string) =>
    (await client.ok<{ data: { id: string | number }[] }[]>('GET', path))[0]?.data.map(({ id }) => `${path}/${id}`) ??
    [];
  const ofCustomer = `/customers/${customerId}`;
  const webhooks = await list('/webhooks');
  const paths = [
    ofCustomer,
    '/users',
    '/sensors',
    '/bots',
    '/rules',
    `/users/${userId}/access-tokens`,
    `${ofCustomer}/audit`,
    ...[sensors.told, sensors.tracks].flatMap(({ sensorId }) =>
      ['', '/room', '/status', '/events'].map((part) => `/sensors/${sensorId}${part}`),
    ),
    ...webhooks,
    ...(await list(`${ofCustomer}/rule-hits`)),
    ...(await list('/rules')),
    ...(await Promise.all(webhooks.map((path) => list(`${path}/deliveries`)))).flat(),
  ];
  const answers = await answersOf(client, paths);
  for (const [place, sensor] of [
    ['process.decided', sensors.decided],
    ['process.judged', sensors.waiting],
  ] as const) {
    const reached = end.at(place);
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
  const without = (text: string) => text.replaceAll(receiver.url, RECEIVER);
  return { statements: without(dump(folder)), known: JSON.parse(without(JSON.stringify(known))) as typeof known };
};
