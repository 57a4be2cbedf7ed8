import { failpoints } from '../../../shared/failpoints.ts';
import { postFall } from '../falls.ts';
import type { Fault, Story } from '../fault.ts';
import type { Scene } from '../scene.ts';

const HOUR = 3_600_000;
/** Longer than a queue hides what it shows again. */
const HIDDEN_MS = 901_000;

/** Whatever cannot be read is put aside, where a person finds it, and no queue keeps it. */
const nothingUnread = async ({ queues, unread }: Scene): Promise<Story> => {
  const [before, aside] = [unread(), queues.quarantine.stats().visible];
  return {
    after: async () => {
      const put = queues.quarantine.stats().visible - aside;
      return put < unread() - before ? [`of ${unread() - before} unreadable messages ${put} were put aside`] : [];
    },
  };
};

/** Nobody finds tasks of another version unreadable. */
const allRead = async ({ unread }: Scene): Promise<Story> => {
  const before = unread();
  return { after: async () => (unread() > before ? ['a task of another version that nobody could read'] : []) };
};

/** The table is away from the moment at which everything was accepted. */
const outage = async ({ chaos }: Scene): Promise<Story> => ({
  atOnce: async () => chaos.also({ crashes: [], refusal: 1 }),
});

/** A message of one sensor fails again and again; those of others are told meanwhile. */
const blocked = async (scene: Scene): Promise<Story> => {
  const { homes, receiver, step, chaos, cloud } = scene;
  return {
    atOnce: async (also) => {
      chaos.also({ crashes: [], failing: homes.birch.sensor.sensorId });
      const other = await postFall(scene, homes.maple);
      await cloud.idle();
      if (!receiver.receipts.some(({ uuid }) => uuid === other.uuid)) await step(1_000);
      if (!receiver.receipts.some(({ uuid }) => uuid === other.uuid))
        receiver.strays.push('a sensor waited for the failing message of another');
      also(other);
    },
  };
};

/** Messages are not taken, come twice, late, out of order, again, unreadable, dead, or of another version. */
export const ofQueue: readonly Fault[] = [
  { title: 'a queue takes nothing now and then: what is acknowledged was taken', rates: { unsent: 0.3 }, steps: 1 },
  { title: 'a queue takes messages, and its answer is lost: nothing is told under two ids', rates: { lostSend: 0.3 } },
  { title: 'every message comes twice: each fall is told once', rates: { doubleMessage: 1 } },
  {
    title: 'messages come again after they were worked off, of the FIFO queue too: each fall is told once',
    rates: { lostDeletion: 0.5 },
    steps: 2,
  },
  { title: 'messages come late and out of order', rates: { lateMessage: 0.7, doubleMessage: 0.3 } },
  {
    title: 'unreadable messages come between the others: they are put aside, and nothing else is lost',
    rates: { poison: 0.7, trouble: 0.2 },
    story: nothingUnread,
  },
  {
    title: 'a message of one sensor fails: those of others are told meanwhile',
    ...{ rates: { crashes: ['process.judged'], crash: 1 }, falls: 'one', story: blocked, steps: 0 },
  },
  {
    title: 'a message fails until it is a dead letter: the sweep puts it back, and it is told',
    rates: { crashes: ['process.judged'], crash: 1 },
    ...{ falls: 'one', steps: 110, stepMs: HIDDEN_MS },
  },
  {
    title: 'the table is away for three hours under load: what was acknowledged is told afterwards',
    rates: { crashes: ['process.judged', 'process.deliveries_written', 'deliver.claimed'], crash: 0.6 },
    ...{ story: outage, lastsMs: 3 * HOUR },
  },
  {
    title: 'a version is deployed in between: tasks and items of the one before and of the next are worked off',
    rates: { otherVersion: 0.5, trouble: 0.3 },
    story: allRead,
  },
  {
    title: 'everything at once',
    rates: {
      ...{ crashes: failpoints, crash: 0.05, refusal: 0.03, lostAnswer: 0.03, unsent: 0.05, lostSend: 0.05 },
      ...{ doubleMessage: 0.2, lateMessage: 0.2, lostDeletion: 0.1, poison: 0.1, otherVersion: 0.1, trouble: 0.3 },
    },
    steps: 2,
  },
];
