import { expect, test } from 'vitest';
import { optionsFrom } from '#lib/local/options.ts';
import { sendableHere } from '#lib/local/sendable.ts';
import { channelLines, linkLines } from '#lib/local/start-lines.ts';
import { channelKinds } from '#shared/domain/people/channel.ts';
import { environmentOf } from '#test/fixtures/differences.ts';

/** Returns what a host with these environment variables can send, and what it prints about that on startup. */
const startWith = (environment: Record<string, string>) => {
  const { settings, ...options } = optionsFrom({
    DATA_DIR: ':memory:',
    PUSH_CONTACT: 'https://cloud.example.org',
    ...environment,
  });
  const sendable = sendableHere(settings, options);
  return { ...sendable, lines: channelLines(sendable, '/var/data') };
};
const withoutDemo = environmentOf(['withoutDemo']);
const LOOPBACK_URL = 'http://127.0.0.1:3000';
const gateway = { SMS_URL: 'http://127.0.0.1:9/send' };

test('the demo home has an outbox by default', () => {
  expect(startWith({})).toMatchObject({ CHANNEL_KINDS: channelKinds, OUTBOX_KINDS: ['email', 'sms', 'telegram'] });
  expect(startWith({}).lines[1]).toBe(
    'sms: messages are only written to /var/data/outbox (OUTBOX), because SMS_URL is not set',
  );
  expect(startWith({ OUTBOX: 'false' })).toMatchObject({ CHANNEL_KINDS: ['push'], OUTBOX_KINDS: [] });
});

test('a host without a demo home offers only configured channels, and lists the missing ones', () => {
  expect(startWith(withoutDemo)).toEqual({
    CHANNEL_KINDS: ['push'],
    OUTBOX_KINDS: [],
    lines: [
      'email: not offered, because SMTP_URL is not set',
      'sms: not offered, because SMS_URL is not set',
      'telegram: not offered, because TELEGRAM_TOKEN is not set',
    ],
  });
  expect(startWith({ ...withoutDemo, ...gateway }).lines).toHaveLength(2);
  expect(startWith({ ...withoutDemo, OUTBOX: 'true', ...gateway })).toMatchObject({
    OUTBOX_KINDS: ['email', 'telegram'],
  });
});

test('push is offered only with a public contact', () => {
  const local = { ...withoutDemo, PUSH_CONTACT: '' };
  expect(startWith(local).CHANNEL_KINDS).toEqual([]);
  expect(startWith(local).lines).toContain(
    'push: not offered, because push services need a public contact (set PUSH_CONTACT)',
  );
});

test('an SMS gateway token without a gateway address is rejected', () => {
  expect(() => optionsFrom({ DATA_DIR: ':memory:', SMS_TOKEN: 'a' })).toThrow(/SMS_URL is missing/);
});

test('links to loopback cause a warning only if messages leave the machine', () => {
  const about = (environment: Record<string, string>, configuredUrl = '') =>
    linkLines({ ...startWith(environment), host: '127.0.0.1', configuredUrl, url: LOOPBACK_URL });
  expect(about({})).toEqual([]);
  expect(about(gateway)).toEqual([
    expect.stringMatching(/^warning: links in messages lead to http:\/\/127\.0\.0\.1:3000/),
  ]);
  expect(about(gateway, 'https://cloud.example.org')).toEqual([]);
});
