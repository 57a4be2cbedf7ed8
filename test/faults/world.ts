import { type SkippingClock, skippingClock } from '#lib/local/clock.ts';
import type { LocalQueues } from '#lib/local/queue/queues.ts';
import { type Measure, unmeasured } from '#shared/observability/metrics.ts';
import { workQueues } from '#shared/queue/names.ts';
import { createTable } from '#shared/store/engine/client.ts';
import { type Store, store } from '#shared/store/store.ts';
import { startTestCloud } from '../fixtures/cloud.ts';
import { dynoxideClient } from '../fixtures/dynoxide.ts';
import { startNameServer } from '../fixtures/name-server.ts';
import { startSilence } from '../fixtures/silence.ts';
import { createWatch, type Watch } from './alarms.ts';
import { failingClient } from './aws.ts';
import { createChaos } from './chaos.ts';
import { dueItemsOf, everythingIn } from './due-items.ts';
import type { Fault } from './fault.ts';
import { furnish } from './homes.ts';
import { failingHost, forgetful } from './host.ts';
import { laggingReads } from './lag.ts';
import { createLetters } from './letters.ts';
import { createLives } from './lives.ts';
import { startChaosReceiver } from './receiver.ts';
import { adminsOf } from './scene.ts';
import { timeOf } from './time.ts';
import { webhookClientOf } from './webhook-client.ts';

/**
 * A retry schedule with many attempts in a short time: the suite checks that no delivery is forgotten, and not how
 * long the schedule is.
 */
const SOON = `0${',2'.repeat(5)}${',20'.repeat(14)}`;
/** The log message about a message that was put in quarantine. */
const UNREAD = 'a message cannot be read';
/** Sensors don't become inactive, because the suite doesn't check that, and it takes work. */
const lively = { SENSOR_INACTIVE_AFTER_SECONDS: 100 * 86_400 };

/** Lets SQS measure: each receive and deletion, and what waits before and after time is skipped. */
const watched = (watch: Watch, queues: LocalQueues, clock: SkippingClock): void => {
  for (const name of workQueues) {
    const queue = queues[name];
    const { receive, remove } = queue;
    queue.receive = (...given) => {
      const messages = receive(...given);
      if (messages.length > 0) watch.received(name, messages.length);
      return messages;
    };
    queue.remove = (handle) => {
      watch.deleted(name);
      remove(handle);
    };
  }
  const { skipTo } = clock;
  clock.skipTo = (time) => {
    watch.sample();
    skipTo(time);
    watch.sample();
  };
};

/** Creates a cloud on the embedded engine whose time can be skipped, with two homes and their receivers. */
export const createFaultWorld = async () => {
  const clock = skippingClock(Date.now());
  const chaos = createChaos();
  const lives = createLives();
  const letters = createLetters(chaos, lives);
  const [receiver, silence] = await Promise.all([startChaosReceiver(chaos, clock.now), startSilence()]);
  const names = await startNameServer(() => {
    if (!chaos.rates().slowNames) return '127.0.0.1';
    chaos.note();
    return null;
  });
  const webhookClient = webhookClientOf(chaos, names.at);
  let settings: Fault['settings'];
  let unread = 0;
  let lags = false;
  let stores: Store | undefined;
  let watch: Watch | undefined;
  let dueItems: ReturnType<typeof dueItemsOf> | undefined;
  let everything = async (): Promise<string[]> => [];
  const current = () => ({ ...lively, ...settings });
  const cloud = await startTestCloud({
    clock,
    // The schedule has the interval of AWS, because a step of a story may take a minute.
    sweepSeconds: 60,
    log: (_, message) => {
      if (message === UNREAD) unread += 1;
    },
    onClient: (client, endpoint) => {
      laggingReads(clock, () => lags, chaos.draw)(client, endpoint);
      failingClient(chaos, { silentPort: silence.port, skip: (ms) => clock.skipTo(clock.now() + ms) })(client);
      stores = store(createTable(dynoxideClient(endpoint), 'sensor-cloud'));
      dueItems = dueItemsOf(endpoint, 'sensor-cloud');
      everything = everythingIn(endpoint, 'sensor-cloud');
    },
    wrap: (runtime) => {
      const { metrics = unmeasured } = runtime;
      const measure = ((...given: Parameters<Measure>) => {
        if (!lives.isDead()) watch?.measure(...given);
        metrics.measure(...given);
      }) as Measure;
      return failingHost(
        chaos,
        lives,
        async () => webhookClient,
        current,
      )(letters.wrap({ ...runtime, metrics: { ...metrics, measure } }));
    },
    around: (name, invocation) =>
      lives.around(invocation).catch((error: unknown) => {
        watch?.failed(name);
        throw error;
      }),
    environment: { RETRY_SCHEDULE: SOON },
  });
  if (!stores || !dueItems || !('queues' in cloud.waiting)) throw new Error('the cloud has no engines of its own');
  const { queues, dead } = cloud.waiting;
  const watching = createWatch({ queues, dead, now: clock.now });
  watch = watching;
  watched(watching, queues, clock);
  forgetful(chaos, Object.values(queues));
  const admin = adminsOf(cloud, clock);
  const boss = await admin();
  const [maple, birch] = await Promise.all([
    furnish(boss, 'maple', receiver, true),
    furnish(boss, 'birch', receiver, false),
  ]);
  let drawn = 0;
  return {
    clock,
    chaos,
    receiver,
    cloud,
    admin,
    letters: letters.taken,
    queues,
    ...timeOf(cloud, clock, dueItems, [...workQueues.map((name) => queues[name]), ...Object.values(dead)]),
    homes: { maple, birch },
    /** What CloudWatch would have measured. */
    watch: watching,
    /** The true contents of the table, without lags or faults of the cloud's reads. */
    stores,
    /** Every item of the table, as text. */
    everything: () => everything(),
    /**
     * All events that were ever posted here. An event that was not acknowledged may be told in a later run, by a
     * process that was frozen.
     */
    sent: new Set<string>(),
    /** Switches the lag of eventually consistent reads on or off. */
    lag: (on: boolean): void => {
      lags = on;
    },
    /** The number of unreadable messages so far. */
    unread: () => unread,
    /** Gives a name that was not used here before. */
    fresh: (name: string): string => `${name}-${++drawn}`,
    /** Sets the settings of the cloud; those that are left out have their defaults. */
    set: (given: Fault['settings']): void => {
      settings = given;
    },
    stop: async () => {
      await receiver.stop();
      await cloud.stop();
      await silence[Symbol.asyncDispose]();
      await names.stop();
    },
  };
};
export type FaultWorld = Awaited<ReturnType<typeof createFaultWorld>>;
