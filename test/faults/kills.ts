import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Receiver, startReceiver } from '#lib/home/receiver.ts';
import { clientOf } from '../fixtures/client.ts';
import { ALL_PERMISSIONS, adminOf, createAlarm, createHome, fallMessage, linkSensor } from '../fixtures/home.ts';
import { freePort, startHost } from '../fixtures/host.ts';

type Sensor = Awaited<ReturnType<typeof linkSensor>>;
type Host = Awaited<ReturnType<typeof startHost>>;
/** `kills` is how often the host is killed while `events` are posted; `random` returns numbers in [0, 1). */
type KillPlan = { events: number; kills: number; random: () => number; say: (line: string) => void };
/**
 * The result for all events that were accepted with 202. `wrong` counts deliveries of events that nobody posted, or with
 * other bytes under the same id. `seconds` is the time from the last restart until all events were found, or until the
 * timeout.
 */
type Reconciled = {
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
 * How long (ms) to wait for missing events. Accepted messages are in the file of the queues, and are received as soon as the
 * host is back. A delivery that was claimed when the host was killed is pending until its claim has expired.
 */
const TIMEOUT_MS = 120_000;

const eventOf = (body: string): string => (JSON.parse(body) as { event: { uuid: string } }).event.uuid;

/** Starts a host that can be killed and restarted on the same folder; `url` waits until it is ready. */
const mortal = async (dataDir: string) => {
  const environment = { DATA_DIR: dataDir, PORT: await freePort() };
  let host: Promise<Host> = startHost(environment);
  await host;
  let restarted = Date.now();
  return {
    /** Returns when (ms) the host was last restarted. */
    restarted: () => restarted,
    url: async () => (await host).url,
    kill: async () => {
      const dying = await host;
      host = dying.end('SIGKILL').then(() => {
        restarted = Date.now();
        return startHost(environment);
      });
      await host;
    },
    stop: async () => (await host).end('SIGTERM'),
  };
};

/** Posts a fall until it is accepted with 202, always with the same UUID, as a device does. */
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

/** Kills the local host (SIGKILL) at random times while events are posted, and then checks every event. */
export const runKills = async ({ events, kills, random, say }: KillPlan): Promise<Reconciled> => {
  const dataDir = await mkdtemp(join(tmpdir(), 'sensor-cloud-kills-'));
  const receiver = await startReceiver();
  const host = await mortal(dataDir);
  const home = await createHome(await adminOf(await host.url()), 'willow', ALL_PERMISSIONS);
  const sensors: Sensor[] = [];
  for (let n = 0; n < SENSORS; n++) sensors.push(await linkSensor(home.client));
  await createAlarm(home.client, receiver.url);

  const sent = new Set<string>();
  const acknowledged = new Set<string>();
  const killAt = new Set(Array.from({ length: kills }, () => Math.floor(random() * events)));
  const started = Date.now();
  const send = async () => {
    for (let at = sent.size; at < events; at = sent.size) {
      const uuid = randomUUID();
      sent.add(uuid);
      const sensor = sensors[at % SENSORS];
      if (sensor) await post(host.url, sensor, uuid, started + at);
      acknowledged.add(uuid);
      if (!killAt.has(at)) continue;
      await host.kill();
      say(`killed after ${acknowledged.size} of ${events}, ${receiver.received.length} requests received`);
    }
  };
  await Promise.all(Array.from({ length: CONCURRENT_POSTS }, send));
  const deadline = Date.now() + TIMEOUT_MS;
  while (reconcile(acknowledged, sent, receiver).lost > 0 && Date.now() < deadline) await sleep(250);
  const seconds = Math.round((Date.now() - host.restarted()) / 100) / 10;
  say(`stopped waiting ${seconds} s after the last restart`);

  const client = clientOf(await host.url(), home.client.token);
  const [page] = await client.ok<{ total: number }[]>('GET', `/customers/${home.customerId}/rule-hits`);
  const found = { ...reconcile(acknowledged, sent, receiver), hits: page?.total ?? 0, seconds };
  await host.stop();
  await receiver.stop();
  await rm(dataDir, { recursive: true, force: true });
  return found;
};
