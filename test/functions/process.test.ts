import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { handler } from '../../functions/process/handler.ts';
import { systemClock } from '../../lib/local/clock.ts';
import type { Cloud } from '../../lib/local/cloud.ts';
import { lambdaContext } from '../../lib/local/pollers.ts';
import type { Runtime } from '../../shared/deps.ts';
import type { Key } from '../../shared/store/key.ts';
import { store } from '../../shared/store/store.ts';
import { startTestCloud } from '../fixtures/cloud.ts';
import { ALL_PERMISSIONS, adminOf, createAlarm, createHome, fallMessage, linkSensor } from '../fixtures/home.ts';

let cloud: Cloud;
// The bells of this cloud ring for nobody: the tests process by hand.
let base: Runtime;
beforeAll(async () => {
  cloud = await startTestCloud({ wrap: (runtime) => ({ ...runtime, send: async () => {} }) });
  base = cloud.runtime;
});
afterAll(() => cloud.stop());

const context = () => lambdaContext({ functionName: 'process', timeoutSeconds: 30, clock: systemClock });
type Home = { c: number; s: string };
const processWith = (runtime: Runtime, bell: Home, ...e: string[]) => {
  const Records = [{ messageId: '1', body: JSON.stringify({ ...bell, e }) }];
  return handler.with(runtime)({ Records } as Parameters<typeof handler>[0], context());
};
const presence = (present: boolean, uuid: string) => ({
  type: 4,
  uuid,
  payload: { presenceDetected: present, timestamp: Date.now() },
});
const [first, second] = ['00000000-0000-4000-8000-000000000001', '00000000-0000-4000-8000-000000000002'] as const;

const prepare = async (name: string) => {
  const home = await createHome(await adminOf(cloud.url), name, ALL_PERMISSIONS);
  const sensor = await linkSensor(home.client);
  await createAlarm(home.client, 'http://127.0.0.1:9/', 'occupied_room');
  const post = (present: boolean, uuid: string) =>
    sensor.device.ok('POST', `/devices/${sensor.sensorId}/messages`, presence(present, uuid));
  const hits = async () =>
    (await home.client.ok<{ total: number }[]>('GET', `/customers/${home.customerId}/rule-hits`))[0]?.total;
  return { bell: { c: home.customerId, s: sensor.sensorId }, post, hits };
};

/** A runtime that ends where an item of that kind is written. */
const crashingAt = (runtime: Runtime, kind: string): Runtime => ({
  ...runtime,
  log: () => {},
  table: {
    ...runtime.table,
    write: async (...writes) => {
      if (writes.some((write) => 'put' in write && write.put.sk.startsWith(kind)))
        throw new Error('the process ends here');
      return runtime.table.write(...writes);
    },
  },
});

/** A sensor whose falls a rule hears of; `start` tells of the start of one. */
const prepareFall = async (name: string) => {
  const home = await createHome(await adminOf(cloud.url), name, ALL_PERMISSIONS);
  const sensor = await linkSensor(home.client);
  await createAlarm(home.client, 'http://127.0.0.1:9/', 'fall_detected');
  const bell = { c: home.customerId, s: sensor.sensorId };
  const start = async (uuid: string = first) => {
    const message = { ...fallMessage('fall_detected', Date.now()), uuid };
    await sensor.device.ok('POST', `/devices/${sensor.sensorId}/messages`, message);
    await processWith(base, bell, uuid);
  };
  const path = `/customers/${home.customerId}/rule-hits`;
  const hits = async () => (await home.client.ok<{ total: number }[]>('GET', path))[0]?.total;
  return { bell, start, hits };
};

describe('process', () => {
  test('decides a message once, though a repeated bell is overtaken by the next message', async () => {
    const { bell, post, hits } = await prepare('alder');
    await post(true, first);
    await post(false, second);
    // The repeated bell has read what it reads first when everything else happens.
    let overtaken = false;
    const slow: Runtime = {
      ...base,
      table: {
        ...base.table,
        get: async <T extends Record<string, unknown>>(key: Key, consistent?: boolean) => {
          const found = await base.table.get<T>(key, consistent);
          if (!overtaken && (key.sk === 'STATE' || key.sk.startsWith('EVENT#'))) {
            overtaken = true;
            await processWith(base, bell, first, second);
          }
          return found;
        },
      },
    };
    await processWith(slow, bell, first);
    const state = await store(base.table).events.state(bell.c, bell.s);
    expect(state?.presence).toBe(false);
    expect(await hits()).toBe(1);
  });

  test('finishes what a crash left half done before it decides anything new', async () => {
    const { bell, post, hits } = await prepare('rowan');
    await post(true, first);
    expect(await processWith(crashingAt(base, 'HIT#'), bell, first)).toEqual({
      batchItemFailures: [{ itemIdentifier: '1' }],
    });
    expect(await hits()).toBe(0);
    await post(false, second);
    await processWith(base, bell, second);
    expect(await hits()).toBe(1);
    await processWith(base, bell, first);
    expect(await hits()).toBe(1);
  });

  test('moves a fall by time once, though bells ring early, at once, again and late', async () => {
    const { bell, start, hits } = await prepareFall('willow');
    await start();
    const at = (seconds: number): Runtime => ({ ...base, now: () => Date.now() + seconds * 1_000 });
    await processWith(at(1), bell);
    expect(await hits()).toBe(0);
    await Promise.all([60, 60, 61].map((seconds) => processWith(at(seconds), bell)));
    expect(await hits()).toBe(0);
    await Promise.all([100, 100, 101, 100].map((seconds) => processWith(at(seconds), bell)));
    expect(await hits()).toBe(1);
    for (const seconds of [99, 200, 5_000]) await processWith(at(seconds), bell);
    expect(await hits()).toBe(1);
  });

  test('finishes what a crash left half done of a decision by time, with the next bell or message', async () => {
    for (const name of ['hazel', 'linden']) {
      const { bell, start, hits } = await prepareFall(name);
      await start();
      const late = { ...base, now: () => Date.now() + 100_000 };
      expect(await processWith(crashingAt(late, 'HIT#'), bell)).toMatchObject({ batchItemFailures: [{}] });
      expect(await hits()).toBe(0);
      const { state } = store(base.table).events;
      expect((await state(bell.c, bell.s))?.decision).not.toBeNull();
      if (name === 'hazel') await processWith(late, bell);
      else await start(second);
      expect(await hits()).toBe(1);
      expect(Number((await state(bell.c, bell.s))?.dueAt)).toBeGreaterThan(0);
    }
  });
});
