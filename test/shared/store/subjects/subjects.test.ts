import { describe, expect, test } from 'vitest';
import { hashOf } from '#shared/domain/ids.ts';
import type { Key } from '#shared/store/key.ts';
import { items } from '#shared/store/table.ts';
import { gather } from '#test/fixtures/gather.ts';
import { memoryStore } from '#test/fixtures/memory-store.ts';
import { collect, now, some } from '#test/fixtures/store-items.ts';
import { COLLEAGUE, HOME, itemOf, NURSE, OTHER_HOME, SENSOR } from '#test/fixtures/subject-scopes.ts';

const job = { customerId: HOME, id: 'job' };
const bareKey = ({ pk, sk }: Key): Key => ({ pk, sk });

describe('reading', () => {
  test('a place is read to the end, however large it is', async () => {
    const { its, table } = memoryStore();
    const large = 'x'.repeat(300_000);
    const stored = ['a', 'b', 'c', 'd', 'e'].map((uuid) => itemOf('message', { raw: large }, { uuid }));
    for (const put of [...stored, itemOf('sensorState')]) await table.write({ put });
    const messages = { pk: items.message.pk({ customerId: HOME, sensorId: SENSOR }), beginsWith: 'MESSAGE#' };
    const pages = await gather(its.subjects.pages(messages), (page) => page);
    expect(pages.length).toBeGreaterThan(1);
    expect(pages.flat()).toEqual(stored);
    expect(await collect(its.subjects.pages({ pk: messages.pk }))).toHaveLength(stored.length + 1);
  });

  test('an empty place has no pages', async () => {
    expect(await gather(memoryStore().its.subjects.pages({ pk: 'C#9' }), (page) => page)).toEqual([]);
  });

  test('an item is read by its key', async () => {
    const { its, table } = memoryStore();
    const user = itemOf('user', { name: 'n' });
    await table.write({ put: user });
    expect(await its.subjects.get(bareKey(user))).toEqual(user);
    expect(await its.subjects.get(bareKey(itemOf('sensor')))).toBeNull();
  });
});

test('the leads of an erasure are kept until each is dropped, apart from those of other erasures', async () => {
  const { subjects } = memoryStore().its;
  const user = { kind: 'user', id: '7', accountKey: 'key' } as const;
  const sensor = { kind: 'sensor', id: SENSOR } as const;
  for (const lead of [user, sensor, sensor]) await subjects.keepLead(job, lead);
  await subjects.keepLead({ ...job, id: 'job2' }, sensor);
  await subjects.keepLead({ ...job, customerId: OTHER_HOME }, sensor);
  expect(await subjects.leads(job)).toMatchObject([sensor, user]);
  await subjects.dropLead(job, sensor);
  expect(await subjects.leads(job)).toMatchObject([user]);
  expect(await subjects.leads({ ...job, id: 'job2' })).toMatchObject([sensor]);
});

test('an erased customer is removed from where readers find it, once', async () => {
  const { its } = memoryStore();
  for (const id of [HOME, OTHER_HOME]) await its.customers.create(some({ id, name: `home ${id}` }));
  expect([await its.subjects.dropCustomer(HOME), await its.subjects.dropCustomer(HOME)]).toEqual([true, false]);
  expect(await its.customers.get(HOME)).toBeNull();
  expect((await its.customers.list()).map(({ id }) => id)).toEqual([OTHER_HOME]);
});

test('an erased sensor is marked without its id, and with whether the erasure is still running', async () => {
  const { its, table } = memoryStore();
  const mark = () => table.get<{ goesOn?: true }>(items.erasedSensor({ customerId: HOME, hash: hashOf(SENSOR) }));
  await its.subjects.markErased(HOME, SENSOR, now, true);
  expect([await its.sensors.wasErased(HOME, SENSOR), (await mark())?.goesOn]).toEqual([true, true]);
  expect(JSON.stringify(await mark())).not.toContain(SENSOR);
  await its.subjects.markErased(HOME, SENSOR, now, false);
  expect([await its.sensors.wasErased(HOME, SENSOR), (await mark())?.goesOn]).toEqual([true, undefined]);
  expect(await its.sensors.wasErased(OTHER_HOME, SENSOR)).toBe(false);
});

describe('erasing items', () => {
  test('an item is removed once', async () => {
    const { its, table } = memoryStore();
    const user = itemOf('user', { name: 'n' });
    await table.write({ put: user });
    expect([await its.subjects.remove(user), await its.subjects.remove(user)]).toEqual([true, false]);
    expect(await its.subjects.get(bareKey(user))).toBeNull();
  });

  test('an item is replaced only if it has not changed since it was read', async () => {
    const { its, table } = memoryStore();
    const read = itemOf('ruleHit', { updateDate: now, sensorId: SENSOR });
    const reduced = { ...read, sensorId: '' };
    expect([await its.subjects.replace(read, reduced), await its.subjects.get(bareKey(read))]).toEqual([false, null]);
    await table.write({ put: { ...read, updateDate: now + 1 } });
    expect(await its.subjects.replace(read, reduced)).toBe(false);
    await table.write({ put: read });
    expect(await its.subjects.replace(read, reduced)).toBe(true);
    expect(await its.subjects.get(bareKey(read))).toEqual(reduced);
  });

  test('an item without a date of change is replaced only if what is reduced has not changed', async () => {
    const { its, table } = memoryStore();
    const read = itemOf('roster', { entries: [{ userId: NURSE }] });
    const changed = { ...read, entries: [{ userId: NURSE }, { userId: COLLEAGUE }] };
    await table.write({ put: changed });
    expect(await its.subjects.replace(read, { ...read, entries: [] })).toBe(false);
    expect(await its.subjects.get(bareKey(read))).toEqual(changed);
  });

  test('counts stay exact while a user is removed from the emergency contacts', async () => {
    const { its } = memoryStore();
    await its.customers.create(some({ id: HOME, name: 'n', updateDate: 5 }));
    await its.customers.setEmergencyContacts(HOME, [{ userId: NURSE, by: 'sms' }], 6);
    const read = await its.subjects.get(items.customer({ customerId: HOME }));
    await its.bots.create(some({ id: 2, customerId: HOME, name: 'b' }), 10);
    if (!read) throw new Error('no customer');
    expect(await its.subjects.replace(read, { ...read, emergencyContacts: [] })).toBe(true);
    const after = await its.subjects.get(items.customer({ customerId: HOME }));
    expect(after).toMatchObject({ bots: 1, emergencyContacts: [] });
  });

  test('a reduced item loses the attributes that the reduction leaves out', async () => {
    const { its, table } = memoryStore();
    const reduced = itemOf('ruleHit', { updateDate: now - 1, sensorId: SENSOR });
    const read = { ...reduced, updateDate: now, cause: { a: 1 } };
    await table.write({ put: read });
    expect([await its.subjects.replace(read, reduced), await its.subjects.get(bareKey(read))]).toEqual([true, reduced]);
  });

  test('an item without a date of change is replaced unless it is gone', async () => {
    const { its, table } = memoryStore();
    const read = itemOf('roster', { entries: [{ userId: 7 }] });
    const reduced = { ...read, entries: [] };
    expect([await its.subjects.replace(read, reduced), await its.subjects.get(bareKey(read))]).toEqual([false, null]);
    await table.write({ put: read });
    expect([await its.subjects.replace(read, reduced), await its.subjects.get(bareKey(read))]).toEqual([true, reduced]);
  });
});
