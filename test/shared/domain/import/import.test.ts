import { expect, test } from 'vitest';
import { NewUser } from '#shared/domain/identity/user.ts';
import { IMPORT_DEADLINE, importPermissions } from '#shared/domain/import/import-job.ts';
import { ImportRows, importColumns, MAX_ROWS } from '#shared/domain/import/import-view.ts';
import { ImportedSensor } from '#shared/domain/import/imported-sensor.ts';

test('an import requires the permission for the imported rows', () => {
  expect(importPermissions).toEqual({ users: 'manage_users', sensors: 'manage_sensors', rules: 'manage_rules' });
  expect(IMPORT_DEADLINE).toBe(6 * 3_600_000);
});

test('an import has 1 to 1,000 rows, with the columns for its row type', () => {
  const rows = (count: number) => ImportRows.safeParse(Array(count).fill({ name: 'n' })).success;
  expect([0, 1, MAX_ROWS, MAX_ROWS + 1].map(rows)).toEqual([false, true, true, false]);
  expect(MAX_ROWS).toBe(1_000);
  expect(Object.keys(importColumns)).toEqual(['users', 'sensors', 'rules']);
  for (const column of importColumns.users) expect(Object.keys(NewUser.shape)).toContain(column);
  expect(Object.keys(ImportedSensor.shape)).toEqual(importColumns.sensors);
});

test('an imported sensor needs no name or group', () => {
  const sensor = { hardwareId: '02005E100001' };
  expect(ImportedSensor.parse(sensor)).toEqual(sensor);
  expect(ImportedSensor.safeParse({ ...sensor, name: 'n'.repeat(64), group: 'g'.repeat(64) }).success).toBe(true);
  for (const more of [
    { name: '' },
    { name: 'n'.repeat(65) },
    { group: '' },
    { group: 'g'.repeat(65) },
    { hardwareId: 1 },
  ])
    expect(ImportedSensor.safeParse({ ...sensor, ...more }).success).toBe(false);
});
