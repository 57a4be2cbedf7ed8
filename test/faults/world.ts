import { startReceiver } from '../../lib/local/demo/receiver.ts';
import { store } from '../../shared/store/store.ts';
import { startTestCloud } from '../fixtures/cloud.ts';
import { ALL_PERMISSIONS, adminOf, createAlarm, createHome, fallMessage, linkSensor } from '../fixtures/home.ts';
import { chanceOf, createChaos, type Faults } from './chaos.ts';
import { check, type Receipt, type Verdict } from './check.ts';
import { skippingClock } from './clock.ts';

const FALLS = 4;
/** So long a trouble lasts, in steps of so much. */
const TROUBLE_STEPS = 6;
const STEP_MS = 10_000;
/** Steps until whatever waits must be done, once all is well: some 20 minutes. */
const PATIENCE = 120;

export type Report = Verdict & {
  injected: number;
  /** Told only after the trouble was over. */
  recovered: number;
  /** What still waits when nothing should. */
  pending: number;
  /** ms from each 202 to the first 2xx, by the clock of the cloud. */
  waits: number[];
};

const furnish = async (url: string, hook: string) => {
  const home = await createHome(await adminOf(url), 'maple', ALL_PERMISSIONS);
  const sensor = await linkSensor(home.client);
  const alarm = await createAlarm(home.client, hook);
  const all = { name: 'all', url: hook, format: 'full', isCustomerHook: true };
  const every = await home.client.ok<{ id: string }>('POST', '/webhooks', all);
  return { customerId: home.customerId, sensor, webhooks: [alarm.webhook.id, every.id] };
};

/** A cloud on the embedded engine whose time can be skipped, with a home whose falls two webhooks are to hear of. */
export const createFaultWorld = async () => {
  const { clock, skip } = skippingClock();
  const chaos = createChaos();
  const receipts: Receipt[] = [];
  const receiver = await startReceiver(({ headers, body }, response) => {
    if (!chaos.answer(response)) return;
    const { event, webhook } = JSON.parse(body);
    if (event.action !== 'fall_detected') return;
    receipts.push({
      ...{ uuid: event.uuid, webhookId: webhook.id },
      ...{ messageId: String(headers['webhook-id']), at: clock.now() },
    });
  });
  const cloud = await startTestCloud({
    ...{ clock, wrap: chaos.wrap, log: () => {} },
    // Many tries, soon: what is to be seen is that none is forgotten, not how long the ladder is.
    environment: { RETRY_SCHEDULE: `0${',2'.repeat(5)}${',20'.repeat(14)}`, DELIVERY_DEADLINE_SECONDS: '1' },
  });
  const home = await furnish(cloud.url, receiver.url);
  const { deliveries, due } = store(cloud.runtime.table);

  let falls = 0;
  /** Posts a fall as a device does: again, until it is acknowledged or the device gives up. */
  const post = async (): Promise<{ uuid: string; at: number | null }> => {
    const uuid = crypto.randomUUID();
    const message = { ...fallMessage('calling', Date.now() + ++falls), uuid };
    for (let attempt = 0; attempt < 3; attempt++) {
      const { status } = await home.sensor.device.call('POST', `/devices/${home.sensor.sensorId}/messages`, message);
      if (status === 202) return { uuid, at: clock.now() };
    }
    return { uuid, at: null };
  };

  const step = async (ms: number): Promise<void> => {
    skip(ms);
    await cloud.sweep();
    await cloud.idle();
  };

  const waiting = async (): Promise<number> => {
    let count = 0;
    for await (const page of due.waiting(clock.now() + 86_400_000))
      count += page.filter(({ kind }) => kind !== 'sensor').length;
    return count;
  };

  /** What ended with a reason instead of a success. */
  const excused = async (): Promise<Set<string>> => {
    const pairs = new Set<string>();
    for (const webhookId of home.webhooks)
      for (const { state, reason, snapshot } of (
        await deliveries.range(home.customerId, webhookId, [0, Number.MAX_SAFE_INTEGER])
      ).page)
        if (state === 'failed' && reason !== null) pairs.add(`${snapshot.event.uuid} ${webhookId}`);
    return pairs;
  };

  const drain = async (): Promise<number> => {
    for (let at = 0; at < PATIENCE; at++) {
      if ((await waiting()) === 0) return 0;
      await step(STEP_MS);
    }
    return waiting();
  };

  /** Some falls while `faults` happen; then all is well, and what waits is worked off. */
  const run = async (faults: Faults, seed: number): Promise<Report> => {
    const chance = chanceOf(seed + 1);
    receipts.length = 0;
    chaos.begin(faults, seed);
    const posted: { uuid: string; at: number | null }[] = [];
    for (let at = 0; at < FALLS; at++) {
      posted.push(await post());
      // At times the next comes while this one is worked on.
      if (chance() < 0.7) await cloud.idle();
      if (chance() < 0.5) await step(Math.ceil(chance() * STEP_MS));
    }
    for (let at = 0; at < TROUBLE_STEPS; at++) await step(STEP_MS);
    const injected = chaos.heal();
    const healed = clock.now();
    const pending = await drain();
    const acknowledged = new Map(posted.flatMap(({ uuid, at }) => (at === null ? [] : [[uuid, at] as const])));
    const first = new Map(receipts.toReversed().map((one) => [`${one.uuid} ${one.webhookId}`, one]));
    const of = { acknowledged: new Set(acknowledged.keys()), posted: new Set(posted.map(({ uuid }) => uuid)) };
    return {
      ...check(of, home.webhooks, receipts, await excused()),
      ...{ injected, pending },
      recovered: [...first.values()].filter(({ at }) => at > healed).length,
      waits: [...first.values()].map(({ uuid, at }) => Math.max(0, at - (acknowledged.get(uuid) ?? at))),
    };
  };

  return {
    run,
    stop: async () => {
      await receiver.stop();
      await cloud.stop();
    },
  };
};
