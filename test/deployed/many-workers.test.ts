import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Receiver, startReceiver } from '#lib/home/receiver.ts';
import type { Cloud } from '#lib/local/cloud.ts';
import { startTestCloud } from '../fixtures/cloud.ts';
import { ALL_PERMISSIONS, adminOf, createHome, fallMessage, linkSensor } from '../fixtures/home.ts';
import { latest } from './running.ts';

let cloud: Cloud;
let receiver: Receiver;
let home: Awaited<ReturnType<typeof createHome>>;

type Delivered = { event?: { uuid: string; type: string; action: string; createDate: number; raw: { uuid?: string } } };
const delivered = () => receiver.received.map(({ body }) => JSON.parse(body) as Delivered);
const until = async (isDone: () => boolean): Promise<void> => {
  for (let at = receiver.received.length; !isDone(); at++)
    await receiver.until(Math.max(at, receiver.received.length) + 1);
};

describe.each([4, 10])('%d processes on one queue', (count) => {
  beforeAll(async () => {
    const differing = ['uncounted', 'floods', 'loopback'] as const;
    const started = startTestCloud({ sideBySide: { events: count }, differing });
    [cloud, receiver] = await Promise.all([started, startReceiver()]);
    home = await createHome(await adminOf(cloud.url), 'maple', ALL_PERMISSIONS);
    for (const format of ['full', 'raw'])
      await home.client.ok('POST', '/webhooks', { name: format, url: receiver.url, format, isCustomerHook: true });
  });
  afterAll(async () => {
    await Promise.all([cloud?.stop(), receiver?.stop()]);
  });

  test("workers process one sensor's messages in order, and deliver each fall once with its own payload", async () => {
    const sensor = await linkSensor(home.client);
    const start = Date.now() - 3_600_000;
    const posted: string[] = [];
    // Each fall ends before the next one begins. Out of order, `finished` would arrive without `calling`.
    for (let at = 0; at < 25; at++)
      for (const status of ['calling', 'finished']) {
        const uuid = crypto.randomUUID();
        const message = { ...fallMessage(status, start + at * 10_000), uuid };
        await sensor.device.ok('POST', `/devices/${sensor.sensorId}/messages`, message);
        posted.push(uuid);
      }
    const falls = () => delivered().flatMap(({ event }) => (event?.type === 'fall' ? [event] : []));
    await until(() => falls().length >= posted.length);
    const path = `/sensors/${sensor.sensorId}/events?perPage=200`;
    const [page] = await home.client.ok<{ data: { uuid: string; type: string; raw: { uuid?: string } }[] }[]>(
      'GET',
      path,
    );
    const kept = (page?.data ?? []).filter(({ type }) => type === 'fall');
    expect(kept.map(({ uuid }) => uuid).toSorted()).toEqual(posted.toSorted());
    expect(kept.every(({ uuid, raw }) => raw.uuid === uuid)).toBe(true);
    expect(
      falls()
        .map(({ uuid }) => uuid)
        .toSorted(),
    ).toEqual(posted.toSorted());
    expect(falls().every(({ uuid, raw }) => raw.uuid === uuid)).toBe(true);
  }, 60_000);

  test('workers share the messages from many sensors', async () => {
    const sensors = await Promise.all(Array.from({ length: 12 }, () => linkSensor(home.client)));
    const before = receiver.received.length;
    const report = (at: number) =>
      Promise.all(
        sensors.map(({ device, sensorId }) =>
          device.ok(
            'POST',
            `/devices/${sensorId}/messages`,
            fallMessage('calling', Date.now() - 1_000_000 + at * 1_000),
          ),
        ),
      );
    for (let at = 0; at < 5; at++) await report(at);
    // Each fall causes a Full and a Raw delivery, and a sensor's first message causes a Full delivery for the activity
    // event.
    await receiver.until(before + sensors.length * (5 * 2 + 1));
    expect(
      latest()
        .functions.find(({ name }) => name === 'process')
        ?.started(),
    ).toBeGreaterThanOrEqual(count);
  }, 60_000);
});
