import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Receiver, startReceiver } from '#lib/home/receiver.ts';
import type { Cloud } from '#lib/local/cloud.ts';
import { startTestCloud } from '../fixtures/cloud.ts';
import { ALL_PERMISSIONS, adminOf, createAlarm, createHome, fallMessage, linkSensor } from '../fixtures/home.ts';

let cloud: Cloud;
let receiver: Receiver;
beforeAll(async () => {
  [cloud, receiver] = await Promise.all([startTestCloud(), startReceiver()]);
});
afterAll(async () => {
  await Promise.all([cloud.stop(), receiver.stop()]);
});

describe('a fall', () => {
  test('a fall reaches a signed webhook, and the rule hit records the delivery', async () => {
    const home = await createHome(await adminOf(cloud.url), 'maple', ALL_PERMISSIONS);
    const sensor = await linkSensor(home.client);
    const { rule, bot } = await createAlarm(home.client, receiver.url);
    await sensor.device.ok('POST', `/devices/${sensor.sensorId}/messages`, fallMessage('calling', Date.now()));
    const [got] = await receiver.until(1);
    const payload = JSON.parse(got?.body ?? '');
    expect(payload.rule).toMatchObject({ id: rule.id, situation: 'fall_detected' });
    await cloud.idle();
    const [page] = await home.client.ok<{ data: object[] }[]>('GET', `/customers/${home.customerId}/rule-hits`);
    expect(page?.data).toMatchObject([
      {
        ruleId: rule.id,
        sensorId: sensor.sensorId,
        situation: 'fall_detected',
        allSend: true,
        ruleMessages: [{ accountId: bot.id, wasSend: true, publisher: 'webhook' }],
      },
    ]);
  });

  test('a fall posted 20 times concurrently creates one event, hit and delivery', async () => {
    const home = await createHome(await adminOf(cloud.url), 'birch', ALL_PERMISSIONS);
    const sensor = await linkSensor(home.client);
    const before = receiver.received.length;
    await createAlarm(home.client, receiver.url);
    const message = fallMessage('calling', Date.now());
    const post = () => sensor.device.call('POST', `/devices/${sensor.sensorId}/messages`, message);
    const answers = await Promise.all(Array.from({ length: 20 }, post));
    expect(answers.map(({ status }) => status)).toEqual(Array(20).fill(202));
    await receiver.until(before + 1);
    await cloud.idle();
    expect(receiver.received.length).toBe(before + 1);
    const [page] = await home.client.ok<{ total: number }[]>('GET', `/customers/${home.customerId}/rule-hits`);
    expect(page?.total).toBe(1);
  });
});

describe('many concurrent messages from one sensor', () => {
  test('each of 40 concurrent messages takes effect only once, without waiting for a retried task', async () => {
    const home = await createHome(await adminOf(cloud.url), 'oak', ALL_PERMISSIONS);
    const sensor = await linkSensor(home.client);
    await createAlarm(home.client, receiver.url);
    const start = Date.now();
    const post = (at: number) =>
      sensor.device.call('POST', `/devices/${sensor.sensorId}/messages`, fallMessage('calling', start - at));
    const answers = await Promise.all(Array.from({ length: 40 }, (_, at) => post(at)));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([202]));
    await cloud.idle();
    const [page] = await home.client.ok<{ total: number }[]>('GET', `/customers/${home.customerId}/rule-hits`);
    expect(page?.total).toBe(40);
  });
});
