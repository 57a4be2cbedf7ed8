import { describe, expect, test } from 'vitest';
import { packSnapshot } from '#shared/domain/delivery/packed-snapshot.ts';
import { type PackedMessage, packMessages, unpackMessages } from '#shared/domain/rule/packed-messages.ts';
import type { ItemKind } from '#shared/store/subjects/erasure-rules.ts';
import { erasureRules } from '#shared/store/subjects/erasure-rules.ts';
import type { StoredItem } from '#shared/store/subjects/subjects.ts';
import { bareSnapshot } from '#test/fixtures/snapshot.ts';
import {
  COLLEAGUE,
  HOME,
  itemOf,
  NURSE,
  OTHER_HOME,
  OTHER_SENSOR,
  SENSOR,
  type scopes,
  verdictOf,
} from '#test/fixtures/subject-scopes.ts';

const subjects = ['user', 'sensor', 'customer'] as const;
const verdicts = (kind: ItemKind, item = itemOf(kind)) => subjects.map((subject) => verdictOf(subject, kind, item));
const by = (userId: number, name = 'Anna') => ({ userId, name, date: 5 });
const nobody = { userId: null, name: 'erased', date: 5 };

const serviceWide = [
  ...(['counter', 'heartbeat', 'rate', 'oidcLogin', 'addressKey', 'pushKey', 'makerFeedback'] as const),
  ...(['canaryHome', 'canaryRound', 'alarmSubscribers', 'provisioningKey', 'listedKey', 'firmware'] as const),
  ...(['firmwareDefault', 'firmwarePins', 'changedCustomer', 'dutyCheck', 'listedCustomer'] as const),
] as const;
/** What erasures and imports need until they end. */
const ofJobs = ['dataJob', 'lead', 'erasure', 'erasedSensor', 'importSteps', 'importTurn'] as const;
const ofLogins = [
  ...(['session', 'account', 'password', 'otp', 'knownAddress', 'login', 'accessToken'] as const),
  ...(['idToken', 'reset', 'resetOfAccount', 'channel'] as const),
] as const;
const ofHome = [
  ...(['bot', 'sensorGroup', 'webhook', 'formerWebhook', 'replay', 'feedCursor', 'feedWaits', 'rule'] as const),
  ...(['ruleById', 'wholeRule', 'listedRule', 'enabledRules', 'heldAlarm', 'feedLine'] as const),
  ...(['hardware', 'device', 'deviceOfSensor', 'pairingCode'] as const),
] as const;
const inSensorPartition = ['sensorState', 'room', 'config', 'event', 'message'] as const;

test.each([...serviceWide, ...ofJobs])('an erasure never touches a %s item', (kind) => {
  expect(verdicts(kind)).toEqual(['keep', 'keep', 'keep']);
});

test.each(ofLogins)("an erasure removes a user's %s item, with the user or with the customer", (kind) => {
  expect(verdicts(kind)).toEqual(['remove', 'keep', 'remove']);
});

test.each(ofHome)('an erasure removes a %s item only with the customer', (kind) => {
  expect(verdicts(kind)).toEqual(['keep', 'keep', 'remove']);
});

test.each(inSensorPartition)("an erasure removes a sensor's %s item, with the sensor or with the customer", (kind) => {
  expect(verdicts(kind).slice(1)).toEqual(['remove', 'remove']);
});

test.each(['watch', 'attempt'] as const)(
  'an erasure removes a %s item with any subject it is found through',
  (kind) => {
    expect(verdicts(kind)).toEqual(['remove', 'remove', 'remove']);
  },
);

test('each customer item kind without a separate rule for other customers is removed with the customer', () => {
  const kept = (Object.keys(erasureRules) as ItemKind[]).filter(
    (kind) => verdictOf('customer', kind, itemOf(kind, { snapshot: packSnapshot(bareSnapshot) })) !== 'remove',
  );
  expect(new Set(kept)).toEqual(new Set([...serviceWide, ...ofJobs, 'externalUser', 'owner', 'username']));
});

/** An item of the subject, and the same item of somebody else. */
const owned: [subject: 'user' | 'sensor' | 'customer', kind: ItemKind, own: object, others: object][] = [
  ['customer', 'externalUser', { customerId: HOME }, { customerId: OTHER_HOME }],
  ['user', 'externalUser', { userId: NURSE }, { userId: COLLEAGUE }],
  ['customer', 'owner', { customerId: HOME }, { customerId: OTHER_HOME }],
  ['user', 'user', { id: NURSE }, { id: COLLEAGUE }],
  ['user', 'username', { accountKey: 'key' }, { accountKey: 'other key' }],
  ['customer', 'username', { accountKey: 'key' }, { accountKey: 'other key' }],
  ['user', 'formerUser', { accountKey: 'key' }, { accountKey: 'other key' }],
  ['user', 'duty', { userId: NURSE }, { userId: COLLEAGUE }],
  ['sensor', 'sensor', { id: SENSOR }, { id: OTHER_SENSOR }],
  ['sensor', 'lateChange', { sensorId: SENSOR }, { sensorId: OTHER_SENSOR }],
  ['sensor', 'unnotified', { sensorId: SENSOR }, { sensorId: OTHER_SENSOR }],
];
test.each(owned)("an erasure of a %s removes the subject's %s item but no one else's", (subject, kind, own, others) => {
  expect([verdictOf(subject, kind, itemOf(kind, own)), verdictOf(subject, kind, itemOf(kind, others))]).toEqual([
    'remove',
    'keep',
  ]);
});

test.each(['formerSensor', 'groupMember', 'fallAnswer'] as const)(
  'an erasure of a sensor removes its %s item, which names the sensor only in the key',
  (kind) => {
    const others = itemOf(kind, {}, { sensorId: OTHER_SENSOR });
    expect([verdictOf('sensor', kind, itemOf(kind)), verdictOf('sensor', kind, others)]).toEqual(['remove', 'keep']);
  },
);

test('an erasure of a user removes the owner item found through the user id', () => {
  expect(verdictOf('user', 'owner', itemOf('owner', { customerId: HOME }))).toBe('remove');
});

test.each(['notice', 'feedback', 'feedbackOfHit'] as const)(
  'an erasure of a sensor removes its %s items, which lie under the sensor or its hits',
  (kind) => expect(verdictOf('sensor', kind, itemOf(kind))).toBe('remove'),
);

describe('items about several users', () => {
  const contacts = (...ids: number[]) => ids.map((userId) => ({ userId, by: 'sms' }));
  const shared: [kind: ItemKind, fields: object, reduced: object][] = [
    [
      'customer',
      { name: 'n', emergencyContacts: contacts(NURSE, COLLEAGUE) },
      { emergencyContacts: contacts(COLLEAGUE) },
    ],
    ['roster', { entries: contacts(COLLEAGUE, NURSE, NURSE) }, { entries: contacts(COLLEAGUE) }],
    ['unnotified', { sensorId: SENSOR, deferredTo: [NURSE, COLLEAGUE] }, { deferredTo: [COLLEAGUE] }],
    ['unnotified', { sensorId: SENSOR, refusedTo: [COLLEAGUE, NURSE] }, { refusedTo: [COLLEAGUE] }],
    ['feedback', { accountId: NURSE, reason: 'dog' }, { accountId: 0 }],
    ['feedbackOfHit', { feedback: { accountId: NURSE, reason: 'dog' } }, { feedback: { accountId: 0, reason: 'dog' } }],
    ['notice', { notice: 'acknowledged', acknowledgement: by(NURSE) }, { acknowledgement: nobody }],
    ['fallAnswer', { newest: 1, acknowledgement: by(NURSE) }, { acknowledgement: nobody }],
    ['fallAnswer', { acknowledgement: by(COLLEAGUE), closure: by(NURSE) }, { closure: nobody }],
    ['fallAnswer', { acknowledgement: by(NURSE), closure: by(COLLEAGUE) }, { acknowledgement: nobody }],
  ];
  test.each(shared)('an erasure of a user removes only the user from a %s item with %j', (kind, fields, reduced) => {
    const item = itemOf(kind, fields);
    expect(verdictOf('user', kind, item)).toEqual({ ...item, ...reduced });
  });

  const others: [kind: ItemKind, fields: object][] = [
    ['customer', { emergencyContacts: contacts(COLLEAGUE) }],
    ['customer', {}],
    ['roster', { entries: contacts(COLLEAGUE) }],
    ['unnotified', { deferredTo: [COLLEAGUE], refusedTo: [COLLEAGUE] }],
    ['unnotified', {}],
    ['feedback', { accountId: COLLEAGUE }],
    ['feedbackOfHit', { feedback: { accountId: COLLEAGUE } }],
    ['notice', { acknowledgement: by(COLLEAGUE) }],
    ['notice', {}],
    ['fallAnswer', { acknowledgement: by(COLLEAGUE), closure: by(COLLEAGUE) }],
    ['fallAnswer', {}],
  ];
  test.each(others)('an erasure of a user leaves a %s item with %j unchanged', (kind, fields) => {
    expect(verdictOf('user', kind, itemOf(kind, fields))).toBe('keep');
  });

  test("an erasure of a sensor removes only the sensor's room from a floor plan", () => {
    const rooms = [SENSOR, OTHER_SENSOR].map((sensorId) => ({ sensorId, x: 1 }));
    const item = itemOf('floorPlan', { width: 40, rooms });
    expect(verdictOf('sensor', 'floorPlan', item)).toEqual({ ...item, rooms: rooms.slice(1) });
    expect(verdictOf('sensor', 'floorPlan', itemOf('floorPlan', { rooms: rooms.slice(1) }))).toBe('keep');
    expect(verdictOf('user', 'floorPlan', item)).toBe('keep');
  });
});

describe('hits', () => {
  const messageTo = (accountId: number, publisher: PackedMessage['publisher'], id = 1): PackedMessage => ({
    id,
    accountId,
    publisher,
    extra: { display_name: `name ${accountId}`, is_bot: publisher === 'webhook' },
  });
  const erased = { ...messageTo(0, 'email'), extra: { display_name: 'erased', is_bot: false } };
  const hitItem = (fields: object) =>
    itemOf('ruleHit', { id: 9, sensorId: SENSOR, createDate: 5, updateDate: 6, messages: [], ...fields });

  const parts: [part: string, fields: object, reduced: object][] = [
    [
      'acknowledgement',
      { acknowledgement: { ...by(NURSE), note: 'n' } },
      { acknowledgement: { ...nobody, note: 'n' } },
    ],
    ['closure', { closure: { ...by(NURSE), outcome: 'helped' } }, { closure: { ...nobody, outcome: 'helped' } }],
    ['feedback', { feedback: { accountId: NURSE, reason: 'dog' } }, { feedback: { accountId: 0, reason: 'dog' } }],
    [
      'message',
      { messages: [messageTo(COLLEAGUE, 'email'), messageTo(NURSE, 'email')] },
      { messages: [messageTo(COLLEAGUE, 'email'), erased] },
    ],
    [
      'escalation round',
      { escalation: { round: 1, to: [`${NURSE} sms`, `${COLLEAGUE} sms`, 'hook'] } },
      { escalation: { round: 1, to: [`${COLLEAGUE} sms`, 'hook'] } },
    ],
  ];
  test.each(parts)("an erasure of a user removes the user from a hit's %s", (_, fields, reduced) => {
    const item = hitItem(fields);
    expect(verdictOf('user', 'ruleHit', item)).toEqual({ ...item, ...reduced });
  });

  test('an erasure of a user removes the user from packed messages', () => {
    const packed = [messageTo(NURSE, 'email', 1), messageTo(COLLEAGUE, 'sms', 2), messageTo(NURSE, 'webhook', 3)];
    const item = hitItem({ told: packMessages(packed), messages: packed.map(() => ({ sendTryTimes: [5] })) });
    const reduced = verdictOf('user', 'ruleHit', item) as StoredItem;
    expect(reduced).toEqual({ ...item, told: expect.any(String) });
    expect(unpackMessages(String(reduced.told))).toEqual([erased, ...packed.slice(1)]);
  });

  const unrelated: [what: string, fields: object][] = [
    ['nothing else', {}],
    ["a colleague's answer", { acknowledgement: by(COLLEAGUE), closure: by(COLLEAGUE) }],
    ["a colleague's feedback", { feedback: { accountId: COLLEAGUE } }],
    ['deleted feedback', { feedback: null }],
    ['an unstarted escalation', { escalation: { round: 0 } }],
    ['an escalation to colleagues', { escalation: { round: 1, to: [`${COLLEAGUE} sms`] } }],
    ['a message to a bot whose id equals the user id', { messages: [messageTo(NURSE, 'webhook')] }],
    [
      'packed messages to others',
      { told: packMessages([messageTo(COLLEAGUE, 'email', 4), messageTo(2, 'webhook', 3)]), messages: [{}, {}] },
    ],
  ];
  test.each(unrelated)('an erasure of a user leaves a hit with %s unchanged', (_, fields) => {
    expect(verdictOf('user', 'ruleHit', hitItem(fields))).toBe('keep');
  });

  test("an erased sensor's hit keeps its number, times and situation, because hit ids have no gaps", () => {
    const kept = { createDate: 5, orderDate: 7, ttl: 8, ruleCustomerId: HOME, situation: 'fall_detected' };
    const gone = {
      ...{ acknowledgement: by(NURSE), fall: 'f', cause: { text: 'Bed' }, escalation: { round: 1 }, listPk: 'l' },
      ...{ ruleId: 4, ruleSensorGroupId: 5, sensorEventId: 'uuid', messages: [messageTo(NURSE, 'email')] },
    };
    const item = hitItem({ ...kept, ...gone });
    expect(verdictOf('sensor', 'ruleHit', item)).toEqual({
      ...itemOf('ruleHit', { id: 9, ...kept, updateDate: 5, isErased: true, messages: [] }),
      ...{ ruleId: 0, ruleSensorGroupId: 0, sensorId: '', sensorEventId: 'erased' },
    });
    expect(verdictOf('sensor', 'ruleHit', hitItem({ sensorId: OTHER_SENSOR }))).toBe('keep');
  });
});

describe('audit lines', () => {
  type Line = { actor?: object; object?: object; details?: object[] };
  const lineOf = (fields: Line, customerId = HOME) =>
    itemOf(
      'auditLine',
      {
        operation: 'updateRule',
        address: '192.0.2.1',
        actor: { kind: 'user', id: `${COLLEAGUE}`, name: 'Ben' },
        object: { kind: 'rule', id: '40' },
        ...fields,
      },
      { customerId },
    );
  const device = { kind: 'device', id: SENSOR, name: 'Room 1' };
  const erasedDevice = { kind: 'device', id: null, name: null };
  const idIn = (kind: string, id: string) => ({ kind, id });
  const detail = (from: unknown, to: unknown) => [{ field: 'f', from, to }];

  const reduced: [subject: keyof typeof scopes, fields: Line, after: Line & { address?: string }][] = [
    ...(['user', 'token', 'link'] as const).map((kind): (typeof reduced)[number] => [
      'user',
      { actor: { kind, id: `${NURSE}`, name: 'Anna' } },
      { actor: { kind, id: `${NURSE}`, name: null }, address: 'erased' },
    ]),
    ['sensor', { actor: device }, { actor: erasedDevice, address: 'erased' }],
    ['sensor', { object: idIn('sensor', SENSOR) }, { object: idIn('sensor', 'erased') }],
    [
      'sensor',
      { details: detail(SENSOR, [OTHER_SENSOR, SENSOR]) },
      { details: detail('erased', [OTHER_SENSOR, 'erased']) },
    ],
  ];
  test.each(reduced)('an erasure of a %s removes the subject from an audit line with %j', (subject, fields, after) => {
    const item = lineOf(fields);
    expect(verdictOf(subject, 'auditLine', item)).toEqual({ ...item, ...after });
  });

  const kept: [subject: keyof typeof scopes, why: string, fields: Line][] = [
    ['user', 'names only others', { details: detail('a', 'b') }],
    [
      'user',
      'has the user as its object, so that it stays clear who was changed',
      { object: idIn('user', `${NURSE}`) },
    ],
    [
      'user',
      'was caused by a provisioning key with the same id',
      { actor: { kind: 'key', id: `${NURSE}`, name: 'k' } },
    ],
    ['user', 'was caused by a device with the same id', { actor: { ...device, id: `${NURSE}` } }],
    ['user', 'has another object with the same id', { object: idIn('rule', `${NURSE}`) }],
    ['user', 'has no known actor', { actor: { kind: 'anonymous', id: null, name: null } }],
    ['user', 'contains the user id in its details', { details: detail(`${NURSE}`, `user ${NURSE}`) }],
    [
      'sensor',
      'is about another sensor',
      { actor: { ...device, id: OTHER_SENSOR }, details: detail(null, OTHER_SENSOR) },
    ],
    ['sensor', 'was caused by a user with the same id', { actor: { kind: 'user', id: SENSOR, name: 'n' } }],
  ];
  test.each(kept)('an erasure of a %s keeps an audit line that %s', (subject, _, fields) => {
    expect(verdictOf(subject, 'auditLine', lineOf(fields))).toBe('keep');
  });

  test("an erasure of a customer removes the customer's audit lines", () => {
    expect(verdictOf('customer', 'auditLine', lineOf({}))).toBe('remove');
  });

  test('an erasure of a customer removes its sensors and webhooks from the audit lines of customer 0', () => {
    const line = (object: object) => lineOf({ object }, 0);
    for (const object of [idIn('sensor', SENSOR), idIn('webhook', 'hook')]) {
      const item = line(object);
      expect(verdictOf('customer', 'auditLine', item)).toEqual({ ...item, object: { ...object, id: 'erased' } });
    }
    for (const object of [idIn('sensor', OTHER_SENSOR), idIn('customer', `${HOME}`), idIn('user', `${NURSE}`)])
      expect(verdictOf('customer', 'auditLine', line(object))).toBe('keep');
  });
});

describe.each(['delivery', 'personDelivery'] as const)('%s items', (kind) => {
  const deliveryItem = (snapshot: object, fields: object = {}) =>
    itemOf(kind, { state: 'delivered', snapshot: packSnapshot({ ...bareSnapshot, ...snapshot }), ...fields });
  const sensor = { id: SENSOR, deviceId: 'd', name: 'Room 1', groupId: 0 };
  const customer = { id: HOME, name: 'n', location: '' };

  test.each([
    ['the sensor, reported for the customer', { sensor, customer }, 'remove'],
    ['the sensor, without a customer', { sensor, customer: null }, 'remove'],
    ['the sensor, reported for another customer', { sensor, customer: { ...customer, id: OTHER_HOME } }, 'keep'],
    ['another sensor', { sensor: { ...sensor, id: OTHER_SENSOR }, customer }, 'keep'],
  ])(`an erasure of a sensor decides about a ${kind} about %s: %s`, (_, snapshot, verdict) => {
    expect(verdictOf('sensor', kind, deliveryItem(snapshot))).toBe(verdict);
  });

  test(`an erasure of a sensor leaves a ${kind} item with feedback from the sensor's other owner alone`, () => {
    const feedback = (customerId: number) =>
      deliveryItem({ sensor, customer: null }, { feedbackFrom: { customerId, userId: NURSE } });
    expect(verdictOf('sensor', kind, feedback(HOME))).toBe('remove');
    expect(verdictOf('sensor', kind, feedback(OTHER_HOME))).toBe('keep');
  });

  test(`an erasure of a user removes a ${kind} item that was sent to the user or names the user`, () => {
    const acknowledgedBy = (userId: number) => ({ acknowledgement: { ...by(userId), ruleHitId: 1 } });
    const sentTo = (userId: number) => ({ person: { userId, by: 'email' } });
    const decided = [
      ...[deliveryItem({}, sentTo(NURSE)), deliveryItem(acknowledgedBy(NURSE), sentTo(COLLEAGUE))],
      deliveryItem({}, { feedbackFrom: { customerId: HOME, userId: NURSE } }),
      ...[deliveryItem({}), deliveryItem(acknowledgedBy(COLLEAGUE), sentTo(COLLEAGUE))],
      deliveryItem({}, { feedbackFrom: { customerId: HOME, userId: COLLEAGUE } }),
    ].map((item) => verdictOf('user', kind, item));
    expect(decided).toEqual(['remove', 'remove', 'remove', 'keep', 'keep', 'keep']);
  });

  test(`an erasure of a customer removes a ${kind} item in the customer's partition`, () => {
    expect(verdictOf('customer', kind, deliveryItem({ sensor, customer }))).toBe('remove');
  });
});
