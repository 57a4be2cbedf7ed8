import { join } from 'node:path';
import { adminOf } from '../fixtures/home.ts';
import { freePort } from '../fixtures/host.ts';
import { createBenchHome } from './bench-home.ts';
import { CONCURRENCY, type PostedFall, postFall, repeat, startBenchHost, startRecorder, until } from './bench-site.ts';
import type { Figure } from './figures.ts';

const EVENTS = 1_000;
const KILLED_AFTER = 500;
const MAX_SECONDS = 5;

/**
 * Kills the host (SIGKILL) in the middle of 1,000 events. Measures how many events accepted before the kill are lost,
 * and how soon after the restart the rest arrive.
 */
export const measureKilled = async (folder: string): Promise<Figure[]> => {
  const ear = await startRecorder();
  const dataDir = join(folder, 'killed');
  const port = await freePort();
  let host = await startBenchHost(dataDir, port);
  try {
    const { sensors } = await createBenchHome(await adminOf(host.url), 'willow', ear, 1);
    const sent: PostedFall[] = [];
    const kill = Promise.withResolvers<{ accepted: PostedFall[]; arrived: number; restart: number; ready: number }>();
    const killAndStart = async () => {
      const accepted = [...sent];
      const arrived = accepted.filter(({ uuid }) => ear.countOf(uuid) > 0).length;
      await host.end('SIGKILL');
      const restart = performance.now();
      host = await startBenchHost(dataDir, port);
      kill.resolve({ accepted, arrived, restart, ready: performance.now() });
    };
    await repeat(EVENTS, CONCURRENCY, async (at) => {
      const sensor = sensors[at % sensors.length];
      if (sensor) sent.push(await postFall(sensor));
      if (sent.length === KILLED_AFTER) killAndStart().catch(kill.reject);
    });
    const { accepted, arrived, restart, ready } = await kill.promise;
    await until(() => sent.every(({ uuid }) => ear.countOf(uuid) > 0));
    const secondsTo = (all: readonly PostedFall[]): number =>
      (Math.max(...all.flatMap(({ uuid }) => ear.timesOf(uuid))) - restart) / 1_000;
    const lost = sent.filter(({ uuid }) => ear.countOf(uuid) === 0).length;
    const note = `${arrived} of ${accepted.length} had arrived; ready ${((ready - restart) / 1_000).toFixed(1)} s after the start`;
    return [
      { name: 'killed amid 1,000 events: lost', value: lost, unit: `of ${EVENTS}`, max: 0 },
      { name: 'killed: delivered twice', value: ear.twice(), unit: `of ${EVENTS}` },
      {
        name: 'killed: from the restart until all previously accepted events arrived',
        value: secondsTo(accepted),
        unit: 's',
        max: MAX_SECONDS,
        note,
      },
      {
        name: 'killed: from the restart until all 1,000 arrived',
        value: secondsTo(sent),
        unit: 's',
        max: MAX_SECONDS,
        note: 'the other half was sent after it',
      },
    ];
  } finally {
    await host.end('SIGTERM');
    await ear.receiver.stop();
  }
};
