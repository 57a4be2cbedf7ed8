import { describe, expect, test } from 'vitest';
import { detachSubject } from '#functions/workers/data-jobs/detach-subject.ts';
import type { DataJob } from '#shared/domain/identity/data-job.ts';
import { items } from '#shared/store/table.ts';
import { some } from '#test/fixtures/alarm-stubs.ts';
import { createJobWorld, jobAt } from '#test/fixtures/data-jobs.ts';
import { HOME, OTHER_HOME } from '#test/fixtures/store-sensors.ts';
import { NOW } from '#test/fixtures/stub-deps.ts';

const sensorId = 'id_a';
const ofUser = jobAt(NOW);
const ofSensor = jobAt(NOW, { subject: { kind: 'sensor', id: sensorId } });
const ofCustomer = jobAt(NOW, { subject: { kind: 'customer', id: HOME } });

const createWorld = async (job: DataJob) => {
  const world = await createJobWorld();
  const { its, deps } = world;
  await its.dataJobs.create(job);
  return {
    ...world,
    detach: () => detachSubject(deps, job),
    counts: async () => (await its.dataJobs.get(job))?.counts,
    leads: async () => (await its.subjects.leads(job)).map(({ kind, id }) => `${kind} ${id}`),
    account: (id: number) => its.sessions.account(`key ${id}`),
  };
};

describe('an erased user', () => {
  test('the user and the account go, and a lead stays', async () => {
    const { its, hire, detach, counts, leads, account } = await createWorld(ofUser);
    await hire(7);
    await hire(8);
    await detach();
    expect([await its.users.get(HOME, 7), await account(7)]).toEqual([null, null]);
    expect(await its.users.get(HOME, 8)).not.toBeNull();
    expect([await counts(), await leads()]).toEqual([{ user: 1 }, ['user 7']]);
  });

  test('a user deleted before still leads to older data, and is not counted', async () => {
    const { its, hire, detach, counts, leads } = await createWorld(ofUser);
    await hire(7);
    const user = await its.users.get(HOME, 7);
    await its.users.remove(some(user as object), NOW);
    await detach();
    expect(await counts()).toEqual({});
    expect(await its.subjects.leads(ofUser)).toMatchObject([{ accountKey: 'key 7' }]);
    expect(await leads()).toEqual(['user 7']);
  });

  test('an unknown user leaves no lead', async () => {
    const { detach, counts, leads } = await createWorld(ofUser);
    await detach();
    expect([await counts(), await leads()]).toEqual([{}, []]);
  });

  test('a user whose rights change in the meantime is read again', async () => {
    const { its, hire, detach, account } = await createWorld(ofUser);
    await hire(7);
    const { remove } = its.users;
    let changed = false;
    its.users.remove = async (user, now) => {
      if (!changed)
        await its.users.setAccess(user, { canLogin: true, isAdmin: false, permissions: ['manage_rules'] }, now);
      changed = true;
      return remove(user, now);
    };
    await detach();
    expect([await its.users.get(HOME, 7), await account(7)]).toEqual([null, null]);
  });

  test('an operator who belongs to no customer is found', async () => {
    const { its, hire, detach, counts } = await createWorld({ ...ofUser, customerId: 0 });
    await hire(7, { customerId: null });
    await detach();
    expect([await its.users.get(null, 7), await counts()]).toEqual([null, { user: 1 }]);
  });
});

describe('an erased sensor', () => {
  test('the sensor and its device go, and it cannot be linked until the erasure ends', async () => {
    const { its, table, link, register, detach, counts } = await createWorld(ofSensor);
    await link(sensorId);
    await detach();
    expect([await its.sensors.get(HOME, sensorId), await counts()]).toEqual([null, { sensor: 1 }]);
    expect(await table.get(items.device({ hash: 't1' }))).toBeNull();
    expect([await its.sensors.wasErased(HOME, sensorId), await register(sensorId, 't2')]).toEqual([true, 'done']);
    expect(await link(sensorId)).toBe('being_erased');
  });

  test('a sensor that has left the customer is marked, but stays with its new owner', async () => {
    const { its, link, detach, counts } = await createWorld({ ...ofSensor, customerId: OTHER_HOME });
    await link(sensorId);
    await detach();
    expect([await its.sensors.wasErased(OTHER_HOME, sensorId), await counts()]).toEqual([true, {}]);
    expect(await its.sensors.get(HOME, sensorId)).not.toBeNull();
    const back = { to: OTHER_HOME, most: 5, now: NOW };
    expect(await its.sensorOwners.move(HOME, sensorId, back)).toBe('being_erased');
  });
});

describe('an erased customer', () => {
  test('accounts, devices and the customer go, leads stay, and each kind is counted', async () => {
    const { its, table, register, link, hire, detach, counts, leads, account } = await createWorld(ofCustomer);
    await register('id_b', 't2');
    for (const id of [sensorId, 'id_b']) await link(id);
    for (const id of [7, 8]) await hire(id);
    await table.write({ put: items.webhook({ customerId: HOME, webhookId: 'hook' }) });
    await detach();
    expect((await leads()).sort()).toEqual(['sensor id_a', 'sensor id_b', 'user 7', 'user 8', 'webhook hook']);
    expect([await its.customers.get(HOME), await account(7), await account(8)]).toEqual([null, null, null]);
    expect([await table.get(items.device({ hash: 't1' })), await table.get(items.device({ hash: 't2' }))]).toEqual([
      null,
      null,
    ]);
    expect(await counts()).toMatchObject({ customer: 1, account: 2, sensor: 2, device: 2, owner: 2, hardware: 2 });
    expect(await its.sensors.wasErased(HOME, sensorId)).toBe(true);
  });

  test('a second run counts nothing again', async () => {
    const { link, hire, detach, counts } = await createWorld(ofCustomer);
    await link(sensorId);
    await hire(7);
    await detach();
    const before = await counts();
    await detach();
    expect(await counts()).toEqual(before);
  });
});
