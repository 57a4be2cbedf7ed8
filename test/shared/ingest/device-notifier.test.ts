import { expect, test } from 'vitest';
import { deviceNotifier } from '#shared/ingest/device-notifier.ts';
import { ALL_MESSAGES, basicIngest } from '#shared/ingest/topics.ts';

test('a device is notified of new configuration versions and rejections on its own topics', async () => {
  const published: [string, unknown][] = [];
  const { notify, refuseMessage } = deviceNotifier(
    async (topic, payload) => void published.push([topic, JSON.parse(payload)]),
    () => {},
  );
  await notify?.('s1', 'v7');
  await refuseMessage('s1', { reason: 'too_large', uuid: 'u' });
  expect(published).toEqual([
    ['v1/devices/s1/config', { version: 'v7' }],
    ['v1/devices/s1/refused', { reason: 'too_large', uuid: 'u' }],
  ]);
});

test('an unreachable device does not make a request fail', async () => {
  const logged: unknown[] = [];
  const down = new Error('no connection');
  const { notify, refuseMessage } = deviceNotifier(
    () => Promise.reject(down),
    (level, _, fields, error) => logged.push([level, fields, error]),
  );
  await notify?.('s1', 'v7');
  await refuseMessage('s1', { reason: 'json' });
  expect(logged).toEqual([
    ['warn', { sensorId: 's1', topic: 'v1/devices/s1/config' }, down],
    ['warn', { sensorId: 's1', topic: 'v1/devices/s1/refused' }, down],
  ]);
});

test('a host without MQTT does not notify devices', async () => {
  const { notify, refuseMessage } = deviceNotifier(undefined, () => {});
  expect(notify).toBe(null);
  await expect(refuseMessage('s1', { reason: 'json' })).resolves.toBe(undefined);
});

test('the MQTT rule receives messages from all devices, including those sent with Basic Ingest', () => {
  expect(ALL_MESSAGES).toBe('v1/devices/+/messages');
  expect(basicIngest('the_rule') + ALL_MESSAGES).toBe('$aws/rules/the_rule/v1/devices/+/messages');
});
