import { ALL_PERMISSIONS, createHome, fallMessage, homeAt, linkSensor } from '#test/fixtures/home.ts';
import type { Fault, Story } from '../fault.ts';
import { ownEvents } from '../own-events.ts';
import type { Scene } from '../scene.ts';
import { furnishHome } from './escalations.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** The first round, a round delayed by a queue, and a round found only by the sweep. */
const STEPS = [30, 300, 2_400];
/**
 * How much later (ms) than planned a round may start. A step in the run, a sweep, and a dead process may each delay it.
 */
const MAX_LATE = 5 * MINUTE;

/** Runs a function and some sweeps while the host's clock is ahead. */
const whileAhead = async ({ chaos, cloud, step }: Scene, ms: number, run: () => Promise<void>): Promise<void> => {
  chaos.jump(ms);
  await run();
  await cloud.idle();
  await step(10_000);
  chaos.jump(0);
};

/** An alarm raised while the host's clock is a day ahead, or the next alarm after that one. */
const escalating =
  (which: 'alarm' | 'next alarm') =>
  async (scene: Scene): Promise<Story> => {
    const home = await furnishHome(scene, STEPS);
    const { clock, cloud } = scene;
    let began = 0;
    return {
      atOnce: async () => {
        began = clock.now();
        await whileAhead(scene, DAY, () => home.fall(DAY));
        if (which === 'alarm') return;
        await home.acknowledge();
        began = clock.now();
        await home.fall();
        await cloud.idle();
      },
      after: async () => {
        const isInFuture = which === 'next alarm' && (await home.newestDate()) > clock.now();
        const { bySteps } = await home.outcome();
        const late = [0, ...STEPS].flatMap((seconds, at) => {
          const receipts = (bySteps[at] ?? []).filter((receipt) => receipt.at >= began);
          const first = Math.min(...receipts.map((receipt) => receipt.at));
          const delay = first - (began + seconds * 1_000);
          const ids = new Set(receipts.map(({ messageId }) => messageId)).size;
          return [
            ...(ids === 1 ? [] : [`step ${at} was delivered under ${ids} ids`]),
            ...(delay <= MAX_LATE ? [] : [`step ${at} was ${Math.round(delay / MINUTE)} minutes late`]),
          ];
        });
        return [...late, ...(isInFuture ? ['the hit has a date in the future'] : [])];
      },
    };
  };

const OFFLINE_AFTER_SECONDS = 300;
/** How many minutes may pass after a sensor's last report before it counts as offline. */
const MAX_OFFLINE_MINUTES = 15;
/** Two sensors report while the host's clock is hours ahead. One stops at once, the other after one more report. */
const offline = async (scene: Scene): Promise<Story> => {
  const { clock, cloud, answered, chance, step, homes } = scene;
  const { client, customerId } = homes.birch;
  const sensors = [await linkSensor(client), await linkSensor(client)] as const;
  const stopped = new Map<string, number>();
  const report = async (of: readonly (typeof sensors)[number][], isPresent: boolean, ahead = 0): Promise<void> => {
    for (const { device, sensorId } of of) {
      const payload = { presenceDetected: isPresent, timestamp: clock.now() + ahead };
      const message = { type: 4, uuid: crypto.randomUUID(), payload };
      const send = () => answered(device.call('POST', `/devices/${sensorId}/messages`, message));
      while ((await send()).status !== 202) await cloud.idle();
      stopped.set(sensorId, clock.now());
    }
    await cloud.idle();
  };
  return {
    atOnce: async () => {
      const ahead = HOUR + Math.round(5 * HOUR * chance());
      await report(sensors, true);
      await whileAhead(scene, ahead, () => report(sensors, false, ahead));
      await step(MINUTE);
      await report([sensors[0]], true);
    },
    after: async () => {
      const checks = [...stopped].map(async ([sensorId, at]) => {
        const { data } = await ownEvents(scene, customerId, sensorId);
        const event = data.find(({ type, action }) => type === 'sensor' && action === 'inactive');
        if (!event) return [`${sensorId} is not offline`];
        const minutes = (event.createDate - at) / MINUTE;
        return minutes > 0 && minutes <= MAX_OFFLINE_MINUTES
          ? []
          : [`${sensorId} was offline after ${minutes} minutes`];
      });
      return (await Promise.all(checks)).flat();
    },
  };
};

const timeOfDay = (time: number): string => new Date(time).toISOString().slice(11, 16);

/** A rule with a schedule around the correct time. Either the host's or the sensor's clock is wrong by hours. */
const scheduled =
  (which: 'host' | 'sensor') =>
  async (scene: Scene): Promise<Story> => {
    const { receiver, clock, chance } = scene;
    const { customerId, client } = await createHome(await scene.admin(), scene.fresh('elm'), ALL_PERMISSIONS);
    const { device, sensorId } = await linkSensor(client);
    const home = homeAt(client);
    const url = `${receiver.urls.http}/${customerId}/night`;
    const { recipient, webhook } = await home.addRecipient('night', { url, secretKey: null });
    const [from, to] = [timeOfDay(clock.now() - HOUR), timeOfDay(clock.now() + HOUR)];
    const schedule = { days: [1, 2, 3, 4, 5, 6, 7], from, to, timeZone: 'UTC' };
    await home.addRule({ name: 'n', situation: 'fall_detected', recipients: [recipient], schedule });
    const fall = async (offset: number): Promise<void> => {
      const message = { ...fallMessage('calling', clock.now() + offset), uuid: crypto.randomUUID() };
      const send = () => scene.answered(device.call('POST', `/devices/${sensorId}/messages`, message));
      while ((await send()).status !== 202) await scene.cloud.idle();
    };
    return {
      atOnce: async () => {
        const wrong = 2 * HOUR + Math.round(3 * HOUR * chance());
        if (which === 'host') await whileAhead(scene, wrong, () => fall(0));
        else await fall(-wrong);
      },
      after: async () => {
        const receipts = receiver.receipts.filter(({ webhookId }) => webhookId === webhook.id);
        await ownEvents(scene, customerId, sensorId);
        return receipts.length > 0 ? [] : ['the rule of this time of day did not fire'];
      },
    };
  };

const crashes = [
  ...(['process.decided', 'process.hits_written', 'process.applied'] as const),
  ...(['escalate.decided', 'escalate.written', 'escalate.enqueued', 'sweep.begun'] as const),
];
const anHour = { falls: 'one', steps: 90, stepMs: 31_000 } as const;

/** Faults in which a clock is wrong and corrected later. */
export const ofClocks: readonly Fault[] = [
  {
    title: 'an alarm is raised while the host clock is a day ahead: each step is on time under one id',
    ...anHour,
    story: escalating('alarm'),
  },
  {
    title: 'processes die around an alarm while the host clock is a day ahead: steps are at most minutes late',
    rates: { crashes, crash: 0.2 },
    ...anHour,
    story: escalating('alarm'),
  },
  {
    title: "the host clock was a day ahead for one alarm: the next one's steps are on time under one id",
    ...anHour,
    story: escalating('next alarm'),
  },
  {
    title: 'sensors report while the host clock is hours ahead: those that stop are offline minutes later',
    falls: 'one',
    steps: 36,
    stepMs: 31_000,
    settings: { SENSOR_INACTIVE_AFTER_SECONDS: OFFLINE_AFTER_SECONDS },
    story: offline,
  },
  {
    title: 'a sensor clock is hours slow: the rule for the time of receipt fires',
    rates: { refusal: 0.05, lostResponse: 0.05 },
    falls: 'one',
    story: scheduled('sensor'),
  },
  {
    title: 'the host clock is hours ahead: the rule for the event time fires',
    falls: 'one',
    story: scheduled('host'),
  },
];
