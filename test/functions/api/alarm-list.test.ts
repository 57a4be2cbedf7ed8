import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Receiver, startReceiver } from '#lib/home/receiver.ts';
import { skippingClock } from '#lib/local/clock.ts';
import type { Cloud } from '#lib/local/cloud.ts';
import type { PageOf } from '#shared/domain/page.ts';
import type { Alarm } from '#shared/domain/rule/alarm-view.ts';
import type { Client } from '#test/fixtures/client.ts';
import { startTestCloud } from '#test/fixtures/cloud.ts';
import {
  ALL_PERMISSIONS,
  adminOf,
  createAlarm,
  createHome,
  fallMessage,
  hireFor,
  linkSensor,
} from '#test/fixtures/home.ts';
import { b } from '#test/fixtures/messages.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const clock = skippingClock(Date.now());
const { now } = clock;
let cloud: Cloud;
let admin: Client;
let receiver: Receiver;
beforeAll(async () => {
  cloud = await startTestCloud({ clock });
  admin = await adminOf(cloud.url);
  receiver = await startReceiver();
});
afterAll(() => Promise.all([cloud.stop(), receiver.stop()]));

type Linked = Awaited<ReturnType<typeof linkSensor>>;
const say = async ({ device, sensorId }: Linked, ...messages: object[]): Promise<void> => {
  for (const message of messages) {
    await device.ok('POST', `/devices/${sensorId}/messages`, message);
    await cloud.idle();
  }
};
const pass = async (ms: number): Promise<void> => {
  clock.skipTo(now() + ms);
  await cloud.sweep();
  await cloud.idle();
};

/** Creates a customer with a sensor, and one rule per situation that notifies a receiver. */
const homeOf = async (
  name: string,
  situations: readonly 'fall_detected'[] = [],
  maker: 'maker_a' | 'maker_b' = 'maker_a',
) => {
  const home = await createHome(admin, name, ALL_PERMISSIONS);
  const { client, customerId } = home;
  const sensor = await linkSensor(client, maker);
  for (const situation of situations) await createAlarm(client, receiver.url, situation);
  const at = `/customers/${customerId}/alarms`;
  const page = async (query = ''): Promise<PageOf<Alarm>> =>
    (await client.ok<PageOf<Alarm>[]>('GET', `${at}${query}`))[0] ?? expect.unreachable();
  const list = async (query = '') => (await page(query)).data;
  /** Reports a new fall and returns the start time. */
  const fall = async (...statuses: string[]): Promise<number> => {
    await pass(10 * MINUTE);
    const start = now();
    await say(sensor, ...statuses.map((status) => fallMessage(status, start)));
    return start;
  };
  const answer = async (what: 'acknowledgement' | 'closure', body: object) => {
    const [alarm] = await list();
    await client.ok('PUT', `/sensors/${sensor.sensorId}/falls/${alarm?.uuid}/${what}`, body);
    await cloud.idle();
  };
  return { ...home, sensor, at, page, list, fall, answer };
};

describe('listAlarms', () => {
  test('lists a fall with its hits, notification time, acknowledgement and end', async () => {
    const home = await homeOf('ash', ['fall_detected']);
    const { sensorId } = home.sensor;
    const start = await home.fall('fall_detected', 'fall_confirmed', 'calling');
    const open = { sensorId, name: expect.stringMatching(/^Sensor /), situation: 'fall_detected', isSimulated: false };
    const [first] = await home.list();
    const nothing = { acknowledgement: null, overDate: null, overBy: null, feedback: null, note: null, outcome: null };
    const notifiedDate = expect.any(Number);
    expect(first).toEqual({
      ...open,
      ...nothing,
      uuid: expect.any(String),
      hitIds: [expect.any(Number)],
      createDate: expect.any(Number),
      notifiedDate,
      state: 'open',
    });
    expect(first?.notifiedDate).toBeGreaterThanOrEqual(first?.createDate ?? Number.NaN);
    await home.answer('acknowledgement', { note: 'On my way' });
    const acknowledgement = { userId: home.userId, name: 'A B', date: expect.any(Number), note: 'On my way' };
    expect(await home.list()).toMatchObject([{ acknowledgement, note: 'On my way', state: 'acknowledged' }]);
    await say(home.sensor, fallMessage('finished', start));
    expect(await home.list()).toMatchObject([{ overBy: 'device', outcome: null, state: 'over' }]);
    const judged = { referenceDate: now(), reason: 'dog', classification: 'FALSE_POSITIVE' };
    await home.client.ok('POST', `/sensors/${sensorId}/feedback`, { ...judged, ruleHitId: first?.hitIds[0] });
    expect(await home.list()).toMatchObject([{ feedback: judged, uuid: first?.uuid }]);
  });

  test('lists a fall that no rule covers', async () => {
    const home = await homeOf('beech');
    await home.fall('calling');
    expect(await home.list()).toMatchObject([{ hitIds: [], notifiedDate: null, state: 'open' }]);
    await home.answer('acknowledgement', {});
    expect(await home.list()).toMatchObject([{ acknowledgement: { name: 'A B' }, state: 'acknowledged' }]);
    const [{ uuid } = expect.unreachable()] = await home.list();
    const judged = { referenceDate: now(), reason: 'dog', classification: 'FALSE_POSITIVE', eventId: uuid };
    await home.client.ok('POST', `/sensors/${home.sensor.sensorId}/feedback`, judged);
    await pass(MINUTE);
    await home.answer('closure', { outcome: 'helped', note: 'Unhurt' });
    const [closed] = await home.list();
    expect(closed).toMatchObject({
      outcome: 'helped',
      note: 'Unhurt',
      overBy: 'closure',
      feedback: judged,
      state: 'over',
    });
    expect(closed?.overDate).toBeGreaterThanOrEqual((closed?.acknowledgement?.date ?? Number.NaN) + MINUTE);
  });

  test('marks a fall as notified once a customer webhook receives it', async () => {
    const home = await homeOf('cedar');
    const hook = { botId: null, isCustomerHook: true, customerId: home.customerId, format: 'full', authMethod: 'none' };
    await home.client.ok('POST', '/webhooks', { ...hook, name: 'log', url: receiver.url });
    await home.fall('calling');
    const [alarm] = await home.list();
    expect(alarm).toMatchObject({ hitIds: [], notifiedDate: expect.any(Number) });
  });

  test('lists a timed-out fall as over after two hours if the device never reports the end', async () => {
    const home = await homeOf('elder', ['fall_detected']);
    await home.fall('fall_detected', 'calling');
    for (let minute = 0; minute < 10; minute++) await pass(MINUTE);
    const events = await home.client.ok<PageOf<{ action: string }>[]>('GET', `/sensors/${home.sensor.sensorId}/events`);
    expect(events[0]?.data.map(({ action }) => action)).toContain('finished');
    expect((await home.list('?situation=fall_detected'))[0]).toMatchObject({ state: 'open', overDate: null });
    await pass(2 * HOUR);
    expect((await home.list('?situation=fall_detected'))[0]).toMatchObject({ state: 'over', overBy: 'time' });
  });

  test('lists an offline sensor without a rule until it is back online', async () => {
    const home = await homeOf('fir');
    await say(home.sensor, { type: 'state', payload: { status: 'monitoring', versionName: '0.42.1' } });
    for (let minute = 0; minute < 10; minute++) await pass(MINUTE);
    expect(await home.list()).toMatchObject([{ situation: 'sensor_inactive', hitIds: [], state: 'open' }]);
    await pass(HOUR);
    await say(home.sensor, { type: 'state', payload: { status: 'monitoring', versionName: '0.42.1' } });
    const [alarm] = await home.list();
    expect(alarm).toMatchObject({ state: 'over', overBy: 'device' });
    expect(alarm?.overDate).toBeGreaterThanOrEqual((alarm?.createDate ?? Number.NaN) + HOUR);
    const { months } = await home.client.ok<{ months: { total: object }[] }>(
      'GET',
      `/customers/${home.customerId}/report`,
    );
    expect(months.at(-1)?.total).toMatchObject({ falls: 0, silences: 0 });
  });

  test("merges all alarms about a tracked person's fall", async () => {
    const home = await homeOf('gorse', ['fall_detected'], 'maker_b');
    const pose = (number: number) => say(home.sensor, { ...b.pose(1, number), timestamp: now() });
    for (const number of [5, 8]) await pose(number);
    expect(await home.list()).toMatchObject([
      { situation: 'fall_detected', hitIds: [expect.any(Number)], state: 'open' },
    ]);
    await pass(6 * MINUTE);
    await pose(5);
    expect((await home.list('?situation=fall_detected')).map(({ state }) => state)).toEqual(['open', 'open']);
    await pose(4);
    expect((await home.list('?situation=fall_detected')).map(({ state }) => state)).toEqual(['over', 'over']);
  });

  test("lists a moved sensor's earlier falls only for the previous customer", async () => {
    const [old, next] = [await homeOf('hazel'), await homeOf('holly')];
    await old.fall('calling', 'finished');
    const path = `/sensors/${old.sensor.sensorId}`;
    await admin.ok('PUT', `${path}/customer`, { customerId: next.customerId });
    expect(await old.list()).toMatchObject([{ sensorId: old.sensor.sensorId, name: null }]);
    expect(await next.list()).toEqual([]);
  });

  test('filters alarms by time, state, situation, sensor and group', async () => {
    const home = await homeOf('ivy', ['fall_detected']);
    const other = await linkSensor(home.client);
    await home.fall('calling', 'finished');
    const between = now();
    const start = await home.fall('calling');
    await say(other, fallMessage('calling', start + 1));
    const group = await home.client.ok<{ id: number }>('POST', '/sensor-groups', {
      name: 'g',
      sensorIds: [other.sensorId],
    });
    const sensorsOf = async (query: string) => (await home.list(query)).map(({ sensorId }) => sensorId);
    const { sensorId } = home.sensor;
    expect(await sensorsOf('')).toEqual([other.sensorId, sensorId, sensorId]);
    expect(await sensorsOf(`?from=${between}`)).toEqual([other.sensorId, sensorId]);
    expect(await sensorsOf(`?to=${between}`)).toEqual([sensorId]);
    expect(await sensorsOf('?state=over')).toEqual([sensorId]);
    expect(await sensorsOf('?state=open')).toEqual([other.sensorId, sensorId]);
    expect(await sensorsOf('?situation=apnea')).toEqual([]);
    expect(await sensorsOf(`?sensorId=${sensorId}&state=open`)).toEqual([sensorId]);
    expect(await sensorsOf(`?sensorGroupId=${group.id}`)).toEqual([other.sensorId]);
    expect(await sensorsOf('?sensorGroupId=4')).toEqual([]);
    expect((await home.client.call('GET', `${home.at}?after=1`)).status).toBe(400);
  });

  test('returns an empty list if the period is inverted or the alarms have expired', async () => {
    const home = await homeOf('alder');
    await home.fall('calling');
    expect(await home.list('?from=2&to=1')).toEqual([]);
    expect(await home.list('?to=1')).toEqual([]);
    expect(await home.page('?after=1.1.')).toMatchObject({ total: 0, data: [] });
  });

  test('newer falls do not affect the next page of alarms', async () => {
    const home = await homeOf('juniper', ['fall_detected']);
    for (let fall = 0; fall < 3; fall++) await home.fall('calling', 'finished');
    const all = (await home.list()).map(({ uuid }) => uuid);
    const first = await home.client.call('GET', `${home.at}?perPage=2`);
    expect(first.headers.get('x-total-is')).toBe('at-least');
    const link = /^<(.*)>; rel="next"$/.exec(first.headers.get('link') ?? '')?.[1] ?? expect.unreachable();
    await home.fall('calling', 'finished');
    const second = await home.client.call('GET', `${home.at}${link}`);
    expect(second.headers.get('link')).toBeNull();
    const [[one], [two]] = [first.body, second.body] as [PageOf<Alarm>[], PageOf<Alarm>[]];
    expect([...(one?.data ?? []), ...(two?.data ?? [])].map(({ uuid }) => uuid)).toEqual(all);
  });

  test("returns the selected alarms as CSV in the customer's time zone", async () => {
    const home = await homeOf('kauri', ['fall_detected']);
    const customer = { name: 'kauri', location: '', email: '', timeZone: 'Europe/Berlin' };
    await admin.ok('PUT', `/customers/${home.customerId}`, customer);
    await home.fall('calling');
    await home.answer('closure', { outcome: 'false_alarm', note: '=1+1' });
    const [alarm] = await home.list();
    const answer = await home.client.call('GET', home.at, undefined, { Accept: 'text/csv' });
    expect(answer.headers.get('content-type')).toBe('text/csv; charset=utf-8');
    const [head = '', line = '', ...rest] = answer.text.replace('\ufeff', '').split('\r\n');
    expect(rest).toEqual(['']);
    const cells = line.split(',');
    const row = Object.fromEntries(head.split(',').map((name, at) => [name, cells[at]]));
    expect(row).toMatchObject({
      uuid: alarm?.uuid,
      timeZone: 'Europe/Berlin',
      situation: 'fall_detected',
      state: 'over',
      outcome: 'false_alarm',
      note: "'=1+1",
      acknowledgedBy: 'A B',
      hitIds: String(alarm?.hitIds[0]),
      createDate: new Date(alarm?.createDate ?? 0).toISOString(),
    });
    expect(Number(row.secondsToOver)).toBeGreaterThanOrEqual(0);
  });
});

describe('listCustomerStates', () => {
  test("returns each customer's open alarms and coverage gaps to system admins only", async () => {
    const [calm, open] = [await homeOf('larch', ['fall_detected']), await homeOf('maple', ['fall_detected'])];
    await calm.fall('calling', 'finished');
    await open.fall('calling');
    await open.fall('calling');
    await open.answer('acknowledgement', {});
    const query = `?customerIds=${open.customerId},${calm.customerId},999999`;
    const states = await admin.ok<{ customerId: number; gaps: number }[]>('GET', `/customers/states${query}`);
    expect(states).toMatchObject([
      { customerId: open.customerId, openAlarms: 1 },
      { customerId: calm.customerId, openAlarms: 0 },
    ]);
    const { gaps } = await open.client.ok<{ gaps: object[] }>('GET', `/customers/${open.customerId}/watch`);
    expect(states[0]?.gaps).toBe(gaps.length);
    const manager = await hireFor(admin, open.customerId, 'maple-manager', { permissions: ALL_PERMISSIONS });
    expect((await manager.client.call('GET', `/customers/states${query}`)).status).toBe(403);
    const many = Array.from({ length: 31 }, (_, at) => at + 1).join(',');
    expect((await admin.call('GET', `/customers/states?customerIds=${many}`)).status).toBe(400);
  });
});
