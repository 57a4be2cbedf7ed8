import { linkSensor } from '#test/fixtures/home.ts';
import type { Fault, Story } from '../fault.ts';
import { ownEvents } from '../own-events.ts';
import type { Scene } from '../scene.ts';

const REPORTS = 14;
/** The pause (ms) after which the next report may skip the queue. */
const PAUSE_MS = 50_000;

/**
 * A sensor reports presence repeatedly, sometimes twice within milliseconds. Each change must be delivered, and nothing
 * else, regardless of which reports skip the queue.
 */
const everyChange = async (scene: Scene): Promise<Story> => {
  const { homes, chance, clock, cloud, step, answered } = scene;
  const { client, customerId } = homes.birch;
  const { device, sensorId } = await linkSensor(client);
  const reported: boolean[] = [];
  let tick = 0;

  /** Reports like a device, until the report is acknowledged. */
  const report = async (isPresent: boolean): Promise<void> => {
    tick += 1;
    const payload = { presenceDetected: isPresent, timestamp: clock.now() - 3_600_000 + tick };
    const message = { type: 4, uuid: crypto.randomUUID(), payload };
    const send = () => answered(device.call('POST', `/devices/${sensorId}/messages`, message));
    while ((await send()).status !== 202) await cloud.idle();
    reported.push(isPresent);
  };

  return {
    atOnce: async () => {
      let isPresent = true;
      while (reported.length < REPORTS) {
        if (chance() < 0.6) await step(PAUSE_MS);
        for (let more = Math.ceil(3 * chance()); more > 0; more--) {
          await report(isPresent);
          if (chance() < 0.5) isPresent = !isPresent;
        }
      }
    },
    after: async () => {
      const { data, delivered } = await ownEvents(scene, customerId, sensorId);
      const changes = data.filter(({ action }) => action.endsWith('_room')).toReversed();
      const expected = reported.filter((isPresent, at) => isPresent !== (reported[at - 1] ?? false));
      const actual = changes.map(({ action }) => action === 'occupied_room').join();
      return [
        ...(actual === expected.join() ? [] : [`reports ${reported} became ${changes.map(({ action }) => action)}`]),
        ...changes.filter(({ uuid }) => !delivered.has(uuid)).map(({ uuid }) => `${uuid} was not delivered`),
      ];
    },
  };
};

/** Faults while unchanged reports skip the queue. */
export const ofReports: readonly Fault[] = [
  {
    title: 'reports arrive while earlier ones are pending after a crash: exactly the presence changes are delivered',
    rates: {
      crashes: ['process.judged', 'process.decided', 'process.deliveries_written', 'process.applied'],
      crash: 0.3,
      lostDeletion: 0.2,
    },
    falls: 'one',
    story: everyChange,
  },
  {
    title: 'a process dies while accepting a report: exactly the presence changes are delivered',
    rates: { crashes: ['ingest.read', 'ingest.noted', 'ingest.enqueued'], crash: 0.3 },
    falls: 'one',
    story: everyChange,
  },
  {
    title: 'table and queue fail or lose responses during reports: exactly the presence changes are delivered',
    rates: { refusal: 0.05, lostResponse: 0.05, unsent: 0.1, lostSend: 0.1 },
    falls: 'one',
    story: everyChange,
  },
];
