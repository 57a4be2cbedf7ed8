import { describe, expect, test } from 'vitest';
import { absent, changes, present, type Write } from '#shared/store/engine/request.ts';
import { changeOf, isAudited, writtenKey } from '#shared/store/engine/written-change.ts';
import { items } from '#shared/store/table.ts';

const put = (key: object): Write => ({ put: { ...key } as never });
const of = (...keys: object[]) => {
  const { customerId, object } = changeOf(keys.map(put));
  return [customerId, object];
};

test('writtenKey returns the item key for every kind of write', () => {
  const key = { pk: 'p', sk: 's' };
  expect(writtenKey({ put: { ...key, a: 1 } })).toMatchObject(key);
  expect(writtenKey({ remove: key })).toEqual(key);
  expect(writtenKey({ update: key, changes: changes({ set: { a: 1 } }) })).toEqual(key);
  expect(writtenKey({ check: key, where: present })).toEqual(key);
});

test("a change's customer is taken from the keys, if any key contains one", () => {
  expect(of(items.bot({ customerId: 3, botId: 1 }))[0]).toBe(3);
  expect(of(items.rate({ subject: 's', window: 1 }))[0]).toBeUndefined();
  expect(of({ pk: 'XC#3', sk: 's' })[0]).toBeUndefined();
});

test("a change's customer is the linked customer, not the customer for unlinked sensors", () => {
  const [before, after] = [0, 3].map((customerId) => items.sensor({ customerId, sensorId: 'id_a' }));
  expect(of(before as object, after as object)[0]).toBe(3);
  expect(of(after as object, before as object)[0]).toBe(3);
  expect(of(before as object)[0]).toBe(0);
});

test.each([
  ['the owner of an id', items.owner({ kind: 'rule', id: 40 }), { kind: 'rule', id: '40' }],
  ['a sensor', items.sensor({ customerId: 3, sensorId: 'id_a' }), { kind: 'sensor', id: 'id_a' }],
  ['a provisioning key', items.listedKey({ keyId: 'k' }), { kind: 'provisioning_key', id: 'k' }],
  [
    'a firmware version',
    items.firmware({ manufacturer: 'maker_a', versionCode: 7 }),
    { kind: 'firmware', id: 'maker_a/7' },
  ],
  ['a hit', items.ruleHit({ customerId: 3, hitId: 12 }), { kind: 'rule_hit', id: '12' }],
  ['a customer', items.listedCustomer({ customerId: 3 }), { kind: 'customer', id: '3' }],
  ['an unknown object', items.bot({ customerId: 3, botId: 1 }), null],
  ['the owner of something that the log does not name', items.owner({ kind: 'nothing', id: 1 }), null],
])("a change's object is found by the key of %s", (_, key, object) => {
  expect(of(key)[1]).toEqual(object);
});

test('a change refers to the object with a recorded owner if there is one', () => {
  const owner = items.owner({ kind: 'bot', id: 1 });
  expect(of(items.sensor({ customerId: 3, sensorId: 'id_a' }), owner)[1]).toEqual({ kind: 'bot', id: '1' });
});

describe('replaced items', () => {
  const key = items.bot({ customerId: 3, botId: 1 });
  const before = { ...key, name: 'old', gone: 1 };
  const read = ({ sk }: { sk: string }) => (sk === key.sk ? before : undefined);
  const replacedBy = (...writes: Write[]) => changeOf(writes, read).replaced;
  test('a change replaces the item that was read, or null if it is gone', () => {
    const put = { ...key, name: 'new' };
    expect(replacedBy({ put })).toEqual([{ before, after: { ...put, gone: null } }]);
    const update = changes({ set: { name: 'new' } });
    expect(replacedBy({ update: key, changes: update })).toEqual([{ before, after: { name: 'new' } }]);
  });

  test('removals, checks and writes to unread items do not replace anything', () => {
    expect(replacedBy({ remove: key }, { check: key, where: absent })).toEqual([]);
    expect(replacedBy(put(items.bot({ customerId: 3, botId: 2 })))).toEqual([]);
    expect(changeOf([put(key)]).replaced).toEqual([]);
  });
});

test('everything except counters, rates, known addresses and unfinished logins is audited', () => {
  const unaudited = [
    items.counter({ name: 'rules' }),
    items.rate({ subject: 's', window: 1 }),
    items.knownAddress({ accountKey: 'k', address: 'a' }),
    items.oidcLogin({ hash: 'h' }),
  ];
  expect(unaudited.filter(isAudited)).toEqual([]);
  const { account, session, bot } = items;
  for (const key of [account({ accountKey: 'k' }), session({ hash: 'h' }), bot({ customerId: 3, botId: 1 })])
    expect(isAudited(key)).toBe(true);
});
