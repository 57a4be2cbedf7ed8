import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Receiver, startReceiver } from '#lib/home/receiver.ts';
import { clientOf } from '../fixtures/client.ts';
import { ALL_PERMISSIONS, adminOf, createAlarm, createHome, fallMessage, linkSensor } from '../fixtures/home.ts';
import { freePort, startHost } from '../fixtures/host.ts';

type Sensor = Awaited<ReturnType<typeof linkSensor>>;
type Host = Awaited<ReturnType<typeof startHost>>;
/** What happens to the host during a run, by the number of events posted so far. */
export type KillPlan = {
  events: number;
  /** Ends and restarts the host, each time after a given number of events. */
  ends: ReadonlyMap<number, (host: MortalHost) => Promise<void>>;
  /** Environment variables for the host. */
  environment?: Record<string, string>;
  dataDir: string;
  say: (line: string) => void;
  /** How long (ms) to wait for missing events. */
  timeoutMs?: number;
};
/**
 * The result for all events accepted with 202. `wrong` counts deliveries for events that were never posted, and
 * deliveries with other bytes under the same id. `seconds` is the time from the last restart until all events were
 * found, or until the timeout.
 */
export type Reconciled = {
  acknowledged: number;
  lost: number;
  duplicated: number;
  wrong: number;
  hits: number;
  seconds: number;
};

const SENSORS = 20;
const CONCURRENT_POSTS = 8;
/**
 * How long (ms) to wait for missing events. Accepted messages are in the queue file, and are received as soon as the
 * host is back. A delivery claimed by a killed host stays pending until the claim expires.
 */
const TIMEOUT_MS = 120_000;

const eventOf = (body: string): string => (JSON.parse(body) as { event: { uuid: string } }).event.uuid;

/** Starts a host that can end and be restarted on the same folder. `url` waits until it is ready. */
const mortal = async (dataDir: string, more: Record<string, string> = {}) => {
  const environment = { DATA_DIR: dataDir, PORT: await freePort(), ...more };
  const start = () => startHost(environment, undefined, Object.keys(more).length > 0 ? 'kept' : 'shown');
  let host: Promise<Host> = start();
  await host;
  let restarted = Date.now();
  return {
    /** Returns when (ms) the host was last restarted. */
    restarted: () => restarted,
    url: async () => (await host).url,
    /** Requests the host's health. Resolves if the port responds, whether the host is ready or not. */
    health: () => fetch(`http://127.0.0.1:${environment.PORT}/api/v1/health`),
    current: () => host,
    /** Waits until the host has ended, prepares the folder for the next process, and starts it. */
    restart: async (ending: (host: Host) => Promise<unknown>, prepare: () => Promise<void> = async () => {}) => {
      const dying = await host;
      host = ending(dying)
        .then(prepare)
        .then(() => {
          restarted = Date.now();
          return start();
        });
      await host;
    },
    stop: async () => (await host).end('SIGTERM'),
  };
};
export type MortalHost = Awaited<ReturnType<typeof mortal>>;

/** Kills a host (SIGKILL) and starts it again. */
export const killed = (host: MortalHost): Promise<void> => host.restart((dying) => dying.end('SIGKILL'));

/** Posts a fall until it is accepted with 202, always with the same UUID, like a device. */
const post = async (url: () => Promise<string>, { sensorId, deviceToken }: Sensor, uuid: string, start: number) => {
  for (;;) {
    const device = clientOf(await url(), deviceToken);
    const response = await device
      .call('POST', `/devices/${sensorId}/messages`, { ...fallMessage('calling', start), uuid })
      .catch(() => null);
    if (response?.status === 202) return;
    if (response && response.status < 500 && response.status !== 429)
      throw new Error(`${response.status} ${response.text}`);
    await sleep(50);
  }
};

const reconcile = (acknowledged: ReadonlySet<string>, sent: ReadonlySet<string>, { received }: Receiver) => {
  const byEvent = Map.groupBy(received, ({ body }) => eventOf(body));
  const isSame = (requests: Receiver['received']) =>
    new Set(requests.map(({ headers, body }) => `${headers['webhook-id']} ${body}`)).size === 1;
  return {
    acknowledged: acknowledged.size,
    lost: [...acknowledged].filter((uuid) => !byEvent.has(uuid)).length,
    duplicated: [...byEvent.values()].filter((requests) => requests.length > 1).length,
    wrong: [...byEvent].filter(([uuid, requests]) => !sent.has(uuid) || !isSame(requests)).length,
  };
};

/** Ends the local host while events are posted, and then checks every event. */
export const runKills = async ({
  events,
  ends,
  environment,
  dataDir,
  say,
  timeoutMs = TIMEOUT_MS,
}: KillPlan): Promise<Reconciled> => {
  const receiver = await startReceiver();
  const host = await mortal(dataDir, environment);
  const home = await createHome(await adminOf(await host.url()), 'willow', ALL_PERMISSIONS);
  const sensors: Sensor[] = [];
  for (let n = 0; n < SENSORS; n++) sensors.push(await linkSensor(home.client));
  await createAlarm(home.client, receiver.url);

  const sent = new Set<string>();
  const acknowledged = new Set<string>();
  const started = Date.now();
  const send = async () => {
    for (let at = sent.size; at < events; at = sent.size) {
      const uuid = randomUUID();
      sent.add(uuid);
      const sensor = sensors[at % SENSORS];
      if (sensor) await post(host.url, sensor, uuid, started + at);
      acknowledged.add(uuid);
      const end = ends.get(at);
      if (!end) continue;
      await end(host);
      say(`ended after ${acknowledged.size} of ${events}, ${receiver.received.length} requests received`);
    }
  };
  await Promise.all(Array.from({ length: CONCURRENT_POSTS }, send));
  const deadline = Date.now() + timeoutMs;
  while (reconcile(acknowledged, sent, receiver).lost > 0 && Date.now() < deadline) await sleep(250);
  const seconds = Math.round((Date.now() - host.restarted()) / 100) / 10;
  say(`stopped waiting ${seconds} s after the last restart`);

  const client = clientOf(await host.url(), home.client.token);
  const [page] = await client.ok<{ total: number }[]>('GET', `/customers/${home.customerId}/rule-hits`);
  const found = { ...reconcile(acknowledged, sent, receiver), hits: page?.total ?? 0, seconds };
  await host.stop();
  await receiver.stop();
  return found;
};

export const lineOf = (result: Reconciled): string =>
  Object.entries(result)
    .map(([name, count]) => `${name} ${count}`)
    .join('  ');

export const isFaultless = ({ lost, wrong, hits, acknowledged }: Reconciled): boolean =>
  lost === 0 && wrong === 0 && hits === acknowledged;
