import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Receiver, startReceiver } from '#lib/home/receiver.ts';
import { systemClock } from '#lib/local/clock.ts';
import type { Cloud } from '#lib/local/cloud.ts';
import type { Station } from '#openapi';
import { MAX_STATION_HITS } from '#shared/domain/watch/station-limits.ts';
import { SOON_MS } from '#shared/store/hits/late-change.ts';
import { type Client, clientOf, logIn } from '#test/fixtures/client.ts';
import { startTestCloud } from '#test/fixtures/cloud.ts';
import { ALL_PERMISSIONS, adminOf, createAlarm, createHome, fallMessage, linkSensor } from '#test/fixtures/home.ts';

const MINUTE = 60_000;

let ahead = 0;
let cloud: Cloud;
let admin: Client;
let receiver: Receiver;
beforeAll(async () => {
  cloud = await startTestCloud({ clock: { now: () => systemClock.now() + ahead, after: systemClock.after } });
  admin = await adminOf(cloud.url);
  receiver = await startReceiver((_, response) => void response.end());
});
afterAll(() => Promise.all([cloud.stop(), receiver.stop()]));

type Seen = { status: number; tag: string; station: Station };

/** Creates a home with a screen that remembers the last tag it received. */
const openScreen = async (name: string) => {
  const home = await createHome(admin, name, ALL_PERMISSIONS);
  const { customerId, username, password } = home;
  const display = await logIn(clientOf(cloud.url), username, password, { display: true });
  let tag = '';
  const look = async (): Promise<Seen> => {
    const answer = await display.call('GET', `/customers/${customerId}/station`, undefined, { 'if-none-match': tag });
    tag = answer.headers.get('etag') ?? '';
    return { status: answer.status, tag, station: answer.body as Station };
  };
  const fall = async ({ sensorId, device }: Awaited<ReturnType<typeof linkSensor>>) => {
    await device.ok('POST', `/devices/${sensorId}/messages`, fallMessage('calling', cloud.runtime.now()));
    await cloud.idle();
  };
  return { ...home, look, fall };
};

describe('the station', () => {
  test('the station shows open falls, changed rule hits, the watch, and users on duty', async () => {
    const { client, customerId, look, fall } = await openScreen('maple');
    const sensor = await linkSensor(client);
    await createAlarm(client, receiver.url);
    await client.ok('PUT', '/users/me/duty', { until: cloud.runtime.now() + 60 * MINUTE });
    await fall(sensor);
    const { status, station } = await look();
    expect(status).toBe(200);
    const { sensorId } = sensor;
    expect(station).toMatchObject({
      openFalls: [{ sensorId, falls: [{ fallState: 'calling' }] }],
      sensorsWithFalls: 1,
      hits: [{ sensorId, situation: 'fall_detected', sensor: { id: sensorId } }],
      watch: { sensors: 1 },
      onDuty: [{ source: 'self', reachableBy: [] }],
    });
    expect(await client.ok('GET', `/customers/${customerId}/watch`)).toEqual(station.watch);
  });

  test('the station returns 304 without a body until something changes', async () => {
    const { client, look, fall } = await openScreen('birch');
    await createAlarm(client, receiver.url);
    const sensor = await linkSensor(client);
    await look();
    ahead += MINUTE;
    // The watch is computed again.
    const first = await look();
    expect(await look()).toEqual({ ...first, status: 304, station: null });
    await fall(sensor);
    const second = await look();
    expect(second).toMatchObject({ status: 200, station: { sensorsWithFalls: 1, hits: [{}] } });
    expect((await look()).status).toBe(304);
  });

  test.each([
    ['soon after the hit', 0],
    ['later', SOON_MS + 1],
  ])('the station shows an acknowledgement made %s', async (title, after) => {
    const { client, customerId, look, fall } = await openScreen(title);
    await createAlarm(client, receiver.url);
    await fall(await linkSensor(client));
    ahead += after;
    const { station } = await look();
    await look();
    const path = `/customers/${customerId}/rule-hits/${station.hits[0]?.id}/acknowledgement`;
    await client.ok('PUT', path, {});
    await cloud.idle();
    const seen = await look();
    expect(seen).toMatchObject({ status: 200, station: { hits: [{ acknowledgement: { date: expect.any(Number) } }] } });
  });

  test('a new watch date alone counts as a change only after five minutes', async () => {
    const { look } = await openScreen('alder');
    const first = await look();
    ahead += 2 * MINUTE;
    const statuses = [(await look()).status];
    for (let minute = 2; minute < 12; minute += 2) {
      ahead += 2 * MINUTE;
      statuses.push((await look()).status);
    }
    expect(statuses.filter((status) => status === 200).length).toBeLessThanOrEqual(3);
    expect(new Set(statuses)).toEqual(new Set([200, 304]));
    expect(first.status).toBe(200);
  });

  test('recomputes the watch after the clock has been set back', async () => {
    const { look } = await openScreen('hazel');
    ahead += 120 * MINUTE;
    await look();
    ahead -= 120 * MINUTE;
    expect((await look()).station.watch.date).toBeLessThanOrEqual(cloud.runtime.now());
  });

  test('the station shows a new hit despite hits dated in the future', async () => {
    const { client, customerId, look, fall } = await openScreen('spruce');
    await createAlarm(client, receiver.url);
    const sensor = await linkSensor(client);
    const other = await linkSensor(client);
    ahead += 120 * MINUTE;
    for (let falls = 0; falls < MAX_STATION_HITS; falls++) {
      ahead += MINUTE;
      await fall(sensor);
    }
    ahead -= 120 * MINUTE + MAX_STATION_HITS * MINUTE;
    await fall(other);
    const { station } = await look();
    const newest = { sensorId: other.sensorId, acknowledgement: null };
    expect(station.hits).toHaveLength(MAX_STATION_HITS);
    expect(station.hits[0]).toMatchObject(newest);
    ahead += MINUTE;
    await client.ok('PUT', `/customers/${customerId}/rule-hits/${station.hits[0]?.id}/acknowledgement`, {});
    expect((await look()).station.hits[0]).toMatchObject({ ...newest, acknowledgement: { name: 'A B' } });
  });

  test('the station omits users who have gone off duty', async () => {
    const { client, look } = await openScreen('rowan');
    await client.ok('PUT', '/users/me/duty', { until: cloud.runtime.now() + 20_000 });
    expect((await look()).station.onDuty).toHaveLength(1);
    ahead += 30_000;
    expect((await look()).station.onDuty).toEqual([]);
  });

  test('the station returns 404 for an unknown customer, even to a system admin', async () => {
    expect((await admin.call('GET', '/customers/999999/station')).status).toBe(404);
  });
});
