import { failpoints } from '#shared/runtime/failpoints.ts';
import { fallMessage } from '#test/fixtures/home.ts';
import type { Posted } from '../check.ts';
import { postFall } from '../falls.ts';
import type { Fault, Story } from '../fault.ts';
import type { Scene } from '../scene.ts';

const HOUR = 3_600_000;
/** A time (ms) longer than any queue's visibility timeout or delay. */
const HIDDEN_MS = 901_000;

/** Every unreadable message must be in the quarantine. */
const nothingUnread = async ({ queues, unread }: Scene): Promise<Story> => {
  const before = unread();
  const quarantinedBefore = queues.quarantine.stats().visible;
  return {
    after: async () => {
      const quarantined = queues.quarantine.stats().visible - quarantinedBefore;
      const unreadable = unread() - before;
      return quarantined < unreadable ? [`${quarantined} of ${unreadable} unreadable messages were quarantined`] : [];
    },
  };
};

/** Tasks from another version must all be readable. */
const allRead = async ({ unread }: Scene): Promise<Story> => {
  const before = unread();
  return { after: async () => (unread() > before ? ['a task of another version could not be read'] : []) };
};

/** The table becomes unavailable as soon as everything is acknowledged. */
const outage = async ({ chaos }: Scene): Promise<Story> => ({
  atOnce: async () => chaos.also({ crashes: [], refusal: 1 }),
});

/** One sensor's messages fail repeatedly. Those from other sensors must still be delivered. */
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

/** How long (ms) a message that always fails may hold back its sensor. */
const MAX_HELD_BACK_MS = 60_000;

/** A message or its decision fails on every attempt. It must be quarantined, and the sensor's later falls delivered. */
const failing =
  (kind: 'poisoned' | 'undeliverable') =>
  async (scene: Scene): Promise<Story> => {
    const { homes, receiver, chaos, cloud, queues, sent, clock, fresh } = scene;
    const uuid = crypto.randomUUID();
    let behind: Posted | undefined;
    return {
      atOnce: async (also) => {
        sent.add(uuid);
        chaos.also({ [kind]: uuid });
        const { sensor } = homes.birch;
        const message = { ...fallMessage('calling', clock.now() + Number(fresh('').slice(1))), uuid };
        await sensor.device.ok('POST', `/devices/${sensor.sensorId}/messages`, message);
        behind = await postFall(scene, homes.birch);
        also(behind);
        also(await postFall(scene, homes.maple));
        await cloud.idle();
      },
      after: async () => {
        const delivered = receiver.receipts.find((receipt) => receipt.uuid === behind?.uuid);
        const isInTime = delivered && behind?.at && delivered.at - behind.at <= MAX_HELD_BACK_MS;
        return [
          ...(queues.quarantine.stats().visible === 1 ? [] : ['it is not in the quarantine']),
          ...(isInTime ? [] : ['its sensor was held back']),
        ];
      },
    };
  };

/** How long (ms) a message may hold back its sensor if no other sensor succeeds meanwhile. */
const MAX_ALONE_MS = 600_000;

/**
 * A message from the only reporting sensor fails on every attempt. It must be quarantined, except during an outage,
 * when nothing succeeds.
 */
const poisonedAlone =
  (during: 'normal operation' | 'outage') =>
  async (scene: Scene): Promise<Story> => {
    const { homes, receiver, chaos, queues, sent, clock, fresh } = scene;
    const uuid = crypto.randomUUID();
    const failed: string[] = [];
    let behind: Posted | undefined;
    return {
      atOnce: async (also) => {
        sent.add(uuid);
        chaos.also({ poisoned: uuid });
        const { sensor } = homes.birch;
        const message = { ...fallMessage('calling', clock.now() + Number(fresh('').slice(1))), uuid };
        await sensor.device.ok('POST', `/devices/${sensor.sensorId}/messages`, message);
        behind = await postFall(scene, homes.birch);
        also(behind);
        if (during === 'outage') chaos.also({ refusal: 1 });
      },
      heal: async () => {
        const quarantined = queues.quarantine.stats().visible;
        const expected = during === 'outage' ? 0 : 1;
        if (quarantined !== expected) failed.push(`${quarantined} messages were quarantined`);
      },
      after: async () => {
        const delivered = receiver.receipts.find((receipt) => receipt.uuid === behind?.uuid);
        const isInTime = delivered && behind?.at && delivered.at - behind.at <= MAX_ALONE_MS;
        return [...failed, ...(isInTime || during === 'outage' ? [] : ['its sensor was held back'])];
      },
    };
  };

/**
 * Queue faults: messages are rejected, duplicated, late, out of order, redelivered, unreadable, dead-lettered, or in
 * another version's format.
 */
export const ofQueue: readonly Fault[] = [
  {
    title: 'a queue sometimes rejects messages: only queued messages are acknowledged',
    rates: { unsent: 0.3 },
    steps: 1,
  },
  {
    title: 'a queue accepts messages, but the response is lost: nothing is delivered under two ids',
    rates: { lostSend: 0.3 },
  },
  { title: 'every message is received twice: each fall is delivered once', rates: { doubleMessage: 1 } },
  {
    title: 'processed messages are received again, even from the FIFO queue: each fall is delivered once',
    rates: { lostDeletion: 0.5 },
    steps: 2,
  },
  {
    title: 'messages are received late and out of order: every fall is delivered',
    rates: { lateMessage: 0.7, doubleMessage: 0.3 },
  },
  {
    title: 'unreadable messages arrive among the others: they are quarantined, and nothing else is lost',
    rates: { poison: 0.7, trouble: 0.2 },
    story: nothingUnread,
  },
  {
    title: "one sensor's messages fail: falls from other sensors are still delivered",
    rates: { crashes: ['process.judged'], crash: 1 },
    falls: 'one',
    story: blocked,
    steps: 0,
  },
  {
    title: "a message fails at every attempt: it is quarantined, and the sensor's later falls are delivered",
    falls: 'one',
    story: failing('poisoned'),
    steps: 8,
    stepMs: 5_000,
  },
  {
    title: "the only sensor's message fails at every attempt: it is quarantined, and later falls are delivered",
    falls: 'one',
    story: poisonedAlone('normal operation'),
    steps: 35,
    stepMs: 20_000,
  },
  {
    title: "the only sensor's message fails during an outage: nothing is quarantined, and everything is delivered",
    falls: 'one',
    story: poisonedAlone('outage'),
    steps: 90,
    stepMs: 20_000,
  },
  {
    title: "a decision fails at every attempt: it is quarantined, and the sensor's later falls are delivered",
    falls: 'one',
    story: failing('undeliverable'),
    steps: 8,
    stepMs: 5_000,
  },
  {
    title: 'a message becomes a dead letter while sweeps die too: it is redriven and delivered later',
    rates: { crashes: ['process.judged', 'sweep.begun'], crash: 1 },
    falls: 'one',
    steps: 110,
    stepMs: HIDDEN_MS,
  },
  {
    title: 'a decision cannot be applied before its message is a dead letter: the redrive delivers it',
    rates: { crashes: ['process.decided', 'sweep.begun'], crash: 1 },
    falls: 'one',
    steps: 110,
    stepMs: HIDDEN_MS,
  },
  {
    title: 'the table is unavailable for three hours under load: acknowledged messages are delivered afterwards',
    rates: { crashes: ['process.judged', 'process.deliveries_written', 'deliver.claimed'], crash: 0.6 },
    story: outage,
    lastsMs: 3 * HOUR,
  },
  {
    title: 'another version is being deployed: tasks and items from older and newer versions are processed',
    rates: { otherVersion: 0.5, trouble: 0.3 },
    story: allRead,
  },
  {
    title: 'all of these faults occur at once: every fall is delivered',
    rates: {
      crashes: failpoints,
      crash: 0.05,
      refusal: 0.03,
      lostResponse: 0.03,
      unsent: 0.05,
      lostSend: 0.05,
      doubleMessage: 0.2,
      lateMessage: 0.2,
      lostDeletion: 0.1,
      poison: 0.1,
      otherVersion: 0.1,
      trouble: 0.3,
    },
    steps: 2,
  },
];
