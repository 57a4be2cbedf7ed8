import { expect, test } from 'vitest';
import { optionsFrom } from '../../../lib/local/main.ts';

const names = ['PORT', 'DATA_DIR', 'ADMIN_USERNAME', 'ADMIN_PASSWORD', 'PROVISIONING_KEY', 'RATE_LIMIT_PER_SECOND'];
const others = ['RETRY_SCHEDULE', 'SENSOR_INACTIVE_AFTER_SECONDS', 'ALLOW_PRIVATE_TARGETS', 'DEMO'];

test('an empty variable of the local host counts as not set, so that it creates no open admin and switches no limit off', () => {
  const empty = Object.fromEntries([...names, ...others].map((name) => [name, '']));
  expect(optionsFrom(empty)).toEqual(optionsFrom({}));
  expect(optionsFrom({})).toMatchObject({ port: 3_000, dataDir: '.local', withDemo: true });
  expect(optionsFrom({}).settings.RATE_LIMIT_PER_SECOND).toBe(30);
});

test('there is MQTT only when a port is set for it', () => {
  expect([{}, { MQTT_PORT: '' }, { MQTT_PORT: '0' }].map((env) => optionsFrom(env).mqttPort)).toEqual([
    undefined,
    undefined,
    0,
  ]);
});

test('a trusted proxy is set as a whole or not at all, and its values are not printed', () => {
  const proxy = {
    TRUSTED_PROXY_HEADER: 'X-Viewer',
    TRUSTED_PROXY_SECRET_HEADER: 'X-Secret',
    TRUSTED_PROXY_SECRET: 's',
  };
  expect(optionsFrom(proxy).settings).toMatchObject({
    ...proxy,
    TRUSTED_PROXY_HEADER: 'x-viewer',
    TRUSTED_PROXY_SECRET_HEADER: 'x-secret',
  });
  const { TRUSTED_PROXY_SECRET: _, ...part } = proxy;
  expect(() => optionsFrom(part)).toThrow(/^wrong environment: TRUSTED_PROXY_SECRET$/);
  expect(() => optionsFrom({ ...proxy, TRUSTED_PROXY_SECRET: 'two words' })).toThrow(/: TRUSTED_PROXY_SECRET$/);
});

test.each([
  ['PORT', 'abc'],
  ['PORT', '65536'],
  ['MQTT_PORT', '-1'],
  ['RATE_LIMIT_PER_SECOND', '-1'],
  ['QUOTAS', '{'],
  ['QUOTAS', '{"bot":1}'],
  ['QUOTAS', '{"bots":-1}'],
  ['QUOTAS', '{"bots":"1"}'],
  ['QUOTAS', '50'],
  ['RETRY_SCHEDULE', '0,86401'],
  ['RETRY_SCHEDULE', '0,x'],
  ['SENSOR_INACTIVE_AFTER_SECONDS', '0'],
  ['ALLOW_PRIVATE_TARGETS', 'yes'],
  ['DEMO', 'no'],
])('%s=%s is refused by its name', (name, value) => {
  expect(() => optionsFrom({ [name]: value })).toThrow(`wrong environment: ${name}`);
});

test('an external table without a folder is refused, because the key of its secrets would be lost at the next start', () => {
  const table = { AWS_ENDPOINT_URL_DYNAMODB: 'http://127.0.0.1:8000' };
  expect(() => optionsFrom({ ...table, DATA_DIR: ':memory:' })).toThrow(/set DATA_DIR to a folder/);
  expect(optionsFrom({ ...table, DATA_DIR: '/data' })).toMatchObject({ dataDir: '/data' });
  expect(optionsFrom({ DATA_DIR: ':memory:' })).toMatchObject({ dataDir: ':memory:' });
});

test('messages per second are not limited when calls are not, unless their quota is set', () => {
  const quotaOf = (env: Record<string, string>) => optionsFrom(env).settings.QUOTAS.messagesPerSecond;
  const named = { QUOTAS: '{"messagesPerSecond":7}' };
  const off = { RATE_LIMIT_PER_SECOND: '0' };
  expect([quotaOf({}), quotaOf(named), quotaOf(off), quotaOf({ ...off, ...named })]).toEqual([100, 7, 0, 7]);
  expect(quotaOf({ ...off, QUOTAS: '{"bots":7}' })).toBe(0);
});
