import { linkSensor } from '#test/fixtures/home.ts';
import type { Fault, Story } from '../fault.ts';
import { ownEvents } from '../own-events.ts';
import type { Scene } from '../scene.ts';

const REPORTS = 14;
/** After a pause of so many ms the next report may be answered without the queue. */
const PAUSE_MS = 50_000;

/**
 * A sensor reports who is in its room, again and again, at times twice within milliseconds. Each change must be told, and
 * nothing else, whichever reports are answered without the queue.
 */
const everyChange = async (scene: Scene): Promise<Story> => {
  const { homes, chance, clock, cloud, step, answered } = scene;
  const { client, customerId } = homes.birch;
  const { device, sensorId } = await linkSensor(client);
  const reported: boolean[] = [];
  let tick = 0;

  /** Reports as a device does, until it is acknowledged. */
  const report = async (isThere: boolean): Promise<void> => {
    tick += 1;
    const payload = { presenceDetected: isThere, timestamp: clock.now() - 3_600_000 + tick };
    const message = { type: 4, uuid: crypto.randomUUID(), payload };
    const send = () => answered(device.call('POST', `/devices/${sensorId}/messages`, message));
    while ((await send()).status !== 202) await cloud.idle();
    reported.push(isThere);
  };

  return {
    atOnce: async () => {
      let isThere = true;
      while (reported.length < REPORTS) {
        if (chance() < 0.6) await step(PAUSE_MS);
        for (let more = Math.ceil(3 * chance()); more > 0; more--) {
          await report(isThere);
          if (chance() < 0.5) isThere = !isThere;
        }
      }
    },
    after: async () => {
      const { data, told } = await ownEvents(scene, customerId, sensorId);
      const changes = data.filter(({ action }) => action.endsWith('_room')).toReversed();
      const wanted = reported.filter((isThere, at) => isThere !== (reported[at - 1] ?? false));
      const got = changes.map(({ action }) => action === 'occupied_room').join();
      return [
        ...(got === wanted.join() ? [] : [`reported ${reported}, but became ${changes.map(({ action }) => action)}`]),
        ...changes.filter(({ uuid }) => !told.has(uuid)).map(({ uuid }) => `nobody was told of ${uuid}`),
      ];
    },
  };
};

/** Faults while reports that change nothing are answered without the queue. */
export const ofReports: readonly Fault[] = [
  {
    title:
      'reports come while earlier ones wait for a process that died: each change of the room is told, and no other',
    rates: {
      crashes: ['process.judged', 'process.decided', 'process.deliveries_written', 'process.applied'],
      crash: 0.3,
      lostDeletion: 0.2,
    },
    falls: 'one',
    story: everyChange,
  },
  {
    title: 'a process dies while it takes a report: each change of the room is told, and no other',
    rates: { crashes: ['ingest.read', 'ingest.noted', 'ingest.enqueued'], crash: 0.3 },
    falls: 'one',
    story: everyChange,
  },
  {
    title: 'table and queue fail or lose their answers among reports: each change of the room is told, and no other',
    rates: { refusal: 0.05, lostAnswer: 0.05, unsent: 0.1, lostSend: 0.1 },
    falls: 'one',
    story: everyChange,
  },
];
