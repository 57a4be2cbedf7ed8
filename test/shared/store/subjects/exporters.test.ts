import { describe, expect, test } from 'vitest';
import { packSnapshot } from '#shared/domain/delivery/packed-snapshot.ts';
import { type PackedMessage, packMessages } from '#shared/domain/rule/packed-messages.ts';
import type { ItemKind } from '#shared/store/subjects/erasure-rules.ts';
import { exporters } from '#shared/store/subjects/exporters.ts';
import { bareSnapshot } from '#test/fixtures/snapshot.ts';
import { COLLEAGUE, HOME, HOOK, itemOf, NURSE, OTHER_SENSOR, SENSOR, scopes } from '#test/fixtures/subject-scopes.ts';

const shown = (subject: keyof typeof scopes, kind: ItemKind, fields: object = {}) =>
  exporters[kind]?.(itemOf(kind, fields), scopes[subject]);
const technical = { duePk: 'd', dueAt: 1, listPk: 'l', listSk: 's', ttl: 9, version: 1, revision: 2 };

const secrets = [
  ...(['password', 'otp', 'account', 'accessToken', 'idToken', 'oidcLogin', 'reset', 'resetOfAccount'] as const),
  ...(['device', 'deviceOfSensor', 'pairingCode', 'provisioningKey', 'listedKey', 'addressKey', 'pushKey'] as const),
] as const;
const leading = [
  ...(['username', 'login', 'externalUser', 'owner', 'listedCustomer', 'formerUser', 'formerWebhook'] as const),
  ...(['hardware', 'lead', 'erasure', 'erasedSensor', 'dataJob', 'importSteps', 'importTurn'] as const),
  ...(['heldAlarm', 'feedLine', 'feedCursor', 'feedWaits', 'lateChange'] as const),
] as const;
const copies = ['rule', 'wholeRule', 'listedRule', 'enabledRules', 'feedbackOfHit', 'watch'] as const;
const ofService = [
  ...(['counter', 'heartbeat', 'rate', 'makerFeedback', 'canaryHome', 'canaryRound', 'alarmSubscribers'] as const),
  ...(['firmware', 'firmwareDefault', 'firmwarePins', 'changedCustomer', 'dutyCheck'] as const),
] as const;
const whole = [
  ...([
    'duty',
    'auditLine',
    'bot',
    'sensor',
    'formerSensor',
    'sensorGroup',
    'ruleById',
    'sensorState',
    'room',
  ] as const),
  ...(['config', 'event', 'message', 'notice', 'feedback', 'attempt', 'replay'] as const),
] as const;
const inPart: readonly ItemKind[] = [
  ...(['session', 'knownAddress', 'customer', 'user', 'channel', 'roster', 'groupMember', 'floorPlan'] as const),
  ...(['webhook', 'ruleHit', 'fallAnswer', 'unnotified', 'delivery', 'personDelivery'] as const),
];

test.each([...secrets, ...leading, ...copies, ...ofService])('an export shows nothing of a %s item', (kind) => {
  expect(exporters[kind]).toBeNull();
});

test.each(whole)('an export shows a %s item with all fields except those that only the table needs', (kind) => {
  const fields = { id: 4, name: 'n', list: [1], hash: 'h' };
  for (const subject of ['user', 'sensor', 'customer'] as const)
    expect(shown(subject, kind, { ...fields, ...technical })).toEqual(fields);
});

test('an export shows every other kind of item at least in part', () => {
  const all = [...secrets, ...leading, ...copies, ...ofService, ...whole, ...inPart];
  expect((Object.keys(exporters) as ItemKind[]).sort()).toEqual(all.sort());
  for (const kind of inPart) expect(exporters[kind]).not.toBeNull();
});

const withSecrets: [kind: ItemKind, fields: object, hidden: object][] = [
  ['session', { kind: 'session', accountId: NURSE, userAgent: 'u' }, { csrf: 'c', epoch: 1, id: 'i' }],
  ['customer', { id: HOME, name: 'n' }, { hooks: { hook: 'full' } }],
  ['user', { id: NURSE, username: 'nurse', email: 'n@example.org' }, { accountKey: 'key', subject: 's' }],
  [
    'channel',
    { by: 'push', address: 'push.example.org', provenDate: 5 },
    { codeHash: 'h', codeExpires: 6, tries: 1, subscription: { keys: { auth: 'a' } } },
  ],
  [
    'webhook',
    { id: HOOK, url: 'https://example.org', name: 'n' },
    { token: 't', secretKey: 's', previousSecret: 'p', previousUntil: 5 },
  ],
];
test.each(withSecrets)('an export shows a %s item with %j but without its secrets', (kind, fields, hidden) => {
  expect(shown('customer', kind, { ...fields, ...hidden, ...technical })).toEqual(fields);
});

test('an export shows from which addresses a user logged in, without the account key', () => {
  const item = itemOf('knownAddress', { ttl: 9 }, { address: '192.0.2.1' });
  expect(exporters.knownAddress?.(item, scopes.user)).toEqual({ address: '192.0.2.1' });
});

test('an export shows which group a sensor is in', () => {
  expect(shown('sensor', 'groupMember')).toEqual({ groupId: expect.stringMatching(/^0*5$/), sensorId: SENSOR });
});

test.each([
  ['delivery', HOOK],
  ['personDelivery', null],
] as const)('an export shows a %s item with its ids and the unpacked event', (kind, webhookId) => {
  const fields = { snapshot: packSnapshot(bareSnapshot), state: 'delivered', attempts: 1 };
  const ids = { id: 'delivery', customerId: HOME, webhookId };
  expect(shown('sensor', kind, { ...fields, ...technical })).toEqual({ ...fields, ...ids, snapshot: bareSnapshot });
});

test('an export shows the whole roster of a customer but only a single entry of a user', () => {
  const entries = [NURSE, COLLEAGUE].map((userId) => ({ userId, days: [1] }));
  expect(shown('user', 'roster', { entries })).toEqual({ entries: entries.slice(0, 1) });
  expect(shown('customer', 'roster', { entries })).toEqual({ entries });
});

test('an export shows the emergency contacts of a customer but only the user in that of a user', () => {
  const emergencyContacts = [NURSE, COLLEAGUE].map((userId) => ({ userId, by: 'sms' }));
  const own = emergencyContacts.slice(0, 1);
  expect(shown('user', 'customer', { name: 'n', emergencyContacts })).toEqual({ name: 'n', emergencyContacts: own });
  expect(shown('customer', 'customer', { emergencyContacts })).toEqual({ emergencyContacts });
});

test('an export of a user shows an unnotified alarm without colleagues who get a list later', () => {
  const lists = { deferredTo: [NURSE, COLLEAGUE], refusedTo: [COLLEAGUE] };
  expect(shown('user', 'unnotified', { sensorId: SENSOR, ...lists })).toEqual({
    sensorId: SENSOR,
    deferredTo: [NURSE],
    refusedTo: [],
  });
  expect(shown('sensor', 'unnotified', { sensorId: SENSOR, ...lists })).toEqual({ sensorId: SENSOR, ...lists });
});

test('an export shows a floor plan with all rooms of a customer but only a single room of a sensor', () => {
  const rooms = [OTHER_SENSOR, SENSOR].map((sensorId) => ({ sensorId, x: 1 }));
  const plan = { customerId: `${HOME}`, groupId: expect.stringMatching(/^0*5$/), width: 40 };
  expect(shown('sensor', 'floorPlan', { width: 40, rooms })).toEqual({ ...plan, rooms: rooms.slice(1) });
  expect(shown('customer', 'floorPlan', { width: 40, rooms })).toEqual({ ...plan, rooms });
});

describe('responses to falls', () => {
  const by = (userId: number | null) => ({ userId, name: 'n', date: 5, note: 'on my way' });
  const fall = { customerId: `${HOME}`, sensorId: SENSOR, start: expect.stringMatching(/^0*1$/), fall: 'fall' };

  const responses: [acknowledgedBy: number | null, closedBy: number | null, own: string[]][] = [
    [NURSE, NURSE, ['acknowledgement', 'closure']],
    [NURSE, COLLEAGUE, ['acknowledgement']],
    [null, NURSE, ['closure']],
    [COLLEAGUE, null, []],
  ];
  test.each(responses)(
    `an export of user ${NURSE} shows only that user's part of a fall acknowledged by %j and closed by %j`,
    (acknowledgedBy, closedBy, own) => {
      const answer = { acknowledgement: by(acknowledgedBy), closure: by(closedBy) };
      const parts = Object.entries(answer).filter(([name]) => own.includes(name));
      expect(shown('user', 'fallAnswer', { ...answer, newest: 1 })).toEqual({ ...fall, ...Object.fromEntries(parts) });
    },
  );

  test('an export of a user shows a fall without a response', () => {
    expect(shown('user', 'fallAnswer', { newest: 1 })).toEqual(fall);
  });

  test.each(['sensor', 'customer'] as const)('an export of a %s shows the whole response to a fall', (subject) => {
    const answer = { acknowledgement: by(NURSE), closure: by(null) };
    expect(shown(subject, 'fallAnswer', { ...answer, newest: 1 })).toEqual({ ...fall, ...answer });
    expect(shown(subject, 'fallAnswer', { newest: 1 })).toEqual(fall);
  });
});

describe('hits', () => {
  const by = (userId: number) => ({ userId, name: 'n', date: 5 });
  const messageTo = (accountId: number, publisher: PackedMessage['publisher']): PackedMessage => ({
    id: 1,
    accountId,
    publisher,
    extra: { display_name: `name ${accountId}`, is_bot: publisher === 'webhook' },
  });
  const sent = [messageTo(COLLEAGUE, 'email'), messageTo(NURSE, 'webhook'), messageTo(NURSE, 'email')];
  const basic = { id: 9, createDate: 5, situation: 'fall_detected' };
  const about = { sensorId: SENSOR, ruleId: 4, feedback: { reason: 'dog' }, fall: 'f' };
  const packed = { told: packMessages(sent), messages: sent.map(() => ({ sendTryTimes: [6] })) };

  test('an export of a user shows a hit without anything about the resident or colleagues', () => {
    const own = { acknowledgement: by(NURSE), closure: by(NURSE) };
    const hit = shown('user', 'ruleHit', { ...basic, ...about, ...own, ...packed });
    expect(hit).toEqual({ ...basic, ...own, messages: [expect.objectContaining(messageTo(NURSE, 'email'))] });
    const others = { acknowledgement: by(COLLEAGUE), closure: by(COLLEAGUE) };
    expect(shown('user', 'ruleHit', { ...basic, ...about, ...others, messages: [] })).toEqual({
      ...basic,
      messages: [],
    });
    expect(shown('user', 'ruleHit', { ...basic, messages: [] })).toEqual({ ...basic, messages: [] });
  });

  test.each(['sensor', 'customer'] as const)(
    'an export of a %s shows a whole hit with unpacked messages',
    (subject) => {
      const answered = { acknowledgement: by(NURSE), closure: by(COLLEAGUE) };
      const hit = shown(subject, 'ruleHit', { ...basic, ...about, ...answered, ...packed, ...technical });
      const messages = sent.map((message) => expect.objectContaining({ ...message, sendTryTimes: [6] }));
      expect(hit).toEqual({ ...basic, ...about, ...answered, messages });
    },
  );
});
