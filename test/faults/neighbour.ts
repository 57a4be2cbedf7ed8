import { setTimeout as sleep } from 'node:timers/promises';
import { startReceiver } from '#lib/local/demo/receiver.ts';
import { percentile } from '../bench/figures.ts';
import { startTestCloud } from '../fixtures/cloud.ts';
import { ALL_PERMISSIONS, adminOf, createAlarm, createHome, fallMessage, linkSensor } from '../fixtures/home.ts';

const HOOKS = 50;
const HANGS_MS = 15_000;
const SENSORS = 5;
/** Events of the busy customer; each leads to 50 deliveries. */
const EVENTS_PER_SECOND = 1;

type Sensor = Awaited<ReturnType<typeof linkSensor>>;
let posted = 0;
const post = async ({ device, sensorId }: Sensor): Promise<{ uuid: string; at: number }> => {
  const uuid = crypto.randomUUID();
  await device.ok('POST', `/devices/${sensorId}/messages`, { ...fallMessage('calling', Date.now() + ++posted), uuid });
  return { uuid, at: performance.now() };
};

/** Posts falls at a rate for a while. Gives p50 and p99 of the time from the 202 to the receiver (ms). */
const measure = async (
  sensors: readonly Sensor[],
  arrivals: Map<string, number>,
  seconds: number,
  perSecond: number,
) => {
  const sent: { uuid: string; at: number }[] = [];
  const end = performance.now() + seconds * 1_000;
  for (let at = 0; performance.now() < end; at++) {
    const sensor = sensors[at % sensors.length];
    if (sensor) sent.push(await post(sensor));
    await sleep(1_000 / perSecond);
  }
  const deadline = performance.now() + 30_000;
  while (!sent.every(({ uuid }) => arrivals.has(uuid)) && performance.now() < deadline) await sleep(5);
  const waits = sent.map(({ uuid, at }) => Math.max(0, (arrivals.get(uuid) ?? Number.POSITIVE_INFINITY) - at));
  return {
    p50: percentile(waits, 50),
    p99: percentile(waits, 99),
    lost: waits.filter((wait) => wait === Infinity).length,
  };
};

/**
 * Sends the events of one customer to 50 webhooks, which first answer at once, and then hang for 15 s each. Measures
 * how long another customer waits for its deliveries in both cases.
 */
export const measureNeighbour = async (seconds: number) => {
  const arrivals = new Map<string, number>();
  let hanging = 0;
  let most = 0;
  const quick = await startReceiver(({ body }, response) => {
    arrivals.set(JSON.parse(body).event.uuid, performance.now());
    response.end('ok');
  });
  let hangs = false;
  const slow = await startReceiver((_, response) => {
    if (!hangs) return void response.end('ok');
    most = Math.max(most, ++hanging);
    response.once('close', () => void hanging--);
    setTimeout(() => response.end(), HANGS_MS).unref();
  });
  const cloud = await startTestCloud();
  try {
    const admin = await adminOf(cloud.url);
    const quiet = await createHome(admin, 'quiet', ALL_PERMISSIONS);
    const loud = await createHome(admin, 'loud', ALL_PERMISSIONS);
    const sensors: Sensor[] = [];
    for (let at = 0; at < SENSORS; at++) sensors.push(await linkSensor(quiet.client));
    await createAlarm(quiet.client, quick.url);
    for (let at = 0; at < HOOKS; at++) {
      const hook = { name: `${at}`, url: slow.url, format: 'full', isCustomerHook: true };
      await loud.client.ok('POST', '/webhooks', hook);
    }
    const loudSensor = await linkSensor(loud.client);
    for (const sensor of sensors) await post(sensor);
    let isOn = true;
    const load = (async () => {
      while (isOn) {
        await post(loudSensor);
        await sleep(1_000 / EVENTS_PER_SECOND);
      }
    })();
    await measure(sensors, arrivals, 3, 20);
    const without = await measure(sensors, arrivals, seconds, 20);
    hangs = true;
    const during = await measure(sensors, arrivals, seconds, 20);
    isOn = false;
    await load;
    return { without, during, ratio: during.p99 / without.p99, hangingAtOnce: most };
  } finally {
    await Promise.all([quick.stop(), slow.stop()]);
    await cloud.stop();
  }
};
