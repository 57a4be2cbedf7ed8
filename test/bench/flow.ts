import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { type Receiver, startReceiver } from '../../lib/local/demo/receiver.ts';
import { ADMIN_PASSWORD, PROVISIONING_KEY } from '../fixtures/cloud.ts';
import { ALL_PERMISSIONS, adminOf, createAlarm, createHome, fallMessage, linkSensor } from '../fixtures/home.ts';
import { type Figure, median, percentile } from './figures.ts';
import { createLedger, startEngine } from './meter.ts';

const main = fileURLToPath(new URL('../../bin/local.ts', import.meta.url));
const CALM = 200;
const EVENTS = 1_000;
const PUTS = 3_000;
const AT_A_TIME = 32;
/** A device may call 20 times in a second. */
const SENSORS = 40;
const PATIENCE_MS = 60_000;

type Engine = Awaited<ReturnType<typeof startEngine>>;
type Sensor = Awaited<ReturnType<typeof linkSensor>>;

/** The cloud in a process of its own with its own engine, as `npm start` runs it. */
const startCloudProcess = async (dataDir: string, port: string): Promise<{ child: ChildProcess; url: string }> => {
  const env = {
    PORT: port,
    ADMIN_PASSWORD,
    PROVISIONING_KEY,
    RATE_LIMIT_PER_SECOND: '1000000',
    DATA_DIR: dataDir,
  };
  const child = spawn(process.execPath, [main], { env, stdio: ['ignore', 'pipe', 'inherit'] });
  let printed = '';
  for await (const chunk of child.stdout.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    printed += chunk.toString();
    const url = /^ready (\S+)$/m.exec(printed)?.[1];
    if (url) return { child, url };
  }
  throw new Error(`the cloud did not start: ${printed}`);
};

const stopChild = async (child: ChildProcess): Promise<void> => {
  const exited = once(child, 'exit');
  child.kill('SIGTERM');
  await exited;
};

/** Runs `work` `count` times, `atATime` of them side by side; the seconds that it took. */
const many = async (count: number, atATime: number, work: (at: number) => Promise<unknown>): Promise<number> => {
  const start = performance.now();
  let next = 0;
  const worker = async () => {
    while (next < count) await work(next++);
  };
  await Promise.all(Array.from({ length: atATime }, worker));
  return (performance.now() - start) / 1_000;
};

// An item as a message makes it.
const put = ({ plain }: Engine, at: number) =>
  plain.write({ put: { pk: `C#1#S#${at % SENSORS}`, sk: `EVENT#${at}`, raw: 'x'.repeat(300), receiveDate: at } });

/** When each event came to the receiver's socket; events carry their own UUID. */
const listen = async () => {
  const arrivals = new Map<string, number[]>();
  const receiver = await startReceiver(({ body }, response) => {
    const { uuid } = (JSON.parse(body) as { event: { uuid: string } }).event;
    arrivals.set(uuid, [...(arrivals.get(uuid) ?? []), performance.now()]);
    response.end('ok');
  });
  return { receiver, arrivals };
};

let posted = 0;
const postFall = async ({ device, sensorId }: Sensor): Promise<{ uuid: string; at: number }> => {
  const uuid = crypto.randomUUID();
  // No two falls of a sensor start at the same time.
  await device.ok('POST', `/devices/${sensorId}/messages`, { ...fallMessage('calling', Date.now() + ++posted), uuid });
  return { uuid, at: performance.now() };
};

const until = async (done: () => boolean): Promise<void> => {
  const end = performance.now() + PATIENCE_MS;
  while (!done() && performance.now() < end) await sleep(1);
};

type Site = { engine: Engine; sensors: Sensor[]; arrivals: Map<string, number[]> };

const measureCalm = async ({ engine, sensors, arrivals }: Site): Promise<Figure[]> => {
  const puts: number[] = [];
  const waits: number[] = [];
  for (let at = 0; at < CALM; at++) {
    const start = performance.now();
    await put(engine, at);
    puts.push(performance.now() - start);
    const [sensor] = sensors.slice(at % SENSORS);
    if (!sensor) throw new Error('no sensor');
    const { uuid, at: answered } = await postFall(sensor);
    await until(() => arrivals.has(uuid));
    // Node may hand over the answer after the delivery that it started.
    waits.push(Math.max(0, (arrivals.get(uuid)?.[0] ?? Number.POSITIVE_INFINITY) - answered));
  }
  const [onePut, p50, p99] = [median(puts), percentile(waits, 50), percentile(waits, 99)];
  return [
    { name: 'one put on the embedded engine, p50', value: onePut, unit: 'ms' },
    { name: '202 to socket, p50', value: p50 / onePut, unit: 'x put', most: 15, note: `${p50.toFixed(1)} ms` },
    { name: '202 to socket, p99', value: p99 / onePut, unit: 'x put', most: 60, note: `${p99.toFixed(1)} ms` },
  ];
};

const measureLoad = async ({ engine, sensors, arrivals }: Site, receiver: Receiver): Promise<Figure[]> => {
  const putsPerSecond = PUTS / (await many(PUTS, AT_A_TIME, (at) => put(engine, at)));
  const before = receiver.received.length;
  const sent: string[] = [];
  const start = performance.now();
  const posting = await many(EVENTS, AT_A_TIME, async (at) => {
    const sensor = sensors[at % SENSORS];
    if (sensor) sent.push((await postFall(sensor)).uuid);
  });
  await until(() => sent.every((uuid) => arrivals.has(uuid)));
  const last = Math.max(...sent.map((uuid) => arrivals.get(uuid)?.[0] ?? 0));
  const eventsPerSecond = EVENTS / ((last - start) / 1_000);
  const lost = sent.filter((uuid) => !arrivals.has(uuid)).length;
  const note = `${eventsPerSecond.toFixed(0)} events/s, accepted at ${(EVENTS / posting).toFixed(0)}/s`;
  return [
    { name: 'raw puts on the embedded engine', value: putsPerSecond, unit: '1/s' },
    { name: 'events delivered, fan-out 1', value: eventsPerSecond / putsPerSecond, unit: 'x puts', least: 0.2, note },
    { name: 'events lost', value: lost, unit: `of ${EVENTS}`, most: 0 },
    { name: 'events delivered twice', value: receiver.received.length - before - EVENTS + lost, unit: `of ${EVENTS}` },
  ];
};

/** From the answer to a device to the socket of a receiver: unloaded, then as many as fit. All on loopback. */
export const measureFlow = async (folder: string, port = '0'): Promise<Figure[]> => {
  const engine = await startEngine(join(folder, 'puts'), createLedger());
  const { receiver, arrivals } = await listen();
  const { child, url } = await startCloudProcess(join(folder, 'cloud'), port);
  try {
    const home = await createHome(await adminOf(url), 'maple', ALL_PERMISSIONS);
    const sensors: Sensor[] = [];
    for (let at = 0; at < SENSORS; at++) sensors.push(await linkSensor(home.client));
    await createAlarm(home.client, receiver.url);
    const site = { engine, sensors, arrivals };
    // Warm, and every sensor active: the first message of a sensor is an event more.
    for (const sensor of sensors) await postFall(sensor);
    await until(() => arrivals.size === SENSORS);
    return [...(await measureCalm(site)), ...(await measureLoad(site, receiver))];
  } finally {
    await stopChild(child);
    await Promise.all([engine.stop(), receiver.stop()]);
  }
};
