import { setTimeout as sleep } from 'node:timers/promises';
import { a } from '../fixtures/messages.ts';
import { type Home, sensorAt } from './bench-home.ts';
import { settledCpu } from './cpu.ts';
import { percentile } from './figures.ts';
import { AT_A_TIME, type Ear, handIn, many, type Posted, postFall, until, waitsOf } from './site.ts';

/** A host under load, and the receiver that hears of it. */
type Loaded = { pid: number; ear: Ear };

/** The rate and the duration (s) of the moderate load. */
const CALM_PER_SECOND = 20;
const CALM_SECONDS = 15;
const REPORTS = 1_000;

/** Waits (ms) from the 202 to the receiver at 20 events a second, posted without waiting for earlier ones. */
export const calm = async ({ ear }: Loaded, { sensors, fanOut }: Home): Promise<{ p50: number; p95: number }> => {
  const sent: Promise<Posted>[] = [];
  const start = performance.now();
  for (let at = 0; at < CALM_PER_SECOND * CALM_SECONDS; at++) {
    sent.push(postFall(sensorAt(sensors, at)));
    await sleep(Math.max(0, start + ((at + 1) * 1_000) / CALM_PER_SECOND - performance.now()));
  }
  const all = await Promise.all(sent);
  await until(() => all.every(({ uuid }) => ear.countOf(uuid) === fanOut));
  const waits = all.flatMap((posted) => waitsOf(ear, posted));
  return { p50: percentile(waits, 50), p95: percentile(waits, 95) };
};

/** Events with 32 calls in flight. Each is reconciled by its UUID, each delivery by its `webhook-id`. */
export const fullLoad = async ({ pid, ear }: Loaded, { sensors, fanOut }: Home, events: number) => {
  const before = await settledCpu(pid);
  const twiceBefore = ear.twice();
  const sent: Posted[] = [];
  const start = performance.now();
  await many(events, AT_A_TIME, async (at) => sent.push(await postFall(sensorAt(sensors, at))));
  await until(() => sent.every(({ uuid }) => ear.countOf(uuid) === fanOut));
  const cpu = (await settledCpu(pid)) - before;
  const times = sent.flatMap(({ uuid }) => ear.timesOf(uuid));
  const seconds = (times.reduce((most, time) => Math.max(most, time), start) - start) / 1_000;
  const waits = sent.flatMap((posted) => waitsOf(ear, posted));
  return {
    cpu: (cpu * 1_000) / Math.max(1, times.length),
    perSecond: times.length / seconds,
    p50: percentile(waits, 50),
    p95: percentile(waits, 95),
    lost: events * fanOut - times.length,
    twice: ear.twice() - twiceBefore,
  };
};

/** The CPU time (s) of 1,000 reports that change nothing, over HTTP. */
export const reports = async ({ pid }: Loaded, { sensors }: Home): Promise<number> => {
  const report = (at: number) => handIn(sensorAt(sensors, at), a.presence(true));
  // The first one of each sensor changes its presence.
  await many(sensors.length, AT_A_TIME, report);
  const before = await settledCpu(pid);
  await many(REPORTS, AT_A_TIME, report);
  return (await settledCpu(pid)) - before;
};
