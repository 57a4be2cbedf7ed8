import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { skippingClock } from '#lib/local/clock.ts';
import type { Cloud } from '#lib/local/cloud.ts';
import type { PageOf } from '#shared/domain/page.ts';
import { nameBedroom } from '../fixtures/bedroom.ts';
import type { Client } from '../fixtures/client.ts';
import { startTestCloud } from '../fixtures/cloud.ts';
import { adminOf, createHome, fallMessage, linkSensor } from '../fixtures/home.ts';
import { a, b } from '../fixtures/messages.ts';

const clock = skippingClock(Date.now());
const { now } = clock;
let cloud: Cloud;
let admin: Client;
beforeAll(async () => {
  cloud = await startTestCloud({ clock });
  admin = await adminOf(cloud.url);
});
afterAll(() => cloud.stop());

type Linked = Awaited<ReturnType<typeof linkSensor>>;
const say = async ({ device, sensorId }: Linked, message: object): Promise<void> => {
  await device.ok('POST', `/devices/${sensorId}/messages`, message);
  await cloud.idle();
};
const pass = async (minutes: number, hear = async () => {}): Promise<void> => {
  clock.skipTo(now() + minutes * 60_000);
  await hear();
  await cloud.sweep();
  await cloud.idle();
};
/** Lets enough time pass for unreported falls to end and for sensors without messages to become inactive. */
const passTime = async (): Promise<void> => {
  for (let minute = 0; minute < 10; minute++) await pass(1);
};
type SeenFall = {
  uuid: string;
  since: number;
  fallState: string;
  alarmBy: number | null;
  isSensitive: boolean;
  acknowledgement: object | null;
};
type Seen = { sensorId: string; name: string; falls: SeenFall[] };
const openFalls = async (client: Client, customerId: number, query = ''): Promise<PageOf<Seen>> => {
  const [page] = await client.ok<PageOf<Seen>[]>('GET', `/customers/${customerId}/open-falls${query}`);
  return page ?? expect.unreachable();
};
/** Creates a customer with a sensor. */
const homeOf = async (name: string, maker: 'maker_a' | 'maker_b' = 'maker_a') => {
  const home = await createHome(admin, name, ['manage_sensors']);
  const sensor = await linkSensor(home.client, maker);
  const list = (query = '') => openFalls(home.client, home.customerId, query);
  return { ...home, sensor, list };
};
const fall = (sensor: Linked, status: string, start: number, more: object = {}) =>
  say(sensor, fallMessage(status, start, more));
const none = { total: 0, page: 0, perPage: 30, data: [] };

describe('the open falls list', () => {
  test('lists open falls from suspicion to the end, even without a rule', async () => {
    const { sensor, list } = await homeOf('ash');
    expect(await list()).toEqual(none);
    const start = now();
    for (const [status, fallState] of [
      ['fall_detected', 'detected'],
      ['fall_confirmed', 'confirmed'],
      ['calling', 'calling'],
    ] as const) {
      await fall(sensor, status, start);
      const uuid = expect.any(String);
      // A suspicion becomes an alarm after the configured time.
      const alarmBy = fallState === 'calling' ? null : expect.any(Number);
      const shown = { regionName: '', isSensitive: false, isSimulated: false, acknowledgement: null };
      const falls = [{ uuid, since: start, fallState, alarmBy, ...shown }];
      const data = [{ sensorId: sensor.sensorId, name: expect.stringMatching(/^Sensor /), falls }];
      expect(await list()).toEqual({ ...none, total: 1, data });
    }
    await fall(sensor, 'finished', start);
    expect(await list()).toEqual(none);
  });

  test('lists the region where an open fall happened', async () => {
    const { sensor, list, customerId } = await homeOf('alder');
    const bedroom = { home: 'Alder', room: 'Room 1', region: 'Beside the bed' };
    await nameBedroom({ admin, client: admin, customerId, sensorId: sensor.sensorId }, bedroom);
    await fall(sensor, 'calling', now());
    expect((await list()).data[0]?.falls).toMatchObject([{ regionName: 'Beside the bed' }]);
  });

  test('lists when a suspicion will become an alarm', async () => {
    const { sensor, list } = await homeOf('yew');
    await fall(sensor, 'fall_detected', now());
    const read = async () => (await list()).data[0]?.falls[0];
    const alarmBy = (await read())?.alarmBy ?? 0;
    expect(alarmBy).toBeGreaterThan(now());
    clock.skipTo(alarmBy - 1_000);
    await cloud.sweep();
    await cloud.idle();
    expect((await read())?.fallState).not.toBe('calling');
    // The sweep finds it within a minute.
    await pass(1);
    expect(await read()).toMatchObject({ fallState: 'calling', alarmBy: null });
  });

  test("lists all of a sensor's open falls, newest first", async () => {
    const { sensor, list } = await homeOf('beech');
    const start = now();
    await fall(sensor, 'fall_detected', start);
    await fall(sensor, 'fall_detected', start + 1, { isSimulated: true });
    const starts = async () => (await list()).data.flatMap(({ falls }) => falls.map(({ since }) => since));
    expect(await starts()).toEqual([start + 1, start]);
    await fall(sensor, 'fall_exit', start + 1);
    expect(await starts()).toEqual([start]);
    await fall(sensor, 'finished', start);
    expect(await list()).toEqual(none);
  });

  test.each(['finished', 'canceled'])(
    'a fall that only timed out stays in the list until the device reports %s',
    async (end) => {
      const { sensor, list } = await homeOf(`larch-${end}`);
      const start = now();
      await fall(sensor, 'fall_detected', start, { isSimulated: true });
      await passTime();
      const kept = [{ since: start, fallState: 'calling', isSensitive: false, isSimulated: true }];
      expect((await list()).data.map(({ falls }) => falls)).toMatchObject([kept]);
      // A device may repeat itself without saying anything new.
      await fall(sensor, 'calling', start);
      expect((await list()).total).toBe(1);
      await fall(sensor, end, start);
      expect(await list()).toEqual(none);
    },
  );

  test.each([
    ['offline', async () => {}],
    ['online', (sensor: Linked) => say(sensor, a.presence(true))],
  ])('drops a fall from an %s sensor two hours after it timed out', async (name, hear) => {
    const { sensor, list } = await homeOf(`maple-${name}`);
    await fall(sensor, 'calling', now());
    await passTime();
    await pass(105, () => hear(sensor));
    expect((await list()).total).toBe(1);
    await pass(15, () => hear(sensor));
    await pass(1, () => hear(sensor));
    expect(await list()).toEqual(none);
  });

  test('lists the open falls of each person tracked by a maker B sensor', async () => {
    const { sensor, list } = await homeOf('cherry', 'maker_b');
    const suspected = b.pose(1, 2);
    await say(sensor, suspected);
    await say(sensor, b.pose(2, 8));
    const [{ falls } = expect.unreachable()] = (await list()).data;
    expect(falls).toMatchObject([
      { fallState: 'calling', isSensitive: true },
      { fallState: 'detected', isSensitive: false, since: suspected.timestamp },
    ]);
    await say(sensor, b.pose(1, 1));
    await say(sensor, b.pose(2, 1));
    expect(await list()).toEqual(none);
  });

  test('moving a sensor removes its open falls', async () => {
    const from = await homeOf('elder');
    const to = await homeOf('fig');
    await fall(from.sensor, 'calling', now());
    await admin.ok('PUT', `/sensors/${from.sensor.sensorId}/customer`, { customerId: to.customerId });
    expect([await from.list(), await to.list()]).toEqual([none, none]);
    await fall(from.sensor, 'calling', now());
    expect([(await from.list()).total, (await to.list()).total]).toEqual([0, 1]);
  });

  test('deleting a sensor removes its open falls', async () => {
    const { client, sensor, list } = await homeOf('gorse', 'maker_b');
    await say(sensor, b.pose(1, 5));
    await passTime();
    // A sensor going offline does not mean the person is up again.
    expect(await list()).toMatchObject({ total: 1 });
    await client.ok('DELETE', `/sensors/${sensor.sensorId}`);
    expect(await list()).toEqual(none);
  });

  test('paginates open falls by sensor', async () => {
    const { client, sensor, list } = await homeOf('hazel');
    const all = [sensor, await linkSensor(client), await linkSensor(client)];
    for (const sensor of all) await fall(sensor, 'calling', now());
    const pages = await Promise.all([0, 1, 2].map((page) => list(`?perPage=2&page=${page}`)));
    expect(pages.map(({ total }) => total)).toEqual([3, 3, 3]);
    const ids = pages.map(({ data }) => data.map(({ sensorId }) => sensorId));
    expect(ids.map(({ length }) => length)).toEqual([2, 1, 0]);
    expect(ids.flat()).toEqual(all.map(({ sensorId }) => sensorId).toSorted());
  });

  test('only the customer and system admins can read open falls', async () => {
    const ours = await homeOf('iris');
    const theirs = await homeOf('juniper');
    await fall(theirs.sensor, 'calling', now());
    const path = (customerId: number) => `/customers/${customerId}/open-falls`;
    const other = await ours.client.call('GET', path(theirs.customerId));
    const unknown = await ours.client.call('GET', path(999_999));
    expect([other.status, other.text]).toEqual([unknown.status, unknown.text]);
    expect(other.status).toBeGreaterThanOrEqual(403);
    expect((await ours.client.as(undefined).call('GET', path(ours.customerId))).status).toBe(401);
    expect((await openFalls(admin, theirs.customerId)).total).toBe(1);
    expect((await admin.call('GET', path(999_999))).status).toBe(404);
  });
});

describe('an acknowledged fall', () => {
  const fallsOf = async (list: () => Promise<PageOf<Seen>>) => (await list()).data.flatMap(({ falls }) => falls);
  /** Creates a customer with a fall, and acknowledges it by the uuid in the list. */
  const acknowledged = async (name: string, maker: 'maker_a' | 'maker_b' = 'maker_a') => {
    const home = await homeOf(name, maker);
    const { sensor, client, list } = home;
    const start = now();
    await (maker === 'maker_a' ? fall(sensor, 'calling', start) : say(sensor, { ...b.pose(1, 5), timestamp: start }));
    const [{ uuid } = expect.unreachable()] = await fallsOf(list);
    const path = `/sensors/${sensor.sensorId}/falls/${uuid}`;
    await client.ok('PUT', `${path}/acknowledgement`, { note: 'On my way' });
    await cloud.idle();
    return { ...home, path, start };
  };
  const shown = { fallState: 'calling', acknowledgement: { name: 'A B', note: 'On my way', date: expect.any(Number) } };

  test('an acknowledged fall stays in the list until the device reports the end', async () => {
    const { sensor, list, start } = await acknowledged('rowan');
    expect(await fallsOf(list)).toMatchObject([shown]);
    await passTime();
    expect(await fallsOf(list)).toMatchObject([shown]);
    await fall(sensor, 'finished', start);
    expect(await list()).toEqual(none);
  });

  test('withdrawing the acknowledgement reopens a fall for everyone', async () => {
    const { client, list, path } = await acknowledged('sorrel');
    await client.ok('DELETE', `${path}/acknowledgement`);
    await cloud.idle();
    expect(await fallsOf(list)).toMatchObject([{ ...shown, acknowledgement: null }]);
    await client.ok('PUT', `${path}/closure`, { outcome: 'got_up' });
    await cloud.idle();
    expect(await list()).toEqual(none);
  });

  test.each(['maker_a', 'maker_b'] as const)('acknowledged %s falls leave the list after two hours', async (maker) => {
    const { list } = await acknowledged(`teasel-${maker}`, maker);
    await passTime();
    await pass(109);
    expect(await fallsOf(list)).toMatchObject([shown]);
    await pass(2);
    expect(await fallsOf(list)).toEqual([]);
  });

  test('another alarm reopens an acknowledged maker B fall', async () => {
    const { sensor, list, start } = await acknowledged('thyme', 'maker_b');
    await pass(6);
    await say(sensor, { ...b.pose(1, 5), timestamp: now() });
    const [{ uuid, ...again } = expect.unreachable()] = await fallsOf(list);
    expect(again).toMatchObject({ since: start, acknowledgement: null });
    expect(uuid).toEqual(expect.any(String));
  });
});
