import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { PageOf } from '#shared/domain/page.ts';
import { store } from '#shared/store/store.ts';
import { fallMessage, linkSensor } from '#test/fixtures/home.ts';
import { basicOf, type Linked, type SensorCloud, startSensorCloud } from '#test/fixtures/sensors.ts';

let its: SensorCloud;
beforeAll(async () => {
  its = await startSensorCloud();
});
afterAll(async () => {
  await its.cloud.stop();
});

const DAY = 86_400_000;

describe('sensor status', () => {
  const statusOf = ({ sensorId }: Linked) => its.home.client.ok('GET', `/sensors/${sensorId}/status`);
  const nothing = { isActive: false, lastSeen: null, firmwareVersion: 42, fallState: null, presence: null };

  test("a new sensor's status is empty until the sensor reports", async () => {
    const { home, now, presence, say } = its;
    const sensor = await linkSensor(home.client);
    expect(await statusOf(sensor)).toEqual({ ...nothing, learning: { active: false, endDate: null } });
    const before = now();
    await say(sensor, presence(true));
    expect(await statusOf(sensor)).toMatchObject({ isActive: true, presence: true, fallState: null });
    expect((await statusOf(sensor)).lastSeen).toBeGreaterThanOrEqual(before);
    const start = now();
    for (const [status, state] of [
      ['fall_detected', 'detected'],
      ['fall_confirmed', 'confirmed'],
      ['calling', 'calling'],
      ['finished', 'finished'],
    ] as const) {
      await say(sensor, fallMessage(status, start));
      expect(await statusOf(sensor)).toMatchObject({ fallState: state });
    }
    await say(sensor, fallMessage('fall_detected', start + 1));
    await say(sensor, fallMessage('fall_exit', start + 1));
    expect(await statusOf(sensor)).toMatchObject({ fallState: null });
    const basic = await home.client.ok('GET', basicOf(sensor));
    const { learningModeEndDate: endDate } = await home.client.ok('PUT', basicOf(sensor), {
      ...basic,
      learningModeEnabled: true,
    });
    expect(await statusOf(sensor)).toMatchObject({ learning: { active: true, endDate } });
  });

  test("a maker B sensor's status shows no learning mode", async () => {
    const { home } = its;
    const sensor = await linkSensor(home.client, 'maker_b');
    expect(await statusOf(sensor)).toEqual({ ...nothing, learning: { active: false, endDate: null } });
  });
});

describe('sensor events', () => {
  type Listed = { id: number; createDate: number; type: string; action: string; eventType: number; raw: object };
  const eventsOf = async ({ sensorId }: Linked, query = '') => {
    const [page] = await its.home.client.ok<PageOf<Listed>[]>('GET', `/sensors/${sensorId}/events?${query}`);
    if (!page) throw new Error('no page');
    return page;
  };

  test('sensor events are listed newest first, in pages, for 120 days', async () => {
    const { cloud, home, now, presence, say } = its;
    const sensor = await linkSensor(home.client);
    await say(sensor, presence(true));
    const messages = Array.from({ length: 12 }, (_, at) => fallMessage('calling', now() - 1_000 * at));
    await say(sensor, messages);
    const whole = await eventsOf(sensor, 'perPage=200');
    // The first message caused two events, presence and activity.
    expect([whole.total, whole.data.length]).toEqual([14, 14]);
    expect(whole.data.map(({ createDate }) => createDate)).toEqual(
      whole.data.map(({ createDate }) => createDate).toSorted((a, b) => b - a),
    );
    const pages = [await eventsOf(sensor, 'perPage=5'), await eventsOf(sensor, 'perPage=5&page=2')];
    expect(pages.map(({ total, page, data }) => [total, page, data.length])).toEqual([
      [14, 0, 5],
      [14, 2, 4],
    ]);
    expect(pages[1]?.data).toEqual(whole.data.slice(10));
    const fall = whole.data.find(({ action }) => action === 'fall_detected');
    expect(fall).toMatchObject({ type: 'fall', eventType: 1, sensorId: sensor.sensorId });
    expect(messages).toContainEqual(fall?.raw);
    expect(whole.data.find(({ type }) => type === 'sensor')).toMatchObject({ eventType: 8, raw: expect.anything() });
    const { events } = store(cloud.runtime.table);
    const later = now() + 121 * DAY;
    const all = { page: 0, perPage: 10 };
    expect(await events.list(home.customerId, sensor.sensorId, later, all)).toMatchObject({ total: 0, data: [] });
  });
});
