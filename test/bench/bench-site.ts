import { setTimeout as sleep } from 'node:timers/promises';
import { startReceiver } from '#lib/home/receiver.ts';
import type { Client } from '../fixtures/client.ts';
import { fallMessage, linkSensor } from '../fixtures/home.ts';
import { startHost } from '../fixtures/host.ts';

export type Sensor = Awaited<ReturnType<typeof linkSensor>>;
export type PostedFall = { uuid: string; requested: number; at: number };

/** A device may send 20 requests a second, so this many sensors can send as much as the host can process. */
export const SENSORS = 40;
export const CONCURRENCY = 32;
const TIMEOUT_MS = 180_000;
const MAX_ATTEMPTS = 600;
const MAX_WAIT_SECONDS = 5;

/**
 * Starts a host as `npm start` does, or from another file. Device requests are rate-limited, but the messages in them
 * are not.
 */
export const startBenchHost = (dataDir: string, port = '0', main?: string) =>
  startHost({ DATA_DIR: dataDir, PORT: port }, ['countedOnly', 'withoutDemo', 'floods'], 'shown', main);

/** Runs `work` `count` times with limited concurrency. Returns the duration in seconds. */
export const repeat = async (
  count: number,
  concurrency: number,
  work: (at: number) => Promise<unknown>,
): Promise<number> => {
  const start = performance.now();
  let next = 0;
  const worker = async () => {
    while (next < count) await work(next++);
  };
  await Promise.all(Array.from({ length: concurrency }, worker));
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
 * Starts a receiver that responds immediately and records when (ms) each delivery first arrived, by event UUID and
 * `webhook-id`. It also counts duplicates.
 */
export const startRecorder = async () => {
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

export type DeliveryRecorder = Awaited<ReturnType<typeof startRecorder>>;

const waitOf = (retryAfter: string | null | undefined): number =>
  retryAfter ? 1_000 * Math.min(MAX_WAIT_SECONDS, Number(retryAfter) || 1) : 50;

/** Posts a message until it is accepted with 202, respecting Retry-After like a device. */
export const postMessage = async ({ device, sensorId }: Sensor, body: unknown): Promise<void> => {
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
    const answer = await device.call('POST', `/devices/${sensorId}/messages`, body).catch(() => null);
    if (answer?.status === 202) return;
    if (answer && answer.status !== 429 && answer.status < 500) throw new Error(`${answer.status} ${answer.text}`);
    await sleep(waitOf(answer?.headers.get('retry-after')));
  }
  throw new Error(`a message was not accepted within ${MAX_ATTEMPTS} attempts`);
};

let posted = 0;

/** Posts a fall with an alarm, and returns when (ms) it was accepted with 202. */
export const postFall = async (sensor: Sensor): Promise<PostedFall> => {
  const uuid = crypto.randomUUID();
  const requested = performance.now();
  // No two falls from one sensor start at the same time.
  await postMessage(sensor, { ...fallMessage('calling', Date.now() + ++posted), uuid });
  return { uuid, requested, at: performance.now() };
};

/**
 * Returns the latencies (ms) from the 202 to the receiver. If Node processes the 202 only after the delivery has
 * arrived, the latency counts as 0.
 */
export const latenciesOf = (ear: DeliveryRecorder, { uuid, at }: Pick<PostedFall, 'uuid' | 'at'>): number[] =>
  ear.timesOf(uuid).map((time) => Math.max(0, time - at));
