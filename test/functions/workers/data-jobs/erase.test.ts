import { describe, expect, test } from 'vitest';
import { eraseItems } from '#functions/workers/data-jobs/erase.ts';
import { type DataJob, LAST_PASS_AFTER } from '#shared/domain/identity/data-job.ts';
import { changes } from '#shared/store/engine/request.ts';
import type { Lead } from '#shared/store/subjects/subjects.ts';
import { items } from '#shared/store/table.ts';
import { some } from '#test/fixtures/alarm-stubs.ts';
import { createJobWorld, type JobWorld, jobAt } from '#test/fixtures/data-jobs.ts';
import { deliveryTo, snapshotOf } from '#test/fixtures/delivery-stubs.ts';
import { HOME } from '#test/fixtures/store-sensors.ts';
import { NOW } from '#test/fixtures/stub-deps.ts';

const NURSE = 7;
const sensorId = 'id_a';
const webhookId = '00000000-0000-4000-8000-000000000001';
const ofUser = jobAt(NOW);
const ofSensor = jobAt(NOW, { subject: { kind: 'sensor', id: sensorId } });
const lead: Lead = { kind: 'user', id: String(NURSE), accountKey: 'key' };
const nurse = { userId: NURSE, by: 'sms' };
const other = { userId: 8, by: 'email' };
const quotas = { rules: 10, rulesOfOneSituation: 10 };

const createWorld = async () => {
  const world = await createJobWorld();
  await world.its.dataJobs.create(ofUser);
  return world;
};
const createRule = async ({ its }: JobWorld, id: number, fields: object) => {
  const rule = {
    ...{ id, customerId: HOME, name: `rule ${id}`, createDate: NOW - 9, updateDate: NOW - 9, isEnabled: true },
    ...{ situation: 'fall_detected', sensorId: null, sensorGroupId: null, regionId: null, escalation: [] },
    ...fields,
  };
  expect(await its.rules.create(some(rule), quotas)).toBe('done');
};
const erase = ({ deps }: JobWorld, job: DataJob, timeLeft = 60_000) =>
  eraseItems(deps, job, job.subject.kind === 'user' ? [lead] : [], () => timeLeft);

describe('rules of an erased user', () => {
  test('other recipients stay, and users on duty replace a user who was alone', async () => {
    const world = await createWorld();
    const step = (afterSeconds: number, ...recipients: object[]) => ({ afterSeconds, recipients });
    await createRule(world, 1, { recipients: [other, nurse], escalation: [step(30, nurse), step(60, nurse, other)] });
    await createRule(world, 2, { recipients: [nurse, { ...nurse, by: 'email' }] });
    await createRule(world, 3, { recipients: [other], escalation: [step(30, nurse)] });
    await createRule(world, 4, { recipients: [other], escalation: [step(30, other)] });
    expect(await erase(world, ofUser)).toEqual({ erased: 3, left: 'nothing' });
    const onDuty = { onDuty: true, by: 'sms' };
    expect(await world.its.rules.list(HOME)).toMatchObject([
      { id: 1, recipients: [other], escalation: [step(30, onDuty), step(60, other)], updateDate: NOW },
      { id: 2, recipients: [onDuty], updateDate: NOW },
      { id: 3, recipients: [other], escalation: [step(30, onDuty)], updateDate: NOW },
      { id: 4, recipients: [other], escalation: [step(30, other)], updateDate: NOW - 9 },
    ]);
  });

  test('a rule changed in the same millisecond or before the clock was set back gets a later date', async () => {
    const world = await createWorld();
    await createRule(world, 1, { recipients: [nurse, other], updateDate: NOW });
    await createRule(world, 2, { recipients: [nurse, other], updateDate: NOW + 5 });
    await erase(world, ofUser);
    expect((await world.its.rules.list(HOME)).map(({ updateDate }) => updateDate)).toEqual([NOW + 1, NOW + 6]);
  });
});

test('an erasure of a sensor removes its rules, and a user with the same id stays in others', async () => {
  const world = await createWorld();
  await world.link(sensorId);
  await createRule(world, 1, { recipients: [nurse], sensorId });
  await createRule(world, 2, { recipients: [nurse] });
  expect((await erase(world, ofSensor)).erased).toBeGreaterThan(1);
  expect(await world.its.rules.list(HOME)).toMatchObject([{ id: 2, recipients: [nurse], updateDate: NOW - 9 }]);
});

describe('deliveries about an erased subject', () => {
  const toNurse = (fields: object) =>
    deliveryTo('sms', { customerId: HOME, person: { ...nurse, name: 'Anna' }, ...fields });
  const store = async (world: JobWorld, delivery: ReturnType<typeof toNurse>) => {
    await world.its.deliveries.create(delivery, false);
    return () => world.its.deliveries.get(HOME, delivery.webhookId, delivery.id);
  };

  test.each(['delivered', 'failed'])('a delivery that has %s is removed once no task can be pending', async (state) => {
    const world = await createWorld();
    const read = await store(world, toNurse({ state, updateDate: NOW + 1 - LAST_PASS_AFTER }));
    expect(await erase(world, ofUser)).toEqual({ erased: 1, left: 'later' });
    expect(await read()).not.toBeNull();
    expect((await world.its.dataJobs.get(ofUser))?.counts).toEqual({});
    world.pass(1);
    expect(await erase(world, ofUser)).toEqual({ erased: 1, left: 'nothing' });
    expect(await read()).toBeNull();
    expect((await world.its.dataJobs.get(ofUser))?.counts).toEqual({ personDelivery: 1 });
  });

  test('a pending delivery is canceled first, and one that is being sent may finish', async () => {
    const world = await createWorld();
    const pending = await store(world, toNurse({ id: '1'.repeat(26), state: 'pending', updateDate: 1 }));
    const sending = await store(
      world,
      toNurse({ id: '2'.repeat(26), state: 'sending', leaseUntil: NOW + 1, updateDate: 1 }),
    );
    expect(await erase(world, ofUser)).toEqual({ erased: 2, left: 'later' });
    expect([await pending(), await sending()]).toMatchObject([
      { state: 'failed', reason: 'canceled', updateDate: NOW },
      { state: 'sending', updateDate: 1 },
    ]);
  });

  const aboutSensor = (fields: object) =>
    toNurse({
      webhookId,
      person: undefined,
      updateDate: 1,
      snapshot: snapshotOf('fall_detected', {
        sensor: { id: sensorId, deviceId: 'd', name: 'Room 1', groupId: 0 },
        customer: { id: HOME, name: 'Elm', location: '' },
      }),
      ...fields,
    });
  const withWebhook = async (isKnown = true) => {
    const world = await createWorld();
    const key = items.webhook({ customerId: HOME, webhookId });
    const former = items.formerWebhook({ customerId: HOME, webhookId });
    await world.table.write({ put: { ...(isKnown ? key : former), held: 1 } });
    return { ...world, held: async () => (await world.table.get<{ held: number }>(key))?.held };
  };

  test('a held delivery is canceled, and its webhook holds one less', async () => {
    const world = await withWebhook();
    const read = await store(world, aboutSensor({ state: 'held' }));
    await erase(world, ofSensor);
    expect([await read(), await world.held()]).toMatchObject([{ state: 'failed', reason: 'canceled' }, 0]);
  });

  test('a delivery held for a deleted webhook is ended as deleted', async () => {
    const world = await withWebhook(false);
    const read = await store(world, aboutSensor({ state: 'held' }));
    await erase(world, ofSensor);
    expect(await read()).toMatchObject({ state: 'failed', reason: 'deleted' });
  });

  test('a canceled delivery leaves the feed, and one that is being sent stays listed', async () => {
    const world = await withWebhook();
    const pending = aboutSensor({ id: '1'.repeat(26), state: 'pending' });
    const sending = aboutSensor({ id: '2'.repeat(26), state: 'sending', leaseUntil: NOW + 1 });
    for (const delivery of [pending, sending]) await world.its.deliveries.createInFeed(some(delivery));
    await erase(world, ofSensor);
    expect(await world.its.feeds.pendingIds({ customerId: HOME, id: webhookId }, 5)).toEqual([sending.id]);
    expect(await world.its.deliveries.get(HOME, webhookId, pending.id)).toMatchObject({ reason: 'canceled' });
    expect(await world.held()).toBe(1);
  });
});

test('an item about others too is reduced instead of removed, and counts', async () => {
  const world = await createWorld();
  const key = items.customer({ customerId: HOME });
  const contacts = (...userIds: number[]) => userIds.map((userId) => ({ userId, by: 'sms' }));
  await world.table.update(key, changes({ set: { emergencyContacts: contacts(NURSE, 8) } }));
  expect(await erase(world, ofUser)).toEqual({ erased: 1, left: 'nothing' });
  expect(await world.its.customers.get(HOME)).toMatchObject({ emergencyContacts: contacts(8) });
  expect((await world.its.dataJobs.get(ofUser))?.counts).toEqual({ customer: 1 });
});

test('an erasure stops after a page when 15 s are left, and counts what it erased', async () => {
  const world = await createWorld();
  const channel = (by: string) => world.table.write({ put: items.channel({ customerId: HOME, userId: NURSE, by }) });
  for (const by of ['sms', 'push']) await channel(by);
  await world.table.write({ put: items.owner({ kind: 'user', id: NURSE }) });
  expect(await erase(world, ofUser, 14_999)).toEqual({ erased: 2, left: 'time' });
  expect((await world.its.dataJobs.get(ofUser))?.counts).toEqual({ channel: 2 });
  expect(await erase(world, ofUser, 15_000)).toEqual({ erased: 1, left: 'nothing' });
  expect((await world.its.dataJobs.get(ofUser))?.counts).toEqual({ channel: 2, owner: 1 });
});
