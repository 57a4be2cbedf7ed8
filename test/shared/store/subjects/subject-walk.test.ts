import { describe, expect, test } from 'vitest';
import { packSnapshot } from '#shared/domain/delivery/packed-snapshot.ts';
import { usernameKey } from '#shared/domain/identity/username.ts';
import { erasureRules, type ItemKind } from '#shared/store/subjects/erasure-rules.ts';
import { kindOf, subjectItems } from '#shared/store/subjects/subject-walk.ts';
import type { Lead, StoredItem } from '#shared/store/subjects/subjects.ts';
import { items } from '#shared/store/table.ts';
import { memoryStore } from '#test/fixtures/memory-store.ts';
import { bareSnapshot } from '#test/fixtures/snapshot.ts';
import { collect } from '#test/fixtures/store-items.ts';
import {
  COLLEAGUE,
  HOME,
  HOOK,
  itemOf,
  NURSE,
  OTHER_HOME,
  OTHER_SENSOR,
  SENSOR,
  scopes,
} from '#test/fixtures/subject-scopes.ts';

const createWorld = async (...stored: StoredItem[]) => {
  const { its, table } = memoryStore();
  for (const put of stored) await table.write({ put });
  const walk = (subject: keyof typeof scopes, leads: readonly Lead[] = []) =>
    collect(subjectItems(its.subjects, scopes[subject], leads, erasureRules));
  /** Returns the kinds of the items found, in order. */
  const found = async (...args: Parameters<typeof walk>) => (await walk(...args)).map(({ kind }) => kind);
  return { walk, found };
};
const hit = (sensorId: string, fields: object = {}, hitId = 9) =>
  itemOf('ruleHit', { id: hitId, sensorId, messages: [], ...fields }, { hitId });
const feedbackBy = (accountId: number, feedbackId: number, hitId = 9) =>
  itemOf('feedbackOfHit', { feedback: { accountId } }, { hitId, feedbackId });
const deliveryOf = (sensorId: string, key: object, kind: 'delivery' | 'personDelivery' = 'delivery') => {
  const sensor = { ...bareSnapshot.sensor, id: sensorId };
  return itemOf(kind, { snapshot: packSnapshot({ ...bareSnapshot, sensor }) }, key);
};

test.each(Object.keys(items) as ItemKind[])('kindOf recognizes a %s item by its key', (kind) => {
  expect(kindOf(itemOf(kind))).toBe(kind);
});

test('kindOf is null for an unknown item', () => {
  expect(kindOf({ pk: `C#${HOME}`, sk: 'UNHEARD#OF' })).toBeNull();
});

test('an item of an undeclared kind ends the search with an error that names no one', async () => {
  const { walk } = await createWorld({ pk: 'ACCOUNT#key', sk: 'NICKNAME#Anna' });
  await expect(walk('user')).rejects.toThrow(/^unknown kind of item: ACCOUNT$/);
});

test('each item found comes with its place and what an erasure does with it', async () => {
  const mine = itemOf('user', { id: NURSE, username: 'nurse' });
  const entries = [NURSE, COLLEAGUE].map((userId) => ({ userId }));
  const roster = itemOf('roster', { entries });
  const { walk } = await createWorld(mine, roster, itemOf('user', { id: COLLEAGUE }, { userId: COLLEAGUE }));
  const place = { pk: `C#${HOME}` };
  expect(await walk('user')).toEqual([
    { kind: 'roster', item: roster, verdict: { ...roster, entries: entries.slice(1) }, place },
    { kind: 'user', item: mine, verdict: 'remove', place },
  ]);
});

describe('users', () => {
  test('a user is found in logins, channels and answers, but colleagues are not', async () => {
    const acknowledgement = { userId: NURSE, name: 'Anna', date: 5 };
    const { found } = await createWorld(
      itemOf('user', { id: NURSE, username: 'nurse', accountKey: 'key' }),
      itemOf('account'),
      itemOf('login', { hash: 'login' }),
      itemOf('session', {}, { hash: 'login' }),
      itemOf('session', {}, { hash: 'of a colleague' }),
      itemOf('channel', {}, { by: 'sms' }),
      itemOf('channel', {}, { by: 'sms', userId: COLLEAGUE }),
      itemOf('sensor', { id: SENSOR }),
      itemOf('feedback', { accountId: NURSE }),
      itemOf('feedback', { accountId: COLLEAGUE }, { feedbackId: 8 }),
      itemOf('notice', { acknowledgement }, { uuid: 'u' }),
      itemOf('fallAnswer', { acknowledgement }),
      itemOf('unnotified', { deferredTo: [NURSE] }),
      itemOf('event', {}, { uuid: 'u' }),
    );
    expect((await found('user')).sort()).toEqual([
      ...['account', 'channel', 'fallAnswer', 'feedback', 'login', 'notice', 'session', 'unnotified', 'user'],
    ]);
  });

  test("a user's older feedback is found even if the hit holds only newer feedback by a colleague", async () => {
    const { walk } = await createWorld(
      hit(SENSOR, { feedback: { accountId: COLLEAGUE }, feedbackRevision: 2 }),
      feedbackBy(NURSE, 1),
      feedbackBy(COLLEAGUE, 2),
    );
    expect(await walk('user')).toMatchObject([{ kind: 'feedbackOfHit', verdict: { feedback: { accountId: 0 } } }]);
  });

  test('attempts to deliver a message that does not name the user are left alone', async () => {
    const { found } = await createWorld(
      itemOf('webhook'),
      deliveryOf(SENSOR, {}),
      itemOf('attempt', {}, { number: 1 }),
    );
    expect(await found('user')).toEqual([]);
  });

  test("a user's feedback on a hit comes before the hit, which leads to it", async () => {
    const { found } = await createWorld(
      hit(SENSOR, { feedback: { accountId: NURSE }, feedbackRevision: 1 }),
      feedbackBy(NURSE, 1),
    );
    expect(await found('user')).toEqual(['feedbackOfHit', 'ruleHit']);
  });
});

describe('sensors', () => {
  test("a sensor's data is found in every place, but no other sensor's", async () => {
    const of = (sensorId: string) => [
      itemOf('sensorState', {}, { sensorId }),
      itemOf('event', {}, { sensorId, uuid: 'u' }),
      itemOf('lateChange', { sensorId }, { hitId: sensorId }),
      itemOf('unnotified', { sensorId }, { alarmId: sensorId }),
      itemOf('fallAnswer', {}, { sensorId }),
      itemOf('groupMember', {}, { sensorId }),
      itemOf('formerSensor', {}, { sensorId }),
      itemOf('sensor', { id: sensorId }, { sensorId }),
      deliveryOf(sensorId, { deliveryId: sensorId }, 'personDelivery'),
    ];
    const { walk } = await createWorld(...of(SENSOR), ...of(OTHER_SENSOR));
    const found = await walk('sensor');
    const keys = ({ pk, sk }: StoredItem) => `${pk} ${sk}`;
    expect(found.map(({ item }) => keys(item)).sort()).toEqual(of(SENSOR).map(keys).sort());
  });

  test("a delivery's attempts come before the delivery, and those of other deliveries are left alone", async () => {
    const attempts = ['a', 'ab', 'b'].map((deliveryId) => itemOf('attempt', {}, { deliveryId, number: 1 }));
    const { walk } = await createWorld(
      itemOf('webhook'),
      deliveryOf(SENSOR, { deliveryId: 'a' }),
      deliveryOf(OTHER_SENSOR, { deliveryId: 'b' }),
      ...attempts,
    );
    expect((await walk('sensor')).map(({ item }) => item.sk)).toEqual([
      ...[`ATTEMPT#a#${'1'.padStart(16, '0')}`, 'DELIVERY#a'],
    ]);
  });

  test("feedback on a sensor's hits is found, but not on another sensor's hits", async () => {
    const feedback = { feedback: { accountId: NURSE }, feedbackRevision: 1 };
    const { walk } = await createWorld(
      hit(SENSOR, feedback),
      feedbackBy(NURSE, 1),
      hit(OTHER_SENSOR, feedback, 10),
      feedbackBy(NURSE, 2, 10),
    );
    expect(await walk('sensor')).toMatchObject([
      { kind: 'feedbackOfHit', verdict: 'remove', item: { pk: `C#${HOME}#H#${'9'.padStart(16, '0')}` } },
      { kind: 'ruleHit', verdict: { isErased: true, id: 9 } },
    ]);
  });
});

describe('customers', () => {
  test('a customer erasure finds what belongs to the customer, and nothing of others', async () => {
    const leads: Lead[] = [
      { kind: 'user', id: `${NURSE}`, accountKey: 'key' },
      { kind: 'sensor', id: SENSOR },
      { kind: 'webhook', id: HOOK },
    ];
    const { found } = await createWorld(
      itemOf('user', { id: NURSE, username: 'nurse' }),
      itemOf('account'),
      itemOf('account', {}, { accountKey: 'of others' }),
      itemOf('owner', { customerId: HOME }, { kind: 'user', id: NURSE }),
      itemOf('owner', { customerId: OTHER_HOME }, { kind: 'webhook', id: HOOK }),
      itemOf('sensorState'),
      deliveryOf(SENSOR, {}),
      itemOf('attempt', {}, { number: 1 }),
      itemOf('feedLine', {}, { time: 't', eventId: 1 }),
      itemOf('wholeRule', {}, { ruleId: 6 }),
      itemOf('dataJob', {}, { kind: 'erasure' }),
      itemOf('sensorState', {}, { customerId: OTHER_HOME }),
      itemOf('customer'),
      itemOf('customer', {}, { customerId: OTHER_HOME }),
    );
    expect((await found('customer', leads)).sort()).toEqual([
      ...['account', 'attempt', 'customer', 'delivery', 'feedLine', 'owner', 'sensorState', 'user', 'wholeRule'],
    ]);
  });

  test("a customer's hits come after all feedback on them", async () => {
    const { found } = await createWorld(hit(SENSOR, { feedbackRevision: 1 }), feedbackBy(NURSE, 1));
    expect(await found('customer')).toEqual(['feedbackOfHit', 'ruleHit']);
  });
});

describe('feedback to the manufacturer, in the partition of another customer', () => {
  const key = { customerId: 90, webhookId: 'maker' };
  const attempt = itemOf('attempt', { responseBody: 'r' }, { ...key, number: 1 });

  test("an erasure or export of a customer leaves other customers' feedback alone", async () => {
    const { found } = await createWorld(itemOf('makerFeedback', key), deliveryOf(OTHER_SENSOR, key), attempt);
    expect(await found('customer', [{ kind: 'sensor', id: SENSOR }])).toEqual([]);
  });

  test("an erasure or export of a customer finds feedback about the customer's sensors, with its attempts", async () => {
    const { found } = await createWorld(itemOf('makerFeedback', key), deliveryOf(SENSOR, key), attempt);
    expect(await found('customer', [{ kind: 'sensor', id: SENSOR }])).toEqual(['attempt', 'delivery']);
  });
});

test('feedback about a moved sensor belongs to the customer that gave it, not to the former owner', async () => {
  const key = { customerId: 90, webhookId: 'maker' };
  const feedback = (customerId: number) => ({ ...deliveryOf(SENSOR, key), feedbackFrom: { customerId, userId: 1 } });
  const find = async (customerId: number) => {
    const { found } = await createWorld(itemOf('makerFeedback', key), feedback(customerId));
    return found('customer', [{ kind: 'sensor', id: SENSOR }]);
  };
  expect([await find(HOME), await find(OTHER_HOME)]).toEqual([['delivery'], []]);
});

test('a username that someone else registered during an erasure of a customer is left alone', async () => {
  const user = itemOf('user', { id: NURSE, username: 'nurse', accountKey: 'key' });
  const name = itemOf('username', { accountKey: 'another key' }, { username: usernameKey('nurse') });
  const { found } = await createWorld(user, name);
  expect(await found('customer', [{ kind: 'user', id: `${NURSE}`, accountKey: 'key' }])).toEqual(['user']);
});
