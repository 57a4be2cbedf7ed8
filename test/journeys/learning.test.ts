import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Cloud } from '../../lib/local/cloud.ts';
import { defaultsOf } from '../../shared/domain/config/field.ts';
import { basicFields } from '../../shared/domain/makers/maker-a/config.ts';
import { startTestCloud } from '../fixtures/cloud.ts';
import { ALL_PERMISSIONS, adminOf, createHome, fallMessage, linkSensor } from '../fixtures/home.ts';

let cloud: Cloud;
beforeAll(async () => {
  cloud = await startTestCloud();
});
afterAll(() => cloud.stop());

test('learning ends when the device no longer says that it learns; true after that starts it anew', async () => {
  const { client } = await createHome(await adminOf(cloud.url), 'home', ALL_PERMISSIONS);
  const { sensorId, device } = await linkSensor(client);
  const path = `/sensors/${sensorId}/maker_a/config/basic`;
  const modes = { learningModeEnabled: true, testModeEnabled: true };
  const set = () => client.ok('PUT', path, { ...defaultsOf(basicFields), name: 'Room 1', ...modes });
  const read = () => client.ok('GET', path);
  let start = Date.now();
  const say = async (isLearning?: boolean) => {
    await device.ok('POST', `/devices/${sensorId}/messages`, fallMessage('calling', ++start, { isLearning }));
    await cloud.idle();
  };
  const { learningModeEndDate: end } = await set();
  // It may not have heard of it yet.
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
