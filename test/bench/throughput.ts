import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from '../fixtures/client.ts';
import { ALL_PERMISSIONS, adminOf, createHome } from '../fixtures/home.ts';
import { a } from '../fixtures/messages.ts';
import { cpuOf } from './cpu.ts';
import { type Figure, median, percentile } from './figures.ts';
import {
  AT_A_TIME,
  type Ear,
  handIn,
  linkSensors,
  listen,
  many,
  type Posted,
  postFall,
  SENSORS,
  type Sensor,
  startBenchHost,
  until,
  waitsOf,
} from './site.ts';
import { checkOutYardstick } from './yardstick.ts';

const ROUNDS = 2;
/** The rate and the duration (s) of the moderate load. */
const [CALM_PER_SECOND, CALM_SECONDS] = [20, 15];
/** After so many ms all deliveries are recorded. */
const SETTLED_MS = 1_000;
const REPORTS = 1_000;

type Home = { client: Client; sensors: Sensor[]; fanOut: number };
type Bench = { ear: Ear; pid: number };
/** `events` is the number of events of the load. The bars are ratios to the yardstick, and ms. */
type Plan = { fanOut: number; events: number; mostCpu: number; leastRate: number; mostWait: number };

const plans: Plan[] = [
  { fanOut: 1, events: 1_000, mostCpu: 0.13, leastRate: 4, mostWait: 150 },
  { fanOut: 10, events: 200, mostCpu: 0.11, leastRate: 5, mostWait: 500 },
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

/** Gives the waits (ms) of events at 20 a second, posted without waiting for earlier ones. */
const waitsInCalm = async ({ ear }: Bench, { sensors, fanOut }: Home): Promise<number[]> => {
  const sent: Promise<Posted>[] = [];
  const start = performance.now();
  for (let at = 0; at < CALM_PER_SECOND * CALM_SECONDS; at++) {
    sent.push(postFall(sensorAt(sensors, at)));
    await sleep(Math.max(0, start + ((at + 1) * 1_000) / CALM_PER_SECOND - performance.now()));
  }
  const all = await Promise.all(sent);
  await until(() => all.every(({ uuid }) => ear.countOf(uuid) === fanOut));
  return all.flatMap((one) => waitsOf(ear, one));
};

/** Gives the CPU (s) of 1,000 reports that change nothing. */
const cpuOfReports = async ({ pid }: Bench, { sensors }: Home): Promise<number> => {
  for (const sensor of sensors) await handIn(sensor, a.presence(true));
  await sleep(SETTLED_MS);
  const before = await cpuOf(pid);
  await many(REPORTS, AT_A_TIME, (at) => handIn(sensorAt(sensors, at), a.presence(true)));
  return (await cpuOf(pid)) - before;
};

type Load = { cpu: number; perSecond: number; wait: number; lost: number; twice: number };

const measureLoad = async ({ ear, pid }: Bench, { sensors }: Home, { fanOut, events }: Plan): Promise<Load> => {
  const [before, twiceBefore] = [await cpuOf(pid), ear.twice()];
  const sent: Posted[] = [];
  const start = performance.now();
  await many(events, AT_A_TIME, async (at) => sent.push(await postFall(sensorAt(sensors, at))));
  await until(() => sent.every(({ uuid }) => ear.countOf(uuid) === fanOut));
  const times = sent.flatMap(({ uuid }) => ear.timesOf(uuid));
  const last = times.reduce((most, one) => Math.max(most, one), start);
  await sleep(SETTLED_MS);
  return {
    cpu: ((await cpuOf(pid)) - before) * (1_000 / Math.max(1, times.length)),
    perSecond: times.length / ((last - start) / 1_000),
    wait: percentile(
      sent.flatMap((one) => waitsOf(ear, one)),
      50,
    ),
    lost: events * fanOut - times.length,
    twice: ear.twice() - twiceBefore,
  };
};

type Round = { calm: number[]; reports: number; loads: Load[] };

/** One round on a host of its own, started by `main`: that of this checkout, or that of the yardstick. */
const measureRound = async (dataDir: string, main?: string): Promise<Round> => {
  const ear = await listen();
  const host = await startBenchHost(dataDir, '0', main);
  try {
    const admin = await adminOf(host.url);
    const bench = { ear, pid: host.pid };
    const round: Round = { calm: [], reports: 0, loads: [] };
    for (const plan of plans) {
      const home = await createBenchHome(admin, `maple-${plan.fanOut}`, ear, plan.fanOut);
      if (plan.fanOut === 1) {
        round.calm = await waitsInCalm(bench, home);
        round.reports = await cpuOfReports(bench, home);
      }
      round.loads.push(await measureLoad(bench, home, plan));
    }
    return round;
  } finally {
    await host.end('SIGTERM');
    await ear.receiver.stop();
  }
};

const figuresOf = (own: readonly Round[], then: readonly Round[]): Figure[] => {
  const of = (rounds: readonly Round[], what: (round: Round) => number) => median(rounds.map(what));
  const calm = own.flatMap((round) => round.calm);
  const loads = plans.flatMap(({ fanOut, mostCpu, leastRate, mostWait }, at): Figure[] => {
    const one = (rounds: readonly Round[], name: keyof Load) =>
      of(rounds, ({ loads }) => loads[at]?.[name] ?? Number.NaN);
    const name = (what: string) => `fan-out ${fanOut}, full load: ${what}`;
    const [cpu, rate, wait] = [one(own, 'cpu'), one(own, 'perSecond'), one(own, 'wait')];
    const [cpuThen, rateThen, waitThen] = [one(then, 'cpu'), one(then, 'perSecond'), one(then, 'wait')];
    const beside = (value: number, valueThen: number, unit: string) =>
      `${value.toFixed(2)} ${unit}; the yardstick ${valueThen.toFixed(2)}`;
    return [
      {
        name: name('CPU of 1,000 deliveries'),
        value: cpu / cpuThen,
        unit: 'x yardstick',
        most: mostCpu,
        note: beside(cpu, cpuThen, 's'),
      },
      {
        name: name('deliveries'),
        value: rate / rateThen,
        unit: 'x yardstick',
        least: leastRate,
        note: beside(rate, rateThen, '/s'),
      },
      {
        name: name('202 to receiver, p50'),
        value: wait,
        unit: 'ms',
        most: mostWait,
        note: `the yardstick ${waitThen.toFixed(0)}`,
      },
      {
        name: name('lost'),
        value: Math.max(...own.map(({ loads }) => loads[at]?.lost ?? 0)),
        unit: 'deliveries',
        most: 0,
      },
      { name: name('twice'), value: Math.max(...own.map(({ loads }) => loads[at]?.twice ?? 0)), unit: 'deliveries' },
    ];
  });
  return [
    { name: '20 events/s: 202 to receiver, p50', value: percentile(calm, 50), unit: 'ms', most: 8 },
    { name: '20 events/s: 202 to receiver, p95', value: percentile(calm, 95), unit: 'ms', most: 25 },
    {
      name: 'CPU of 1,000 unchanged reports',
      value: of(own, ({ reports }) => reports),
      unit: 's',
      most: 1,
      note: `the yardstick ${of(then, ({ reports }) => reports).toFixed(1)}`,
    },
    ...loads,
  ];
};

/**
 * Measures the load that other webhook senders were measured with, on loopback and on the same cores, in rounds that take
 * turns with the yardstick: times of one machine differ from hour to hour, their ratio hardly.
 */
export const measureThroughput = async (folder: string): Promise<Figure[]> => {
  const yardstick = await checkOutYardstick(folder);
  const [own, then]: [Round[], Round[]] = [[], []];
  for (let round = 0; round < ROUNDS; round++) {
    own.push(await measureRound(join(folder, `own-${round}`)));
    if (yardstick) then.push(await measureRound(join(folder, `then-${round}`), yardstick));
  }
  return figuresOf(own, then);
};
