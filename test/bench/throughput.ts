import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from '../fixtures/client.ts';
import { ALL_PERMISSIONS, adminOf, createHome } from '../fixtures/home.ts';
import { cpuOfEngine, cpuOfHost } from './cpu.ts';
import { type Figure, percentile } from './figures.ts';
import { createLedger, startEngine } from './meter.ts';
import {
  AT_A_TIME,
  type Ear,
  type Engine,
  linkSensors,
  listen,
  many,
  type Posted,
  postFall,
  put,
  SENSORS,
  type Sensor,
  startBenchHost,
  until,
  waitsOf,
} from './site.ts';

const PUTS = 2_000;
/** The rate and the duration (s) of the moderate load. */
const [CALM_PER_SECOND, CALM_SECONDS] = [20, 15];
/** After so many ms all deliveries are recorded. */
const SETTLED_MS = 1_000;

type Home = { client: Client; sensors: Sensor[]; fanOut: number };
type Bench = {
  engine: Engine;
  ear: Ear;
  cpu: () => Promise<{ node: number; engine: number }>;
  cpuOfPuts: () => Promise<number>;
};
/** `events` is the number of events of the load. The bars are those of numbers.md. */
type Plan = { fanOut: number; events: number; leastRatio: number; mostCpu: number; mostWait?: number };

const plans: Plan[] = [
  { fanOut: 1, events: 1_000, leastRatio: 0.3, mostCpu: 4, mostWait: 1_000 },
  { fanOut: 10, events: 200, leastRatio: 0.8, mostCpu: 1.5 },
];

/** Creates a rule that tells as many webhooks as the fan-out says. */
const createFanOut = async (client: Client, url: string, fanOut: number): Promise<void> => {
  const bot = await client.ok<{ id: number }>('POST', '/bots', { name: 'Nurse call' });
  const recipients: object[] = [];
  for (let at = 0; at < fanOut; at++) {
    const hook = { name: `nurse call ${at}`, url, format: 'full', isCustomerHook: false, botId: bot.id };
    const { id } = await client.ok<{ id: string }>('POST', '/webhooks', {
      ...hook,
      secretKey: 'a-secret-of-16-or-more',
    });
    recipients.push({ botId: bot.id, webhookId: id });
  }
  const texts = { name: 'fall', title: '{sensor}: {situation}', message: 'at {location}, {time}' };
  await client.ok('POST', '/rules', { ...texts, situation: 'fall_detected', recipients });
};

/**
 * Creates a customer and warms the host up. The first message of each sensor causes an additional event, so it is
 * sent before.
 */
export const createBenchHome = async (admin: Client, name: string, ear: Ear, fanOut: number): Promise<Home> => {
  const { client } = await createHome(admin, name, ALL_PERMISSIONS);
  const sensors = await linkSensors(client, SENSORS);
  await createFanOut(client, ear.receiver.url, fanOut);
  const first: Posted[] = [];
  for (const sensor of sensors) first.push(await postFall(sensor));
  await until(() => first.every(({ uuid }) => ear.countOf(uuid) === fanOut));
  return { client, sensors, fanOut };
};

const sensorAt = (sensors: readonly Sensor[], at: number): Sensor => {
  const sensor = sensors[at % sensors.length];
  if (!sensor) throw new Error('there is no sensor');
  return sensor;
};

/** Measures events at 20 a second, posted without waiting for earlier ones. */
const measureCalm = async ({ ear }: Bench, { sensors, fanOut }: Home): Promise<Figure[]> => {
  const sent: Promise<Posted>[] = [];
  const start = performance.now();
  for (let at = 0; at < CALM_PER_SECOND * CALM_SECONDS; at++) {
    sent.push(postFall(sensorAt(sensors, at)));
    await sleep(Math.max(0, start + ((at + 1) * 1_000) / CALM_PER_SECOND - performance.now()));
  }
  const all = await Promise.all(sent);
  await until(() => all.every(({ uuid }) => ear.countOf(uuid) === fanOut));
  const waits = all.flatMap((one) => waitsOf(ear, one));
  return [50, 99].map((percent) => ({
    name: `fan-out ${fanOut}, 20 events/s: 202 to receiver, p${percent}`,
    value: percentile(waits, percent),
    unit: 'ms',
  }));
};

const measureLoad = async (bench: Bench, { sensors }: Home, plan: Plan): Promise<Figure[]> => {
  const { engine, ear, cpu, cpuOfPuts } = bench;
  const { fanOut, events } = plan;
  const cpuBefore = await cpuOfPuts();
  const putsPerSecond = PUTS / (await many(PUTS, AT_A_TIME, (at) => put(engine, at)));
  const ofPuts = ((await cpuOfPuts()) - cpuBefore) * (1_000 / PUTS);
  const [before, twiceBefore] = [await cpu(), ear.twice()];
  const sent: Posted[] = [];
  const start = performance.now();
  const posting = await many(events, AT_A_TIME, async (at) => sent.push(await postFall(sensorAt(sensors, at))));
  await until(() => sent.every(({ uuid }) => ear.countOf(uuid) === fanOut));
  const times = sent.flatMap(({ uuid }) => ear.timesOf(uuid));
  const perSecond = times.length / ((times.reduce((most, one) => Math.max(most, one), start) - start) / 1_000);
  await sleep(SETTLED_MS);
  const after = await cpu();
  const each = 1_000 / Math.max(1, times.length);
  const [node, ofEngine] = [(after.node - before.node) * each, (after.engine - before.engine) * each];
  const waits = sent.flatMap((one) => waitsOf(ear, one));
  const deliveries = events * fanOut;
  const name = (what: string) => `fan-out ${fanOut}, full load: ${what}`;
  const most = plan.mostWait === undefined ? {} : { most: plan.mostWait };
  return [
    {
      name: name('raw puts beside it'),
      ...{ value: putsPerSecond, unit: '1/s', note: `their engine took ${ofPuts.toFixed(1)} s of CPU for 1,000` },
    },
    {
      name: name('CPU of 1,000 deliveries'),
      ...{ value: node + ofEngine, unit: 's', most: plan.mostCpu },
      note: `Node ${node.toFixed(1)}, engine ${ofEngine.toFixed(1)}`,
    },
    {
      name: name('deliveries'),
      ...{ value: perSecond / putsPerSecond, unit: 'x puts', least: plan.leastRatio },
      note: `${perSecond.toFixed(0)}/s; events accepted at ${(events / posting).toFixed(0)}/s`,
    },
    { name: name('202 to receiver, p50'), value: percentile(waits, 50), unit: 'ms', ...most },
    { name: name('202 to receiver, p99'), value: percentile(waits, 99), unit: 'ms' },
    { name: name('lost'), value: deliveries - times.length, unit: `of ${deliveries}`, most: 0 },
    { name: name('twice'), value: ear.twice() - twiceBefore, unit: `of ${deliveries}` },
  ];
};

/**
 * Measures the load that other webhook senders were measured with, on a host of its own, on loopback and on the same
 * cores.
 */
export const measureThroughput = async (folder: string): Promise<Figure[]> => {
  const puts = join(folder, 'throughput-puts');
  const engine = await startEngine(createLedger());
  const ear = await listen();
  const dataDir = join(folder, 'throughput');
  const host = await startBenchHost(dataDir);
  try {
    const admin = await adminOf(host.url);
    const cpu = () => cpuOfHost(host.pid, dataDir);
    const bench: Bench = { engine, ear, cpu, cpuOfPuts: () => cpuOfEngine(puts) };
    const figures: Figure[] = [];
    for (const plan of plans) {
      const home = await createBenchHome(admin, `maple-${plan.fanOut}`, ear, plan.fanOut);
      if (plan.fanOut === 1) figures.push(...(await measureCalm(bench, home)));
      figures.push(...(await measureLoad(bench, home, plan)));
    }
    return figures;
  } finally {
    await host.end('SIGTERM');
    await Promise.all([engine.stop(), ear.receiver.stop()]);
  }
};
