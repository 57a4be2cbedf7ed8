import { beforeEach, describe, expect, test } from 'vitest';
import { runImport } from '#functions/workers/data-jobs/import.ts';
import type { Permission } from '#shared/domain/identity/permission.ts';
import type { ImportJob, ImportStep } from '#shared/domain/import/import-job.ts';
import { some } from '#test/fixtures/alarm-stubs.ts';
import { createJobWorld, importOf, type JobWorld } from '#test/fixtures/data-jobs.ts';
import { HOME } from '#test/fixtures/store-sensors.ts';
import { NOW } from '#test/fixtures/stub-deps.ts';

const RETRY = NOW + 360_000;
const rights: Permission[] = ['manage_users', 'manage_sensors', 'manage_rules', 'edit_sensor_config', 'manage_bots'];
const problem = (name: string, field: string, values?: object) => ({
  row: 1,
  field,
  problem: name,
  ...(values && { values }),
});
const changedSince = (field: string) => [problem('changed_since', field)];
const profile = { firstName: 'Ben', lastName: 'Birch', email: 'ben@example.org', locale: 'de' };

let world: JobWorld;
beforeEach(async () => {
  world = await createJobWorld({ passwords: { hash: async () => 'hash' } });
  await world.hire(7, { permissions: rights, firstName: 'Anna', lastName: 'Ash', email: 'anna@example.org' });
});

/** Imports the steps, and returns the job. The importer is user 7. */
const run = async (
  steps: readonly object[],
  fields: Partial<ImportJob> = {},
  timeLeft: () => number = () => 60_000,
) => {
  const job = importOf(fields);
  await world.its.imports.create(job, steps as ImportStep[], '192.0.2.1');
  await runImport(world.deps, job, { retry: RETRY, timeLeft });
  return world.its.imports.get(job);
};
/** Applies a single step, and returns the problems. */
const apply = async (step: object, imported: ImportJob['imported'] = 'users') =>
  (await run([{ row: 1, ...step }], { imported }))?.problems;

describe('a new user', () => {
  const user = {
    id: 9,
    customerId: HOME,
    username: 'ben',
    ...profile,
    permissions: ['manage_bots'],
    isAdmin: false,
    canLogin: true,
  };
  const step = { do: 'create_user', user, accountKey: 'key 9' };

  test('the user is created and invited, with a password that no one knows', async () => {
    const hashed: string[] = [];
    world.deps.passwords.hash = async (password) => {
      hashed.push(password);
      return 'hash';
    };
    expect(await apply(step)).toEqual([]);
    expect(await world.its.users.get(HOME, 9)).toMatchObject(user);
    expect(Buffer.from(hashed[0] ?? '', 'base64url')).toHaveLength(32);
    expect(world.mails).toEqual([['ben@example.org', expect.any(String), expect.stringContaining('ben')]]);
    expect(await world.auditLines()).toEqual(['createUser user 9 username firstName lastName email permissions']);
  });

  test('a user created by a run that ended early is invited again', async () => {
    await world.its.users.create(some(user), 'key 9', 'hash', 10);
    expect([await apply(step), world.mails.length]).toEqual([[], 1]);
  });

  test('a username that someone has registered since is a problem', async () => {
    await world.hire(8, { username: 'ben' });
    expect([await apply(step), world.mails]).toEqual([[problem('taken', 'username')], []]);
    expect(await world.auditLines()).toEqual([]);
  });

  test('another user with the same number is not taken for this one', async () => {
    await world.hire(9);
    const refusal = await apply({ ...step, user: { ...user, username: 'user9' }, accountKey: 'another key' });
    expect([refusal, world.mails]).toEqual([[problem('taken', 'username')], []]);
  });

  test('the quota of users applies', async () => {
    world.deps.quotas.users = 1;
    expect([await apply(step), world.mails]).toEqual([[problem('limit', 'username', { limit: 1 })], []]);
  });

  test('a customer deleted since is a problem', async () => {
    world.its.users.create = async () => 'customer_unknown';
    expect(await apply(step)).toEqual(changedSince('username'));
  });
});

describe('a changed user', () => {
  const update = (fields: object) => ({ do: 'update_user', id: 8, profile: null, permissions: null, ...fields });
  beforeEach(() => world.hire(8, { ...profile, firstName: 'Benno', permissions: ['manage_bots'] }));
  const stored = () => world.its.users.get(HOME, 8);

  test('only the profile changes, or only the permissions', async () => {
    expect(await apply(update({ profile }))).toEqual([]);
    expect(await stored()).toMatchObject({ ...profile, permissions: ['manage_bots'], updateDate: NOW });
    expect(await apply(update({ permissions: ['manage_rules', 'manage_bots'] }))).toEqual([]);
  });

  test('both change, and have a line each', async () => {
    const permissions = ['manage_rules', 'manage_bots'];
    expect(await apply(update({ profile, permissions }))).toEqual([]);
    expect(await stored()).toMatchObject({ ...profile, permissions, canLogin: true, isAdmin: false });
    expect(await world.auditLines()).toEqual(['updateUser user 8 firstName', 'setUserAccess user 8 permissions']);
  });

  test('a user who may not log in stays so', async () => {
    const before = await stored();
    await world.its.users.setAccess(some(before as object), { canLogin: false, isAdmin: false, permissions: [] }, NOW);
    expect(await apply(update({ permissions: ['manage_bots'] }))).toEqual([]);
    expect(await stored()).toMatchObject({ canLogin: false, permissions: ['manage_bots'] });
  });

  test('a user deleted since is a problem', async () => {
    expect(await apply({ ...update({ permissions: [] }), id: 99 })).toEqual(changedSince('username'));
  });

  test('an import never changes an email address', async () => {
    const moved = { ...profile, email: 'other@example.org' };
    expect(await apply(update({ profile: moved, permissions: [] }))).toEqual(changedSince('username'));
    expect(await stored()).toMatchObject({ email: 'ben@example.org', permissions: ['manage_bots'] });
  });

  test('permissions stay if the profile could not be changed', async () => {
    world.its.users.setProfile = async () => false;
    expect(await apply(update({ profile, permissions: [] }))).toEqual(changedSince('username'));
    expect(await stored()).toMatchObject({ permissions: ['manage_bots'] });
    expect(await world.auditLines()).toEqual([]);
  });

  test('permissions changed by someone else in the meantime are a problem', async () => {
    world.its.users.setAccess = async () => false;
    expect(await apply(update({ permissions: [] }))).toEqual(changedSince('username'));
  });
});

test('a sensor is linked for a system admin', async () => {
  await world.its.users.setAccess(
    some((await world.its.users.get(HOME, 7)) as object),
    { canLogin: true, isAdmin: true, permissions: rights },
    NOW,
  );
  expect(await apply({ do: 'link_sensor', sensorId: 'id_a' }, 'sensors')).toEqual([]);
  expect(await world.its.sensors.get(HOME, 'id_a')).not.toBeNull();
});

describe('groups', () => {
  const create = { do: 'create_group', id: 5, name: 'Ground floor' };
  const join = (fields: object) => ({ do: 'join_group', groupId: 5, sensorIds: ['id_a'], ...fields });
  const group = (id: number, name: string, sensorIds: string[] = []) =>
    world.its.sensorGroups.create(some({ id, name, customerId: HOME, createDate: 1, updateDate: 1, sensorIds }), 10);
  const groups = () => world.its.sensorGroups.list(HOME);

  test('a group is created empty, and gets its sensors later', async () => {
    await world.link('id_a');
    expect(await apply(create, 'sensors')).toEqual([]);
    expect(await groups()).toMatchObject([{ id: 5, name: 'Ground floor', sensorIds: [], createDate: NOW }]);
    expect(await world.auditLines()).toEqual(['createSensorGroup sensor_group 5 name']);
  });

  test('a group with the same number or name exists already', async () => {
    await group(5, 'Another');
    expect([await apply(create, 'sensors'), (await groups()).length]).toEqual([[], 1]);
    const same = { ...create, id: 6, name: 'Another' };
    expect((await run([{ row: 1, ...same }], { id: '2'.repeat(26), imported: 'sensors' }))?.problems).toEqual([]);
    expect([(await groups()).length, await world.auditLines()]).toEqual([1, []]);
  });

  test('the quota of groups applies', async () => {
    world.deps.quotas.sensorGroups = 1;
    await group(6, 'Another');
    expect(await apply(create, 'sensors')).toEqual([problem('limit', 'group', { limit: 1 })]);
  });

  test('a group that cannot be created for another reason is a problem', async () => {
    world.its.sensorGroups.create = async () => 'customer_unknown' as never;
    expect(await apply(create, 'sensors')).toEqual(changedSince('group'));
  });

  test('sensors join those already in the group, each once', async () => {
    await world.register('id_b', 't2');
    for (const id of ['id_a', 'id_b']) await world.link(id);
    await group(5, 'Ground floor', ['id_b']);
    expect(await apply(join({ sensorIds: ['id_a', 'id_b'] }), 'sensors')).toEqual([]);
    expect(await groups()).toMatchObject([{ sensorIds: ['id_a', 'id_b'], updateDate: NOW }]);
    expect(await world.auditLines()).toEqual(['updateSensorGroup sensor_group 5 sensorIds']);
  });

  test('a sensor that has left is a problem, and the others join', async () => {
    await world.link('id_a');
    await group(5, 'Ground floor');
    expect(await apply(join({ sensorIds: ['id_a', 'id_b'] }), 'sensors')).toEqual(changedSince('group'));
    expect(await groups()).toMatchObject([{ sensorIds: ['id_a'] }]);
  });

  test('a new group that another import has created is found by its name, unless two have it', async () => {
    await world.link('id_a');
    await group(6, 'Ground floor');
    await group(8, 'First floor');
    expect(await apply(join({ name: 'Ground floor' }), 'sensors')).toEqual([]);
    expect(await groups()).toMatchObject([
      { id: 6, sensorIds: ['id_a'] },
      { id: 8, sensorIds: [] },
    ]);
    await group(7, 'Ground floor');
    const again = { row: 1, ...join({ name: 'Ground floor' }) };
    expect((await run([again], { id: '2'.repeat(26), imported: 'sensors' }))?.problems).toEqual(changedSince('group'));
  });

  test('an existing group that was deleted since is a problem', async () => {
    await world.link('id_a');
    await group(6, 'Ground floor');
    expect(await apply(join({}), 'sensors')).toEqual(changedSince('group'));
    expect(await apply(join({ name: 'Attic' }), 'sensors')).not.toEqual([]);
  });

  test('a group changed by someone else in the meantime is a problem', async () => {
    await world.link('id_a');
    await group(5, 'Ground floor');
    world.its.sensorGroups.put = async () => 'changed' as never;
    expect(await apply(join({}), 'sensors')).toEqual(changedSince('group'));
  });
});

describe('rules', () => {
  const rule = (fields: object = {}) => ({
    ...{
      id: 4,
      customerId: HOME,
      name: 'Falls',
      title: 't',
      message: 'm',
      situation: 'fall_detected',
      isEnabled: true,
    },
    ...{ sensorId: null, sensorGroupId: null, regionId: null, schedule: null, rateLimitSeconds: 60 },
    ...{ recipients: [{ onDuty: true, by: 'sms' }], escalation: [], createDate: NOW, updateDate: NOW, ...fields },
  });
  const create = (fields: object = {}) => apply({ do: 'create_rule', rule: rule(fields) }, 'rules');
  const update = (fields: object = {}) => apply({ do: 'update_rule', rule: rule(fields) }, 'rules');
  const store = (fields: object = {}) =>
    world.its.rules.create(some(rule(fields)), { rules: 10, rulesOfOneSituation: 10 });
  const names = async () => (await world.its.rules.list(HOME)).map(({ id, name }) => `${id} ${name}`);

  test('a rule is created and recorded', async () => {
    expect([await create(), await names()]).toEqual([[], ['4 Falls']]);
    expect(await world.auditLines()).toEqual([
      expect.stringMatching(/^createRule rule 4 name title message situation/),
    ]);
  });

  test.each([{ name: 'Other' }, { id: 3 }])(
    'a rule with the same number or name exists already (%o)',
    async (fields) => {
      await store(fields);
      const before = await names();
      expect([await create(), await names(), await world.auditLines()]).toEqual([[], before, []]);
    },
  );

  test.each(['rules', 'rulesOfOneSituation'] as const)('the quota %s applies to new rules', async (name) => {
    world.deps.quotas[name] = 1;
    await store({ id: 3, name: 'Other' });
    expect(await create()).toEqual([problem('limit', 'name', { limit: 1 })]);
  });

  test('a recipient deleted since is a problem', async () => {
    const recipients = [{ botId: 1, webhookId: '00000000-0000-4000-8000-000000000001' }];
    expect([await create({ recipients }), await world.auditLines()]).toEqual([changedSince('recipients'), []]);
  });

  test('a rule is replaced, with a later date', async () => {
    await store({ updateDate: NOW + 5 });
    expect(await update({ title: 'Fall!' })).toEqual([]);
    expect(await world.its.rules.get(HOME, 4)).toMatchObject({ title: 'Fall!', updateDate: NOW + 6 });
    expect(await world.auditLines()).toEqual(['updateRule rule 4 title']);
  });

  test('a rule changed long ago gets the current date', async () => {
    await store({ updateDate: 1 });
    await update({ title: 'Fall!' });
    expect(await world.its.rules.get(HOME, 4)).toMatchObject({ updateDate: NOW });
  });

  test('a rule deleted or changed since is a problem', async () => {
    expect(await update()).toEqual(changedSince('name'));
    await store();
    world.its.rules.replace = async () => 'changed';
    const step = { row: 1, do: 'update_rule', rule: rule({ title: 'x' }) };
    expect((await run([step], { id: '2'.repeat(26), imported: 'rules' }))?.problems).toEqual(changedSince('name'));
  });

  test('the quota of enabled rules for a situation applies to changed rules', async () => {
    world.deps.quotas.rulesOfOneSituation = 1;
    await store({ isEnabled: false });
    await store({ id: 3, name: 'Other' });
    expect(await update()).toEqual([problem('limit', 'name', { limit: 1 })]);
  });
});
