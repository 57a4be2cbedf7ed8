import { expect, test } from 'vitest';
import { readBrokerUrl } from '#lib/local/home-assistant/broker-url.ts';

test.each([
  ['mqtts://broker.example.org', { host: 'broker.example.org', port: 8_883, isEncrypted: true }],
  ['mqtt://broker.example.org:1884?tls=none', { host: 'broker.example.org', port: 1_884, isEncrypted: false }],
  ['mqtt://localhost/', { host: 'localhost', port: 1_883, isEncrypted: false }],
  ['mqtt://127.0.0.2', { host: '127.0.0.2', isEncrypted: false }],
  ['mqtt://[::1]', { host: '::1', isEncrypted: false }],
  ['mqtts://a%40b:c%3Ad@broker.example.org', { user: 'a@b', password: 'c:d' }],
])('the broker URL %s is valid', (url, broker) => {
  expect(readBrokerUrl(url)).toMatchObject(broker);
});

test.each(['mqtt://127.example.org', 'mqtt://10.0.0.5', 'mqtts://a?tls=none', 'mqtts://a/b', 'mqtts://a#b', 'tcp://a'])(
  'the broker URL %s is rejected',
  (url) => {
    expect(readBrokerUrl(url)).toBeNull();
  },
);
