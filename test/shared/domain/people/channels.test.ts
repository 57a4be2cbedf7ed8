import { describe, expect, test } from 'vitest';
import { Bot, BotUpdate, NewBot } from '#shared/domain/people/bot.ts';
import {
  CODE_MINUTES,
  CODE_TRIES,
  CODES_PER_HOUR,
  codeHashInput,
  newChannelCode,
} from '#shared/domain/people/channel.ts';
import { isChannelAddress } from '#shared/domain/people/channel-address.ts';
import {
  ChannelUpdate,
  ChannelVerification,
  channelView,
  channelViewForOthers,
} from '#shared/domain/people/channel-view.ts';
import { EmergencyContacts } from '#shared/domain/people/emergency-contact.ts';
import { notOffered, sendableKinds } from '#shared/domain/people/sendable.ts';

describe('channel addresses', () => {
  test.each([
    ['sms', '+491701', false],
    ['sms', '+4917012', true],
    ['sms', '+123456789012345', true],
    ['sms', '+1234567890123456', false],
    ['sms', '+0917012345', false],
    ['sms', '4917012345', false],
    ['sms', 'x+4917012345', false],
    ['sms', '+4917012345x', false],
    ['telegram', '1', true],
    ['telegram', '-1001234567890123456', true],
    ['telegram', '12345678901234567890', false],
    ['telegram', '0123', false],
    ['telegram', '--1', false],
    ['telegram', '1x', false],
    ['email', 'night@example.com', true],
    ['email', 'night', false],
    ['email', '', false],
  ] as const)('%s address %j is valid: %j', (by, address, isAddress) => {
    expect(isChannelAddress(by, address)).toBe(isAddress);
  });
});

describe('channel codes', () => {
  test('a channel code has six digits, including leading zeros', () => {
    expect(newChannelCode(Buffer.from([0, 0, 0, 7]))).toBe('000007');
    expect(newChannelCode(Buffer.from([0, 15, 66, 64]))).toBe('000000');
    expect(newChannelCode(Buffer.from([255, 255, 255, 255]))).toBe('967295');
  });
  test('a channel code verifies one address for one user', () => {
    const channel = { by: 'sms', address: '+4917012345' } as const;
    const others = [
      codeHashInput(2, channel, '123456'),
      codeHashInput(1, { ...channel, by: 'telegram' }, '123456'),
      codeHashInput(1, { ...channel, address: '+4917012346' }, '123456'),
      codeHashInput(1, channel, '123457'),
      codeHashInput(12, channel, '3456'),
    ];
    expect(new Set([codeHashInput(1, channel, '123456'), ...others]).size).toBe(6);
  });
  test('a channel code is valid for ten minutes and five tries', () => {
    expect([CODE_MINUTES, CODE_TRIES, CODES_PER_HOUR]).toEqual([10, 5, 5]);
  });
});

test('a channel address is shown only to its owner', () => {
  const channel = { by: 'sms', address: '+4917012345', provenDate: 5 } as const;
  const view = { by: 'sms', provenDate: 5, undeliverableDate: null, undeliverableReason: null };
  expect(channelViewForOthers(channel)).toEqual(view);
  expect(channelView(channel)).toEqual({ ...view, address: '+4917012345' });
  const undeliverable = { undeliverableDate: 9, undeliverableReason: 'expired' };
  expect(channelViewForOthers({ ...channel, ...undeliverable })).toEqual({ ...view, ...undeliverable });
});

describe('channel updates', () => {
  const p256dh = `B${'a'.repeat(86)}`;
  const auth = 'b'.repeat(22);
  const subscription = { endpoint: 'https://push.example.com/x', keys: { p256dh, auth } };
  test('a channel update contains either an address or a push subscription', () => {
    expect(ChannelUpdate.parse({ subscription })).toEqual({ subscription });
    expect(ChannelUpdate.parse({ address: 'a' })).toEqual({ address: 'a' });
  });
  test.each<object>([
    { address: '' },
    { address: 'a'.repeat(255) },
    { subscription: { ...subscription, endpoint: '' } },
    { subscription: { ...subscription, endpoint: 'a'.repeat(2_049) } },
    { subscription: { ...subscription, keys: { p256dh, auth: `${auth}b` } } },
    { subscription: { ...subscription, keys: { p256dh, auth: auth.slice(1) } } },
    { subscription: { ...subscription, keys: { p256dh, auth: `=${auth.slice(1)}` } } },
    { subscription: { ...subscription, keys: { p256dh: `${p256dh}a`, auth } } },
    { subscription: { ...subscription, keys: { p256dh: `a${p256dh.slice(1)}`, auth } } },
    { subscription: { ...subscription, keys: { p256dh: `x${p256dh}`, auth } } },
  ])('a channel update with %j is rejected', (body) => {
    expect(ChannelUpdate.safeParse(body).success).toBe(false);
  });
  test('a channel is verified with a code of at most 64 characters', () => {
    const isCode = (code: unknown) => ChannelVerification.safeParse({ code }).success;
    expect([isCode('1'.repeat(64)), isCode('1'.repeat(65)), isCode(123456)]).toEqual([true, false, false]);
  });
});

test('a bot has a name of 1 to 64 characters and defaults to English', () => {
  expect(BotUpdate.parse({ name: 'Ward 2' })).toEqual({ name: 'Ward 2', locale: 'en' });
  expect(NewBot.parse({ name: 'Ward 2', locale: 'de', customerId: 3 })).toMatchObject({ locale: 'de', customerId: 3 });
  for (const name of ['', 'n'.repeat(65)]) expect(BotUpdate.safeParse({ name }).success).toBe(false);
  const stored = { name: 'Ward 2', locale: 'en', id: 1, createDate: 2, updateDate: 3, customerId: 4 };
  expect(Bot.parse(stored)).toEqual(stored);
});

test('a customer has at most five emergency contacts, each with a channel', () => {
  const contact = { userId: 7, by: 'sms' };
  expect(EmergencyContacts.parse(Array(5).fill(contact))).toHaveLength(5);
  expect(EmergencyContacts.safeParse(Array(6).fill(contact)).success).toBe(false);
  expect(EmergencyContacts.safeParse([{ userId: 7 }]).success).toBe(false);
});

describe('sendable channels', () => {
  const hasService = { email: true, sms: false, push: true, telegram: false };
  test('sendable channels have a service and are listed in a fixed order', () => {
    expect(sendableKinds(hasService, { hasOutbox: false })).toEqual({
      CHANNEL_KINDS: ['email', 'push'],
      OUTBOX_KINDS: [],
    });
  });
  test('a host with an outbox stores messages for channels without a service', () => {
    expect(sendableKinds(hasService, { hasOutbox: true })).toEqual({
      CHANNEL_KINDS: ['email', 'sms', 'push', 'telegram'],
      OUTBOX_KINDS: ['sms', 'telegram'],
    });
  });
  test('the error for an unavailable channel lists the available ones', () => {
    expect(notOffered({ CHANNEL_KINDS: ['email', 'push'] })).toEqual([
      'channel_not_offered',
      { choices: 'email, push' },
    ]);
    expect(notOffered({ CHANNEL_KINDS: [] })).toEqual(['channel_not_offered', { choices: '-' }]);
  });
});
