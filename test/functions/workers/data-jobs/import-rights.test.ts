import { describe, expect, test } from 'vitest';
import type { JobDeps } from '#functions/workers/data-jobs/deps.ts';
import { lostRights } from '#functions/workers/data-jobs/import-rights.ts';
import { some } from '#test/fixtures/alarm-stubs.ts';
import { stubDeps } from '#test/fixtures/stub-deps.ts';

const customerId = 7;
const importer = { id: 1, customerId, canLogin: true, isAdmin: false, permissions: ['manage_users', 'manage_bots'] };
const nurse = { id: 2, customerId, canLogin: true, isAdmin: false, permissions: ['manage_bots'] };

type RightsWorld = {
  imported?: 'users' | 'sensors' | 'rules';
  by?: object;
  home?: number | null;
  known?: object | null;
};
/** Returns the rights that the importer lacks for a step, or null if there are none. */
const lacked = async (
  step: object,
  { imported = 'users', by = {}, home = customerId, known = nurse }: RightsWorld = {},
) => {
  const caller = { ...importer, ...by };
  const users: Record<number, object | null> = { 1: caller, 2: known };
  const store = {
    customers: { ownerOf: async (_: string, id: number) => (id === 1 ? home : null) },
    users: { get: async (_: number, id: number) => users[id] ?? null },
  };
  const job = { actor: { kind: 'user', id: '1', name: 'Nora' }, customerId, imported };
  return lostRights(stubDeps<JobDeps>(store).deps, some(job), some(step));
};
const missing = (field: string, choices: string) => ({ field, problem: 'not_held', values: { choices } });
const update = (more: object) => ({ do: 'update_user', id: 2, ...more });

describe('the rights of the importer', () => {
  test('an importer who still has all rights lacks none', async () => {
    expect(await lacked({ do: 'create_user', user: { permissions: ['manage_bots'] } })).toBeNull();
    expect(await lacked(update({ profile: {}, permissions: ['manage_bots'] }))).toBeNull();
    expect(
      await lacked({ do: 'create_rule' }, { imported: 'rules', by: { permissions: ['manage_rules'] } }),
    ).toBeNull();
  });

  test('an importer who lost the permission, the login or the customer may do nothing', async () => {
    const step = { do: 'create_user', user: { permissions: [] } };
    const nothing = missing('username', 'manage_users');
    for (const world of [{ by: { permissions: [] } }, { by: { canLogin: false } }, { home: null }, { home: 8 }])
      expect([world, await lacked(step, world)]).toEqual([world, nothing]);
    // System admins belong to no customer.
    expect(await lacked(step, { home: 0, by: { isAdmin: true } })).toBeNull();
  });

  test('an importer can only give permissions that they hold', async () => {
    const permissions = ['manage_bots', 'manage_rules', 'manage_sensors'];
    const both = missing('username', 'manage_rules, manage_sensors');
    expect(await lacked({ do: 'create_user', user: { permissions } })).toEqual(both);
    expect(await lacked(update({ permissions }), { known: { ...nurse, permissions: [] } })).toEqual(both);
    expect(await lacked(update({ permissions }), { known: { ...nurse, isAdmin: true } })).toEqual(both);
    // The user already has this permission.
    const known = { ...nurse, permissions: ['manage_rules'] };
    const by = { permissions: ['manage_users', 'manage_rules'] };
    expect(await lacked(update({ permissions: ['manage_rules'] }), { known, by })).toBeNull();
    expect(await lacked(update({ permissions: ['manage_rules'] }), { known })).toEqual(missing('username', 'isAdmin'));
  });

  test("only a system admin can change a system admin's rights or profile", async () => {
    const known = { ...nurse, isAdmin: true };
    const refused = missing('username', 'isAdmin');
    for (const step of [update({ permissions: [] }), update({ profile: {} }), update({ profile: {}, permissions: [] })])
      expect([step, await lacked(step, { known })]).toEqual([step, refused]);
    expect(await lacked(update({}), { known })).toBeNull();
    expect(await lacked(update({ profile: {}, permissions: [] }), { known, by: { isAdmin: true } })).toBeNull();
  });

  test("an importer with fewer permissions than a user can change the user's profile, but not their rights", async () => {
    const known = { ...nurse, permissions: ['manage_rules'] };
    expect(await lacked(update({ profile: {} }), { known })).toBeNull();
    expect(await lacked(update({ permissions: [] }), { known })).toEqual(missing('username', 'isAdmin'));
    expect(await lacked(update({ profile: {}, permissions: [] }), { known })).toEqual(missing('username', 'isAdmin'));
  });

  test('missing users are left to the step itself', async () => {
    expect(await lacked(update({ permissions: ['manage_rules'] }), { known: null })).toBeNull();
  });

  test('only system admins can link sensors, and renaming needs edit_sensor_config', async () => {
    const world = { imported: 'sensors', by: { permissions: ['manage_sensors'] } } as const;
    expect(await lacked({ do: 'link_sensor' }, world)).toEqual(missing('hardwareId', 'isAdmin'));
    expect(await lacked({ do: 'rename_sensor' }, world)).toEqual(missing('hardwareId', 'edit_sensor_config'));
    const admin = { imported: 'sensors', by: { isAdmin: true } } as const;
    expect([await lacked({ do: 'link_sensor' }, admin), await lacked({ do: 'rename_sensor' }, admin)]).toEqual([
      null,
      null,
    ]);
  });
});
