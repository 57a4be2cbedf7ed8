import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Receiver, startReceiver } from '#lib/home/receiver.ts';
import { skippingClock } from '#lib/local/clock.ts';
import type { Cloud } from '#lib/local/cloud.ts';
import { defaultsOf } from '#shared/domain/config/field.ts';
import { basicFields } from '#shared/domain/makers/maker-a/config.ts';
import { clientOf, logIn } from '../fixtures/client.ts';
import { startTestCloud } from '../fixtures/cloud.ts';
import { ALL_PERMISSIONS, adminOf, createHome, fallMessage, linkSensor } from '../fixtures/home.ts';

const DAY = 86_400_000;
const clock = skippingClock(Date.now());
let cloud: Cloud;
let receiver: Receiver;
beforeAll(async () => {
  [cloud, receiver] = await Promise.all([startTestCloud({ clock, log: () => {} }), startReceiver()]);
});
afterAll(() => Promise.all([cloud.stop(), receiver.stop()]));

test('learning mode ends when the device stops reporting it', async () => {
  const { client } = await createHome(await adminOf(cloud.url), 'home', ALL_PERMISSIONS);
  const { sensorId, device } = await linkSensor(client);
  const path = `/sensors/${sensorId}/maker_a/config/basic`;
  const modes = { learningModeEnabled: true, testModeEnabled: true };
  const set = () => client.ok('PUT', path, { ...defaultsOf(basicFields), name: 'Room 1', ...modes });
  const read = () => client.ok('GET', path);
  let start = clock.now();
  const say = async (isLearning?: boolean) => {
    await device.ok('POST', `/devices/${sensorId}/messages`, fallMessage('calling', ++start, { isLearning }));
    await cloud.idle();
  };
  const { learningModeEndDate: end } = await set();
  // The device may not know yet that learning mode is enabled.
  await say(false);
  await say(true);
  await say();
  expect(await read()).toMatchObject({ ...modes, learningModeEndDate: end });
  await say(false);
  const off = { learningModeEnabled: false, testModeEnabled: false };
  expect(await read()).toMatchObject({ ...off, learningModeEndDate: null });
  expect(Number((await set()).learningModeEndDate)).toBeGreaterThan(Number(end));
  await say(false);
  expect(await read()).toMatchObject(modes);
});

/** Advances time by the given number of days, then sweeps. */
const pass = async (days: number): Promise<void> => {
  clock.skipTo(clock.now() + days * DAY + 60_000);
  await cloud.sweep();
  await cloud.idle();
};
const LEARNING_COMPLETED = 'sensor/learning_completed';

/** Creates a home with a sensor. Its user logs in for each call, because sessions do not last for days. */
const learner = async (name: string) => {
  const { username, password, client, ...home } = await createHome(await adminOf(cloud.url), name, ALL_PERMISSIONS);
  const { sensorId } = await linkSensor(client);
  const ask = async <T>(method: string, path: string, body?: object): Promise<T> =>
    (await logIn(clientOf(cloud.url), username, password)).ok<T>(method, path, body);
  const path = `/sensors/${sensorId}/maker_a/config/basic`;
  const learn = (learningModeEnabled: boolean) =>
    ask<{ learningModeEndDate: number | null }>('PUT', path, {
      ...defaultsOf(basicFields),
      name: 'Room 1',
      learningModeEnabled,
    });
  const events = async () => {
    type Page = { data: { type: string; action: string; createDate: number; eventType: number | null }[] };
    const [page] = await ask<Page[]>('GET', `/sensors/${sensorId}/events`);
    return page?.data.filter(({ type, action }) => `${type}/${action}` === LEARNING_COMPLETED) ?? [];
  };
  return { ...home, sensorId, ask, learn, events };
};

test('learning ends after 14 days with one event to customer webhooks', async () => {
  const { ask, learn, events } = await learner('elm');
  for (const format of ['full', 'raw']) {
    const secretKey = 'a-secret-of-16-or-more';
    await ask('POST', '/webhooks', {
      name: format,
      url: `${receiver.url}/${format}`,
      format,
      isCustomerHook: true,
      secretKey,
    });
  }
  const { learningModeEndDate: end } = await learn(true);
  await pass(13);
  // Enabling learning mode again does not restart it.
  expect((await learn(true)).learningModeEndDate).toBe(end);
  expect(await events()).toEqual([]);
  await pass(1);
  await pass(1);
  expect(await events()).toMatchObject([{ createDate: end, eventType: null }]);
  const bodies = receiver.received.splice(0).map(({ body }) => JSON.parse(body));
  expect(bodies.filter(({ event }) => event?.action === 'learning_completed')).toHaveLength(1);
  expect(bodies.filter(({ event }) => event === undefined)).toEqual([]);
  const { learningModeEndDate: next } = await learn(true);
  await pass(14);
  expect((await events()).map(({ createDate }) => createDate)).toEqual([next, end]);
});

test('a learning phase that is disabled early does not create an event', async () => {
  const { learn, events } = await learner('oak');
  await learn(true);
  await pass(5);
  await learn(false);
  const { learningModeEndDate: end } = await learn(true);
  await pass(10);
  expect(await events()).toEqual([]);
  await pass(4);
  expect((await events()).map(({ createDate }) => createDate)).toEqual([end]);
});

test('disabling learning right after the 14 days does not suppress the final event', async () => {
  const { learn, events } = await learner('ash');
  const { learningModeEndDate: end } = await learn(true);
  clock.skipTo(Number(end) + 1);
  await learn(false);
  await pass(0);
  expect((await events()).map(({ createDate }) => createDate)).toEqual([end]);
});

test('a sensor that leaves its customer while learning does not create a final event', async () => {
  const { sensorId, learn, customerId } = await learner('fir');
  await learn(true);
  const admin = await adminOf(cloud.url);
  await admin.ok('PUT', `/sensors/${sensorId}/customer`, { customerId: null });
  const noticesAt = async (customer: number) => {
    const all = await cloud.runtime.table.queryAll({ pk: `C#${customer}#S#${sensorId}` });
    return all.filter(({ sk }) => sk.startsWith('NOTICE#'));
  };
  expect([await noticesAt(customerId), await noticesAt(0)]).toEqual([[], []]);
  // Settings made while the sensor has no customer move with it.
  const path = `/sensors/${sensorId}/maker_a/config/basic`;
  await admin.ok('PUT', path, { ...defaultsOf(basicFields), name: 'Room 1', learningModeEnabled: true });
  expect(await noticesAt(0)).toHaveLength(1);
  await admin.ok('PUT', `/sensors/${sensorId}/customer`, { customerId });
  expect([(await noticesAt(customerId)).length, await noticesAt(0)]).toEqual([1, []]);
});
