import { skippingClock } from '../../lib/local/clock.ts';
import { localDocumentClient } from '../../lib/local/table.ts';
import { workQueues } from '../../shared/capabilities.ts';
import { createTable } from '../../shared/store/client.ts';
import { type Store, store } from '../../shared/store/store.ts';
import { startTestCloud } from '../fixtures/cloud.ts';
import { startNameServer } from '../fixtures/name-server.ts';
import { startSilence } from '../fixtures/silence.ts';
import { failingClient } from './aws.ts';
import { createChaos } from './chaos.ts';
import type { Fault } from './fault.ts';
import { furnish } from './homes.ts';
import { failingHost, forgetful } from './host.ts';
import { laggingReads } from './lag.ts';
import { startChaosReceiver } from './receiver.ts';
import { adminsOf } from './scene.ts';
import { timeOf } from './time.ts';
import { webhookClientOf } from './webhook-client.ts';

/** Many tries, soon: what is to be seen is that none is forgotten, not how long the retry schedule is. */
const SOON = `0${',2'.repeat(5)}${',20'.repeat(14)}`;
/** What the log says of a message that is put aside. */
const UNREAD = 'a message cannot be read';
/** Sensors don't fall silent by the way: what that takes is not what is looked at. */
const lively = { SENSOR_INACTIVE_AFTER_SECONDS: 100 * 86_400 };

/** A cloud on the embedded engine whose time can be skipped, with two homes and the receivers that are to hear of them. */
export const createFaultWorld = async () => {
  const clock = skippingClock(Date.now());
  const chaos = createChaos();
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
  const current = () => ({ ...lively, ...settings });
  const cloud = await startTestCloud({
    clock,
    // As in AWS: between two steps of a story there may be a minute.
    sweepSeconds: 60,
    log: (_, message) => {
      if (message === UNREAD) unread += 1;
    },
    onClient: (client, endpoint) => {
      laggingReads(clock, () => lags, chaos.draw)(client, endpoint);
      failingClient(chaos, { silentPort: silence.port, skip: (ms) => clock.skipTo(clock.now() + ms) })(client);
      stores = store(createTable(localDocumentClient(endpoint), 'sensor-cloud'));
    },
    wrap: failingHost(chaos, async () => webhookClient, current),
    environment: { RETRY_SCHEDULE: SOON },
  });
  if (!stores || !('queues' in cloud.waiting)) throw new Error('the cloud has no engines of its own');
  const { queues, dead } = cloud.waiting;
  forgetful(chaos, Object.values(queues));
  const admin = adminsOf(cloud, clock);
  const boss = await admin();
  const [maple, birch] = await Promise.all([
    furnish(boss, 'maple', receiver, true),
    furnish(boss, 'birch', receiver, false),
  ]);
  let drawn = 0;
  return {
    ...{ clock, chaos, receiver, cloud, admin },
    queues,
    ...timeOf(cloud, clock, stores, [...workQueues.map((name) => queues[name]), ...Object.values(dead)]),
    homes: { maple, birch },
    /** What is really in the table, whatever happens to the reads of the cloud. */
    stores,
    /** Whatever was ever posted here. What nobody acknowledged may be told in a later run, by a process that was frozen. */
    sent: new Set<string>(),
    /** From now on eventually consistent reads lag, or not. */
    lag: (on: boolean): void => {
      lags = on;
    },
    /** How many messages could not be read until now. */
    unread: () => unread,
    /** A name that nothing here has yet. */
    fresh: (name: string): string => `${name}-${++drawn}`,
    /** From now on the stage is set like this; what is left out, as usual. */
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
