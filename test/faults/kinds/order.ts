import type { Random } from '#lib/local/random.ts';
import { fallMessage, linkSensor } from '#test/fixtures/home.ts';
import type { Fault, Story } from '../fault.ts';
import { ownEvents } from '../own-events.ts';
import type { Scene } from '../scene.ts';

const FALLS = 3;
type FallReport = { fall: number; status: string };

/** Returns the reports for some falls in random order, but keeps each fall's reports in order. */
const shuffled = (chance: Random): FallReport[] => {
  const falls = Array.from({ length: FALLS }, (_, fall) =>
    ['fall_detected', 'calling', 'finished'].map((status) => ({ fall, status })),
  );
  const reports: FallReport[] = [];
  for (let left = falls; left.length > 0; left = left.filter((fall) => fall.length > 0)) {
    const report = left[Math.floor(chance() * left.length)]?.shift();
    if (report) reports.push(report);
  }
  return reports;
};

const inOrder = async (scene: Scene): Promise<Story> => {
  const { homes, chance, clock, cloud, answered } = scene;
  const { client, customerId } = homes.birch;
  const { device, sensorId } = await linkSensor(client);
  const start = clock.now() - 3_600_000;
  return {
    atOnce: async () => {
      for (const { fall, status } of shuffled(chance)) {
        const uuid = crypto.randomUUID();
        const message = { ...fallMessage(status, start + fall * 60_000), uuid };
        await answered(device.ok('POST', `/devices/${sensorId}/messages`, chance() < 0.5 ? message : [message]));
        if (chance() < 0.3) await cloud.idle();
      }
    },
    after: async () => {
      // The alarm is raised by the device's message or, if that is processed later, by the timer.
      const { data, delivered } = await ownEvents(scene, customerId, sensorId);
      const alarms = data.filter(({ action }) => action === 'fall_detected');
      const undelivered = alarms.filter(({ uuid }) => !delivered.has(uuid));
      return [
        ...(alarms.length === FALLS ? [] : [`${alarms.length} alarms for ${FALLS} falls`]),
        ...undelivered.map(({ uuid }) => `${uuid} was not delivered`),
      ];
    },
  };
};

/** Faults in which one sensor's messages must stay in order. */
export const ofOrder: readonly Fault[] = [
  {
    title: 'processes die and messages are received twice: every fall raises an alarm',
    rates: {
      crashes: [
        'process.judged',
        'process.decided',
        'process.hits_written',
        'process.deliveries_written',
        'process.applied',
      ],
      crash: 0.3,
      doubleMessage: 0.2,
      lostDeletion: 0.2,
    },
    falls: 'one',
    story: inOrder,
  },
];
