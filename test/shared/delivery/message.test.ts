import { describe, expect, test } from 'vitest';
import {
  hasValidSignature,
  isSignedFall,
  parseFallToken,
  parseLinkToken,
} from '#shared/delivery/acknowledgement-link.ts';
import {
  bodyOf,
  deliveryHeaders,
  messageUuidInBody,
  notificationFor,
  notificationText,
  payloadOf,
  shownBodyOf,
} from '#shared/delivery/message.ts';
import type { Delivery, Snapshot } from '#shared/domain/delivery/delivery.ts';
import type { WebhookRecord } from '#shared/domain/delivery/webhook.ts';
import { snapshotForPeople } from '#test/fixtures/snapshot.ts';

const until = 1_800_000_000;
const settings = { SERVICE_NAME: 'Sensor Cloud', PUBLIC_URL: 'https://cloud.example', SERVICE_VERSION: '1' };
const webhook: WebhookRecord = {
  id: 'hook_1',
  customerId: 3,
  name: 'Renamed since',
  url: 'https://calls.example.com/',
  format: 'full',
  isCustomerHook: false,
  botId: 1,
  authMethod: 'none',
  token: 't',
  secretKey: null,
  retrySchedule: null,
  isEnabled: true,
  disabledReason: null,
  createDate: 0,
  updateDate: 0,
  consecutiveFailures: 0,
};
const snapshot: Snapshot = { ...snapshotForPeople, acknowledgeUntil: until };
const delivery: Delivery = {
  id: 'delivery_1',
  customerId: 3,
  webhookId: 'hook_1',
  createDate: 0,
  updateDate: 0,
  state: 'pending',
  reason: null,
  attempts: 0,
  nextAttempt: 0,
  hit: { id: 12, message: 2 },
  sendTryTimes: [],
  format: 'full',
  snapshot,
};
const toPerson = (by: 'email' | 'sms' | 'push', more: Partial<Delivery> = {}): Delivery => {
  const { format: _, ...rest } = delivery;
  return { ...rest, webhookId: null, person: { userId: 5, by, name: 'Anna' }, ...more };
};
const needed = { raw: '{"type":5}', addressKey: 'key' };
const urlIn = (text: string): string => /https:\/\/cloud\.example\/\S*?acknowledge\/([\w-]+)/.exec(text)?.[1] ?? '';

describe('delivery bodies', () => {
  const parsed = (more: Partial<Delivery> = {}, current = webhook) =>
    JSON.parse(bodyOf({ ...delivery, ...more }, current, needed));

  test('a delivery body is rendered in the right format, with the acknowledgement link', () => {
    const claim = parseLinkToken(urlIn(bodyOf(delivery, webhook, needed)));
    expect(claim).toMatchObject({ hitId: 12, message: 2, until });
    expect(claim && hasValidSignature('key', claim, snapshot.event.uuid)).toBe(true);
  });

  test('a stored delivery body is used as is', () => {
    expect(bodyOf({ ...delivery, body: '{"stored":1}' }, webhook, { raw: null, addressKey: null })).toBe(
      '{"stored":1}',
    );
    expect(bodyOf({ ...delivery, body: '' }, webhook, { raw: null, addressKey: null })).toBe('');
  });

  test('a delivery body contains the webhook name that was stored at creation', () => {
    const named: Snapshot = { ...snapshot, webhook: { name: 'Ward 2', isCustomerHook: true } };
    expect(parsed({ snapshot: named })).toMatchObject({
      webhook: { id: 'hook_1', name: 'Ward 2', isCustomerHook: true },
    });
    expect(parsed({ snapshot: { ...snapshot, webhook: { name: 'Ward 2' } } })).toMatchObject({
      webhook: { name: 'Ward 2', isCustomerHook: false },
    });
  });

  test('a delivery body contains the current webhook name if no name was stored', () => {
    expect(parsed()).toMatchObject({ webhook: { id: 'hook_1', name: 'Renamed since', isCustomerHook: false } });
  });

  test('a test delivery is marked as a test in human-readable formats', () => {
    const chat = { ...delivery, format: 'chat' as const };
    expect(bodyOf({ ...chat, isTest: true }, webhook, needed)).toContain('Das ist ein Test.');
    expect(bodyOf(chat, webhook, needed)).not.toContain('Das ist ein Test.');
  });

  test('a delivery body can be shown without a link or a signing key', () => {
    const shown = shownBodyOf(delivery, webhook, needed.raw);
    expect(shown).not.toContain('acknowledge/');
    expect(shown).toContain('{"type":5}');
    expect(JSON.parse(shown)).toMatchObject({ webhook: { id: 'hook_1' } });
  });

  test.each([
    ['the key', () => bodyOf(delivery, webhook, { ...needed, addressKey: null }), 'key that signs'],
    ['the message', () => bodyOf(delivery, webhook, { ...needed, raw: null }), 'message of a delivery'],
    ['a format or a stored body', () => bodyOf(toPerson('email'), webhook, needed), 'neither a body nor a format'],
  ])('a delivery body is never sent without %s', (_, body, reason) => {
    expect(body).toThrow(reason);
  });

  test('only some formats contain the message bytes', () => {
    expect(messageUuidInBody(delivery)).toBe(snapshot.event.source);
    expect(messageUuidInBody({ ...delivery, format: 'chat' })).toBe(null);
    expect(messageUuidInBody(toPerson('email'))).toBe(null);
  });
});

describe('payloads', () => {
  test('message and delivery ids differ only for a redelivery', () => {
    expect(payloadOf(delivery, webhook, needed)).toEqual({
      body: bodyOf(delivery, webhook, needed),
      mediaType: 'application/json',
      messageId: 'delivery_1',
      deliveryId: 'delivery_1',
      isTest: false,
    });
    expect(payloadOf({ ...delivery, replayOf: 'original', isTest: true }, webhook, needed)).toMatchObject({
      messageId: 'original',
      deliveryId: 'delivery_1',
      isTest: true,
    });
  });

  test('a payload with a stored body is sent as JSON', () => {
    const { format: _, ...feedback } = delivery;
    expect(deliveryHeaders(settings, { ...feedback, body: '{}' })).toEqual({
      'Content-Type': 'application/json; charset=utf-8',
      'User-Agent': 'Sensor-Cloud/1',
      'webhook-id': 'delivery_1',
    });
  });
});

test("a notification contains the rule text, then the facts, in the recipient's language", () => {
  expect(notificationText(toPerson('email'))).toEqual({
    title: 'Sturz: Zimmer 1',
    text: 'Bitte nachsehen\n\nSituation: Sturz erkannt\nSensor: Zimmer 1\nOrt: Maple, EG\nZeit: 2026-11-21 00:47 Europe/Berlin',
    language: 'de',
  });
});

test('an SMS notification omits place and time, because anyone holding the phone can read it', () => {
  expect(notificationText(toPerson('sms'))).toEqual({
    title: 'Sturz: Zimmer 1',
    text: 'Bitte nachsehen',
    language: 'de',
    subject: { situation: 'Sturz erkannt', sensor: 'Zimmer 1' },
  });
});

test('a notification without a recipient or a rule is in English and contains only facts', () => {
  const { reader: _, ...unread } = { ...snapshot, rule: null };
  const { text, language } = notificationText(toPerson('push', { snapshot: unread }));
  expect(language).toBe('en');
  expect(text).toMatch(/^Place: Maple, EG\nTime: /);
});

test('a notification links to its hit and replaces earlier push messages about that hit', () => {
  const { tag, url, ...text } = notificationFor(toPerson('push'), 'key');
  expect(text).toEqual(notificationText(toPerson('push')));
  expect(tag).toBe('hit-12');
  expect(parseLinkToken(urlIn(url ?? ''))).toMatchObject({ hitId: 12 });
});

test('a notification without a hit links to the fall and identifies the recipient', () => {
  const notice = notificationFor(toPerson('email', { hit: null }), 'key');
  expect(notice).not.toHaveProperty('tag');
  const claim = parseFallToken(urlIn(notice.url ?? ''));
  expect(claim).toMatchObject({
    customerId: 3,
    userId: 5,
    until,
    sensorId: 'id_123456789',
    uuid: snapshot.event.uuid,
  });
  expect(claim && isSignedFall('key', claim)).toBe(true);
});

test.each<[string, Delivery]>([
  ['the link would never expire', toPerson('email', { snapshot: { ...snapshot, acknowledgeUntil: 0 } })],
  [
    'the service has no URL',
    toPerson('email', { snapshot: { ...snapshot, service: { ...snapshot.service, url: '' } } }),
  ],
  [
    'the event is not an alarm',
    toPerson('email', {
      hit: null,
      snapshot: { ...snapshot, event: { ...snapshot.event, type: 'sensor', action: 'active' } },
    }),
  ],
  ['there is no recipient', { ...delivery, hit: null }],
])('a notification does not contain a link or need a key if %s', (_, linkless) => {
  expect(notificationFor(linkless, null).url).toBe(null);
});

test('a notification is never sent without the key that signs its link', () => {
  expect(() => notificationFor(toPerson('email'), null)).toThrow('key that signs');
});
