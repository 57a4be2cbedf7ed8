import { setTimeout as sleep } from 'node:timers/promises';
import { startReceiver } from '#lib/home/receiver.ts';
import {
  type DeliveryRecorder,
  latenciesOf,
  linkSensors,
  type PostedFall,
  postFall,
  type Sensor,
  startRecorder,
} from '../bench/bench-site.ts';
import { percentile } from '../bench/figures.ts';
import { startTestCloud } from '../fixtures/cloud.ts';
import { ALL_PERMISSIONS, adminOf, createAlarm, createHome, homeAt, linkSensor } from '../fixtures/home.ts';

const HOOKS = 50;
const HANGS_MS = 15_000;
const SENSORS = 5;
/** The busy customer's event rate. Each event creates 50 deliveries. */
const EVENTS_PER_SECOND = 1;

/**
 * Posts falls at a given rate for a given time. Returns the p50 and p99 of the time (ms) from the 202 to the receiver.
 */
const measure = async (sensors: readonly Sensor[], ear: DeliveryRecorder, seconds: number, perSecond: number) => {
  const sent: PostedFall[] = [];
  const end = performance.now() + seconds * 1_000;
  for (let at = 0; performance.now() < end; at++) {
    const sensor = sensors[at % sensors.length];
    if (sensor) sent.push(await postFall(sensor));
    await sleep(1_000 / perSecond);
  }
  const isLost = ({ uuid }: PostedFall) => ear.countOf(uuid) === 0;
  const deadline = performance.now() + 30_000;
  while (sent.some(isLost) && performance.now() < deadline) await sleep(5);
  const waits = sent.flatMap((posted) => (isLost(posted) ? [Number.POSITIVE_INFINITY] : latenciesOf(ear, posted)));
  return { p50: percentile(waits, 50), p99: percentile(waits, 99), lost: sent.filter(isLost).length };
};

/**
 * Sends one customer's events to 50 webhooks, which first respond immediately and then hang for 15 s each. Measures how
 * long another customer waits for deliveries in both cases.
 */
export const measureNeighbour = async (seconds: number) => {
  let hanging = 0;
  let maxHanging = 0;
  const ear = await startRecorder();
  let hangs = false;
  const slow = await startReceiver((_, response) => {
    if (!hangs) return void response.end('ok');
    maxHanging = Math.max(maxHanging, ++hanging);
    response.once('close', () => void hanging--);
    setTimeout(() => response.end(), HANGS_MS).unref();
  });
  const cloud = await startTestCloud();
  try {
    const admin = await adminOf(cloud.url);
    const quiet = await createHome(admin, 'quiet', ALL_PERMISSIONS);
    const loud = await createHome(admin, 'loud', ALL_PERMISSIONS);
    const sensors = await linkSensors(quiet.client, SENSORS);
    await createAlarm(quiet.client, ear.receiver.url);
    const { addWebhook } = homeAt(loud.client);
    for (let at = 0; at < HOOKS; at++) await addWebhook({ name: `${at}`, url: slow.url, isCustomerHook: true });
    const loudSensor = await linkSensor(loud.client);
    for (const sensor of sensors) await postFall(sensor);
    let isOn = true;
    const load = (async () => {
      while (isOn) {
        await postFall(loudSensor);
        await sleep(1_000 / EVENTS_PER_SECOND);
      }
    })();
    await measure(sensors, ear, 3, 20);
    const without = await measure(sensors, ear, seconds, 20);
    hangs = true;
    const during = await measure(sensors, ear, seconds, 20);
    isOn = false;
    await load;
    return { without, during, ratio: during.p99 / without.p99, maxHanging };
  } finally {
    await Promise.all([ear.receiver.stop(), slow.stop()]);
    await cloud.stop();
  }
};
