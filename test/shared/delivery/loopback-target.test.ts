import { describe, expect, test } from 'vitest';
import { isUnnamedLoopback } from '#shared/delivery/loopback-target.ts';

const onNetwork = { ON_NETWORK: true, ALLOWED_TARGET_RANGES: ['127.0.0.5', '10.0.0.0/8'] };

describe('loopback targets on a shared host', () => {
  test.each([
    'http://127.0.0.1:8080/',
    'http://127.0.0.9/',
    'http://localhost:3000/',
    'http://localhost./',
    'http://a.localhost/',
    'http://[::1]:8080/',
    'https://127.1/',
  ])('a webhook can no longer call the loopback address %s', (url) => {
    expect(isUnnamedLoopback(url, onNetwork)).toBe(true);
  });

  test.each([
    'http://127.0.0.5:8080/',
    'http://127.0.0.5./',
    'http://10.0.0.1/',
    'http://192.168.0.1/',
    'https://example.com/',
    'https://localhost.example.com/',
    'https://169.254.169.254/',
    'nonsense',
  ])('a webhook can call other addresses, and loopback addresses named by the host: %s', (url) => {
    expect(isUnnamedLoopback(url, onNetwork)).toBe(false);
  });

  test('the host name localhost counts as 127.0.0.1', () => {
    const named = { ...onNetwork, ALLOWED_TARGET_RANGES: ['127.0.0.1'] };
    expect(isUnnamedLoopback('http://localhost:3000/', named)).toBe(false);
    expect(isUnnamedLoopback('http://[::1]:3000/', named)).toBe(true);
  });
});

test('a webhook can call any loopback address if the host is not on the network', () => {
  expect(isUnnamedLoopback('http://127.0.0.1:8080/', { ...onNetwork, ON_NETWORK: false })).toBe(false);
});
