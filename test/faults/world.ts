import { type SkippingClock, skippingClock } from '#lib/local/clock.ts';
import type { LocalQueues } from '#lib/local/queue/queues.ts';
import { type Measure, noMetrics } from '#shared/observability/metrics.ts';
import { workQueues } from '#shared/queue/names.ts';
import { createTable } from '#shared/store/engine/client.ts';
import { store } from '#shared/store/store.ts';
import { startTestCloud } from '../fixtures/cloud.ts';
import { startNameServer } from '../fixtures/name-server.ts';
import { startSilentServer } from '../fixtures/silent-server.ts';
import { createWatch, type Watch } from './alarms.ts';
import { failingClient } from './aws.ts';
import { createChaos } from './chaos.ts';
import { dueItemsOf, everythingIn } from './due-items.ts';
import type { Fault } from './fault.ts';
import { createFaultHome } from './homes.ts';
import { failingHost, forgetful } from './host.ts';
import { laggingReads } from './lag.ts';
import { createLives } from './lives.ts';
import { createNotifications } from './notifications.ts';
import { startChaosReceiver } from './receiver.ts';
import { adminsOf } from './scene.ts';
import { type OpenTable, startRemoteTable, TABLE_NAME } from './tables.ts';
import { timeOf } from './time.ts';
import { webhookClientOf } from './webhook-client.ts';

/**
 * A schedule with many attempts in a short time. The suite checks that no delivery is forgotten, not how long it takes.
 */
const SHORT_SCHEDULE = `0${',2'.repeat(5)}${',20'.repeat(14)}`;
/** The log message for a message quarantined because it cannot be read. */
const UNREAD = 'a message cannot be read';
/** Sensors never become inactive, because the suite does not check that and it would take work. */
const defaultSettings = { SENSOR_INACTIVE_AFTER_SECONDS: 100 * 86_400 };

/** Records the SQS metrics: each receive and deletion, and the queues before and after time is skipped. */
const recordMetrics = (watch: Watch, queues: LocalQueues, clock: SkippingClock): void => {
  for (const name of workQueues) {
    const queue = queues[name];
    const { receive, remove } = queue;
    queue.receive = (...args) => {
      const messages = receive(...args);
      if (messages.length > 0) watch.received(name, messages.length);
      return messages;
    };
    queue.remove = (handle) => {
      watch.deleted(name);
      remove(handle);
    };
  }
  const { send } = queues.quarantine;
  queues.quarantine.send = (...args) => {
    watch.quarantined();
    return send(...args);
  };
  const { skipTo } = clock;
  clock.skipTo = (time) => {
    watch.sample();
    skipTo(time);
    watch.sample();
  };
};

/** Creates a cloud with skippable time, two homes and their receivers. */
export const createFaultWorld = async (openTable: OpenTable = startRemoteTable) => {
  const clock = skippingClock(Date.now());
  const table = await openTable(clock);
  const chaos = createChaos();
  const lives = createLives();
  const notifications = createNotifications(chaos, lives, clock);
  const [receiver, silence] = await Promise.all([startChaosReceiver(chaos, clock.now), startSilentServer()]);
  const names = await startNameServer(() => {
    if (!chaos.rates().slowNames) return '127.0.0.1';
    chaos.note();
    return null;
  });
  const webhookClient = webhookClientOf(chaos, names.at);
  let settings: Fault['settings'];
  let unread = 0;
  let lags = false;
  let watch: Watch | undefined;
  const current = () => ({ ...defaultSettings, ...settings });
  const skip = (ms: number): void => clock.skipTo(clock.now() + ms);
  if (table.remote) failingClient(chaos, { silentPort: silence.port, skip })(table.remote.client);
  const cloud = await startTestCloud({
    clock,
    // The sweep interval is the same as in AWS, because a step in a scenario may take a minute.
    sweepSeconds: 60,
    mqttPort: 0,
    log: (_, message) => {
      if (message === UNREAD) unread += 1;
    },
    client: laggingReads(clock, () => lags, chaos.lagChance)(table.remote?.client ?? table.client, table.client),
    ...(table.remote && { tableEndpoint: table.remote.endpoint }),
    wrap: (runtime) => {
      const { metrics = noMetrics } = runtime;
      const measure = ((...args: Parameters<Measure>) => {
        if (!lives.isDead()) watch?.measure(...args);
        metrics.measure(...args);
      }) as Measure;
      return failingHost(
        chaos,
        lives,
        async () => webhookClient,
        current,
      )(notifications.wrap({ ...runtime, metrics: { ...metrics, measure } }));
    },
    around: (name, invocation) =>
      lives.around(invocation).catch((error: unknown) => {
        watch?.failed(name);
        throw error;
      }),
    environment: { RETRY_SCHEDULE: SHORT_SCHEDULE, MAIL_SENDER: 'cloud@example.org' },
  });
  if (!('queues' in cloud.waiting)) throw new Error('the cloud has no local queues');
  const { queues, dead } = cloud.waiting;
  const watching = createWatch({ queues, dead, now: clock.now });
  watch = watching;
  recordMetrics(watching, queues, clock);
  forgetful(chaos, Object.values(queues));
  const admin = adminsOf(cloud, clock);
  const boss = await admin();
  const [maple, birch] = await Promise.all([
    createFaultHome(boss, 'maple', receiver, true),
    createFaultHome(boss, 'birch', receiver, false),
  ]);
  let lastNumber = 0;
  return {
    clock,
    chaos,
    receiver,
    cloud,
    admin,
    notifications: notifications.accepted,
    managerMails: notifications.managerMails,
    queues,
    ...timeOf(cloud, clock, dueItemsOf(table), [...workQueues.map((name) => queues[name]), ...Object.values(dead)]),
    homes: { maple, birch },
    /** The metrics CloudWatch would have. */
    watch: watching,
    /** The table's actual content, without lag or faults. */
    stores: store(createTable(table.client, TABLE_NAME)),
    /** Every item in the table, as text. */
    everything: everythingIn(table),
    /** All events ever posted here. A previously frozen process may deliver an unacknowledged event in a later run. */
    sent: new Set<string>(),
    /** Switches lag in eventually consistent reads on or off. */
    lag: (on: boolean): void => {
      lags = on;
    },
    /** Returns the number of unreadable messages so far. */
    unread: () => unread,
    /** Returns a name not used here before. */
    fresh: (name: string): string => `${name}-${++lastNumber}`,
    /** Sets the cloud's settings. Those left out are reset to the defaults. */
    set: (ofFault: Fault['settings']): void => {
      settings = ofFault;
    },
    stop: async () => {
      await receiver.stop();
      await cloud.stop();
      await table.stop();
      await silence[Symbol.asyncDispose]();
      await names.stop();
    },
  };
};
export type FaultWorld = Awaited<ReturnType<typeof createFaultWorld>>;
