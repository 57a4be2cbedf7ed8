import { setTimeout as sleep } from 'node:timers/promises';
import { startReceiver } from '#lib/home/receiver.ts';
import type { Client } from '../fixtures/client.ts';
import { fallMessage, linkSensor } from '../fixtures/home.ts';
import { startHost } from '../fixtures/host.ts';

export type Sensor = Awaited<ReturnType<typeof linkSensor>>;
export type Posted = { uuid: string; at: number };

/** A device may make 20 calls a second, so this many sensors can send as much as the host can process. */
export const SENSORS = 40;
export const AT_A_TIME = 32;
const TIMEOUT_MS = 180_000;
const MOST_TRIES = 600;
const LONGEST_WAIT_SECONDS = 5;

/** Starts the host as `npm start` does, or another one by its file. Devices have their limit of calls, but none of messages. */
export const startBenchHost = (dataDir: string, port = '0', main?: string) =>
  startHost({ DATA_DIR: dataDir, PORT: port }, ['countedOnly', 'withoutDemo', 'floods'], 'shown', main);

/** Runs `work` `count` times, `atATime` of them concurrently. Gives the seconds that it took. */
export const many = async (count: number, atATime: number, work: (at: number) => Promise<unknown>): Promise<number> => {
  const start = performance.now();
  let next = 0;
  const worker = async () => {
    while (next < count) await work(next++);
  };
  await Promise.all(Array.from({ length: atATime }, worker));
  return (performance.now() - start) / 1_000;
};

export const until = async (done: () => boolean): Promise<void> => {
  const end = performance.now() + TIMEOUT_MS;
  while (!done() && performance.now() < end) await sleep(1);
};

export const linkSensors = async (client: Client, count: number): Promise<Sensor[]> => {
  const sensors: Sensor[] = [];
  for (let at = 0; at < count; at++) sensors.push(await linkSensor(client));
  return sensors;
};

/**
 * Starts a receiver that answers at once, and records its requests: per event (by its UUID) the deliveries (by their
 * `webhook-id`), and when (ms) each first arrived. Repetitions are counted.
 */
export const listen = async () => {
  const arrivals = new Map<string, Map<string, number>>();
  let twice = 0;
  const receiver = await startReceiver(({ body, headers }, response) => {
    response.end('ok');
    const { uuid } = (JSON.parse(body) as { event: { uuid: string } }).event;
    const deliveries = arrivals.get(uuid) ?? new Map<string, number>();
    arrivals.set(uuid, deliveries);
    const id = String(headers['webhook-id']);
    if (deliveries.has(id)) twice += 1;
    else deliveries.set(id, performance.now());
  });
  return {
    receiver,
    twice: () => twice,
    countOf: (uuid: string): number => arrivals.get(uuid)?.size ?? 0,
    timesOf: (uuid: string): number[] => [...(arrivals.get(uuid)?.values() ?? [])],
  };
};
export type Ear = Awaited<ReturnType<typeof listen>>;

const waitOf = (retryAfter: string | null | undefined): number =>
  retryAfter ? 1_000 * Math.min(LONGEST_WAIT_SECONDS, Number(retryAfter) || 1) : 50;

/** Posts a message until it is answered with 202, as a device does, respecting Retry-After. */
export const handIn = async ({ device, sensorId }: Sensor, body: unknown): Promise<void> => {
  for (let tries = 0; tries < MOST_TRIES; tries++) {
    const answer = await device.call('POST', `/devices/${sensorId}/messages`, body).catch(() => null);
    if (answer?.status === 202) return;
    if (answer && answer.status !== 429 && answer.status < 500) throw new Error(`${answer.status} ${answer.text}`);
    await sleep(waitOf(answer?.headers.get('retry-after')));
  }
  throw new Error(`a message was not accepted within ${MOST_TRIES} tries`);
};

let posted = 0;
/** Posts a fall with an alarm; gives when (ms) it was answered with 202. */
export const postFall = async (sensor: Sensor): Promise<Posted> => {
  const uuid = crypto.randomUUID();
  // No two falls of a sensor start at the same time.
  await handIn(sensor, { ...fallMessage('calling', Date.now() + ++posted), uuid });
  return { uuid, at: performance.now() };
};

/**
 * Gives the times (ms) from the answer to the socket of the receiver. Node may process the answer after the delivery
 * that it caused.
 */
export const waitsOf = (ear: Ear, { uuid, at }: Posted): number[] =>
  ear.timesOf(uuid).map((time) => Math.max(0, time - at));
