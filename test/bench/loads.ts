import { setTimeout as sleep } from 'node:timers/promises';
import { a } from '../fixtures/messages.ts';
import { type Home, sensorAt } from './bench-home.ts';
import {
  CONCURRENCY,
  type DeliveryRecorder,
  latenciesOf,
  type PostedFall,
  postFall,
  postMessage,
  repeat,
  until,
} from './bench-site.ts';
import { settledCpu } from './cpu.ts';
import { percentile } from './figures.ts';

/** A host under load, and the receiver for its deliveries. */
type Loaded = { pid: number; ear: DeliveryRecorder };

const RATE_SECONDS = 15;
const REPORTS = 1_000;

/**
 * Measures a fixed number of events per second, sent without waiting for earlier ones: the CPU time (s) for 1,000
 * deliveries, the latency (ms) from the 202 and from the request to the receiver, and deliveries per second from the
 * first event to the last delivery.
 */
export const loadAt = async ({ pid, ear }: Loaded, { sensors, fanOut }: Home, eventsPerSecond: number) => {
  const before = await settledCpu(pid);
  const sent: Promise<PostedFall>[] = [];
  const start = performance.now();
  for (let at = 0; at < eventsPerSecond * RATE_SECONDS; at++) {
    sent.push(postFall(sensorAt(sensors, at)));
    await sleep(Math.max(0, start + ((at + 1) * 1_000) / eventsPerSecond - performance.now()));
  }
  const all = await Promise.all(sent);
  await until(() => all.every(({ uuid }) => ear.countOf(uuid) === fanOut));
  const seconds = (performance.now() - start) / 1_000;
  const cpu = (await settledCpu(pid)) - before;
  const latencies = all.flatMap((posted) => latenciesOf(ear, posted));
  const fromRequest = all.flatMap(({ uuid, requested }) => latenciesOf(ear, { uuid, at: requested }));
  return {
    cpu: (cpu * 1_000) / (all.length * fanOut),
    requestP50: percentile(fromRequest, 50),
    requestP95: percentile(fromRequest, 95),
    p50: percentile(latencies, 50),
    p95: percentile(latencies, 95),
    p99: percentile(latencies, 99),
    perSecond: latencies.length / seconds,
  };
};

/** Measures events with 32 concurrent requests. Events are reconciled by UUID, and deliveries by `webhook-id`. */
export const fullLoad = async ({ pid, ear }: Loaded, { sensors, fanOut }: Home, events: number) => {
  const before = await settledCpu(pid);
  const twiceBefore = ear.twice();
  const sent: PostedFall[] = [];
  const start = performance.now();
  await repeat(events, CONCURRENCY, async (at) => sent.push(await postFall(sensorAt(sensors, at))));
  await until(() => sent.every(({ uuid }) => ear.countOf(uuid) === fanOut));
  const cpu = (await settledCpu(pid)) - before;
  const times = sent.flatMap(({ uuid }) => ear.timesOf(uuid));
  const seconds = (times.reduce((max, time) => Math.max(max, time), start) - start) / 1_000;
  const latencies = sent.flatMap((posted) => latenciesOf(ear, posted));
  return {
    cpu: (cpu * 1_000) / Math.max(1, times.length),
    perSecond: times.length / seconds,
    p50: percentile(latencies, 50),
    p95: percentile(latencies, 95),
    lost: events * fanOut - times.length,
    twice: ear.twice() - twiceBefore,
  };
};

/** Measures the CPU time (s) for 1,000 unchanged reports over HTTP. */
export const reports = async ({ pid }: Loaded, { sensors }: Home): Promise<number> => {
  const report = (at: number) => postMessage(sensorAt(sensors, at), a.presence(true));
  // Each sensor's first report changes its presence.
  await repeat(sensors.length, CONCURRENCY, report);
  const before = await settledCpu(pid);
  await repeat(REPORTS, CONCURRENCY, report);
  return (await settledCpu(pid)) - before;
};
