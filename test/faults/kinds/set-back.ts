import type { ChannelKind } from '#shared/domain/people/channel.ts';
import { ALL_PERMISSIONS, createHome, fallMessage, hireFor, homeAt, linkSensor } from '#test/fixtures/home.ts';
import type { Fault, Rates, Story } from '../fault.ts';
import { replaceHook } from '../homes.ts';
import { ownEvents } from '../own-events.ts';
import type { Scene } from '../scene.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** A separate home with a sensor, and a rule that sends falls to a webhook. */
const furnish = async (scene: Scene) => {
  const { receiver, clock, chaos, cloud, answered } = scene;
  const admin = await scene.admin();
  const name = scene.fresh('yew');
  const { customerId, client: nurse, userId } = await createHome(admin, name, ALL_PERMISSIONS);
  // A session would end while the clock is ahead.
  const { token } = await nurse.ok<{ token: string }>('POST', '/users/me/access-tokens', { name });
  const client = nurse.as(token);
  const email = `${name}@example.com`;
  await hireFor(admin, customerId, `${name}-manager`, { email, permissions: ['manage_rules'] });
  const sensors = [await linkSensor(client), await linkSensor(client)] as const;
  const home = homeAt(client);
  const path = `/${customerId}/call`;
  const { recipient, webhook } = await home.addRecipient('call', { url: receiver.urls.http + path, secretKey: null });
  await home.addRule({ name, situation: 'fall_detected', recipients: [recipient] });
  const send = async (sensor: (typeof sensors)[number], message: object): Promise<void> => {
    const call = () => answered(sensor.device.call('POST', `/devices/${sensor.sensorId}/messages`, message));
    while ((await call()).status !== 202) await cloud.idle();
    await cloud.idle();
  };
  return {
    customerId,
    client,
    userId,
    email,
    path,
    home,
    hook: { ...webhook, path, url: receiver.urls.http + path },
    sensors,
    fall: (of = sensors[0]) =>
      send(of, { ...fallMessage('calling', clock.now() + chaos.skew()), uuid: crypto.randomUUID() }),
    report: (of: (typeof sensors)[number], presenceDetected = true) =>
      send(of, {
        type: 4,
        uuid: crypto.randomUUID(),
        payload: { presenceDetected, timestamp: clock.now() + chaos.skew() },
      }),
    receipts: () => receiver.receipts.filter(({ webhookId }) => webhookId === webhook.id).map((receipt) => receipt.at),
    forget: async (): Promise<void> => {
      for (const { sensorId } of sensors) await ownEvents(scene, customerId, sensorId);
    },
  };
};
type Home = Awaited<ReturnType<typeof furnish>>;

/** Runs a function and then a sweep, which records the time, while the host's clock is a day ahead. */
const whileAhead = async ({ chaos, step }: Scene, run: () => Promise<void>): Promise<void> => {
  chaos.jump(DAY);
  await run();
  await step(10_000);
  chaos.jump(0);
};

/** Runs a scenario while the clock is ahead, and again afterwards. Returns what was late. */
type Course = (home: Home, scene: Scene) => Promise<readonly string[]>;
const inHome =
  (course: Course) =>
  async (scene: Scene): Promise<Story> => {
    const home = await furnish(scene);
    const problems: string[] = [];
    return {
      atOnce: async () => {
        problems.push(...(await course(home, scene)));
      },
      after: async () => {
        await home.forget();
        return problems;
      },
    };
  };

/** Advances time until the webhook is called, and returns the problem if that takes longer than allowed. */
const delivered = async ({ receipts }: Home, { clock, step }: Scene, withinMs: number): Promise<string[]> => {
  const end = clock.now() + withinMs;
  while (clock.now() < end && receipts().length === 0) await step(31_000);
  return receipts().length > 0 ? [] : [`the fall was not delivered within ${withinMs / MINUTE} minutes`];
};

/** A receiver fails while the clock is ahead, and recovers once the clock is correct. */
const failing =
  (forMs: number, withinMs: number): Course =>
  async (home, scene) => {
    scene.receiver.down.add(home.path);
    await whileAhead(scene, async () => {
      await home.fall();
      await scene.last(forMs);
    });
    scene.receiver.down.delete(home.path);
    return delivered(home, scene, withinMs);
  };

/** Processes die at a failpoint while the clock is ahead. */
const dying =
  (crashes: NonNullable<Rates['crashes']>): Course =>
  async (home, scene) => {
    scene.chaos.also({ crashes, crash: 1 });
    await whileAhead(scene, () => home.fall());
    scene.chaos.also({ crash: 0 });
    return delivered(home, scene, 3 * MINUTE);
  };

/** A delivery is held and the webhook is re-enabled while the clock is ahead. */
const held: Course = async (home, scene) => {
  const { client, hook, fall } = home;
  await whileAhead(scene, async () => {
    scene.receiver.down.add(home.path);
    await fall();
    await replaceHook(client, hook, { isEnabled: false });
    await scene.step(40_000);
    await replaceHook(client, hook, { isEnabled: true });
  });
  scene.receiver.down.delete(home.path);
  return delivered(home, scene, 3 * MINUTE);
};

/**
 * Eleven alarms, more than the email limit allows, reach nobody while the clock is ahead, and one more reaches nobody
 * afterwards.
 */
const mailed: Course = async (home, scene) => {
  const { managerMails, step, clock, receiver } = scene;
  receiver.down.add(home.path);
  await whileAhead(scene, async () => {
    for (let fall = 0; fall < 11; fall++) await home.fall();
    for (let at = 0; at < 6; at++) await step(31_000);
  });
  managerMails.length = 0;
  const begun = clock.now();
  await home.fall(home.sensors[1]);
  const mailsTo = () => managerMails.filter(({ to, at }) => to === home.email && at >= begun);
  while (clock.now() < begun + 160_000) await step(10_000);
  const first = mailsTo().length;
  while (clock.now() < begun + HOUR + 5 * MINUTE) await step(12 * MINUTE);
  receiver.down.delete(home.path);
  const { hits } = await scene.stores.hitLists.page(home.customerId, begun - DAY, {
    page: 0,
    perPage: 50,
    sortBy: 'asc(createDate)',
  });
  for (const { id } of hits)
    await home.client.call('PUT', `/customers/${home.customerId}/rule-hits/${id}/acknowledgement`, {});
  return [
    ...(first > 0 ? [] : ['nobody was mailed about the alarm within 160 seconds']),
    ...(mailsTo().length > first ? [] : ['nobody was reminded within an hour']),
  ];
};

/** One sensor goes offline while the clock is ahead, the other one afterwards. */
const offline: Course = async (home, scene) => {
  const { stores, clock, step, notifications, managerMails } = scene;
  const { customerId, userId, sensors, report } = home;
  const channel = { by: 'email' as ChannelKind, address: 'night@example.com', provenDate: clock.now() };
  await stores.channels.put({ customerId, userId }, channel, null);
  await home.home.addRule({ name: 'o', situation: 'sensor_inactive', recipients: [{ userId, by: 'email' }] });
  await report(sensors[1]);
  await whileAhead(scene, async () => {
    await report(sensors[0]);
    for (let at = 0; at < 10; at++) {
      await step(MINUTE);
      await report(sensors[1], at % 2 === 0);
    }
  });
  await report(sensors[1]);
  notifications.length = 0;
  managerMails.length = 0;
  const begun = clock.now();
  while (clock.now() < begun + 12 * MINUTE) await step(MINUTE);
  const isNotified = notifications.length > 0 || managerMails.some(({ to }) => to === channel.address);
  return isNotified ? [] : ['nobody was notified that the second sensor is offline'];
};

/** A sensor reports for the first time while the clock is ahead, and never again. */
const firstReport: Course = async (home, scene) => {
  const { step, clock, stores } = scene;
  const [sensor] = home.sensors;
  await whileAhead(scene, () => home.report(sensor));
  const begun = clock.now();
  while (clock.now() < begun + 15 * MINUTE) await step(MINUTE);
  const { data } = await stores.events.list(home.customerId, sensor.sensorId, clock.now(), { page: 0, perPage: 50 });
  return data.some(({ action }) => action === 'inactive') ? [] : ['the sensor is not offline after 15 minutes'];
};

const builtIn = { settings: { RETRY_SCHEDULE: [] }, steps: 0, falls: 'one' } as const;
const sensorSettings = { SENSOR_INACTIVE_AFTER_SECONDS: 300 };

/**
 * Faults with dates recorded while the clock was a day ahead, which must not delay an alarm once the clock is correct.
 */
export const ofSetBack: readonly Fault[] = [
  {
    title: 'a retry was queued while the host clock was a day ahead: it is made within 2 minutes',
    ...builtIn,
    story: inHome(failing(20_000, 2 * MINUTE)),
  },
  {
    title: 'a retry was planned for the sweep while the host clock was a day ahead: it is made on time',
    ...builtIn,
    story: inHome(failing(30 * MINUTE, 40 * MINUTE)),
  },
  {
    title: 'a circuit opened while the host clock was a day ahead: the retry is made within 3 minutes',
    steps: 0,
    falls: 'one',
    story: inHome(failing(4 * MINUTE, 3 * MINUTE)),
  },
  {
    title: 'a process died with a claim while the host clock was a day ahead: delivery takes at most 3 minutes',
    ...builtIn,
    rates: {},
    story: inHome(dying(['deliver.claimed'])),
  },
  {
    title: 'a delivery was held while the host clock was a day ahead: it is released within 3 minutes',
    ...builtIn,
    story: inHome(held),
  },
  {
    title: 'alarm emails were sent while the host clock was a day ahead: the next alarm is emailed, with a reminder',
    ...builtIn,
    story: inHome(mailed),
  },
  {
    title: 'an offline notification was sent while the host clock was a day ahead: the next one is sent',
    ...builtIn,
    settings: { ...builtIn.settings, ...sensorSettings },
    story: inHome(offline),
  },
  {
    title: 'a sensor first reported while the host clock was a day ahead: it is offline minutes later',
    ...builtIn,
    settings: { ...builtIn.settings, ...sensorSettings },
    story: inHome(firstReport),
  },
];
