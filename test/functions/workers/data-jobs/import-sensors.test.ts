import { describe, expect, test } from 'vitest';
import type { AuditedImport } from '#functions/workers/data-jobs/import-audit.ts';
import { linkSensor, renameSensor } from '#functions/workers/data-jobs/import-sensors.ts';
import { some } from '#test/fixtures/alarm-stubs.ts';
import { anna, createJobWorld } from '#test/fixtures/data-jobs.ts';
import { HOME, OTHER_HOME } from '#test/fixtures/store-sensors.ts';
import { NOW } from '#test/fixtures/stub-deps.ts';

const sensorId = 'id_a';
const job: AuditedImport = some({ id: 'import', customerId: HOME, actor: anna, address: '192.0.2.1' });
const changedSince = (field: string) => ({ field, problem: 'changed_since' });

const createWorld = async (quota = 5) => {
  const notified: unknown[][] = [];
  const notify = async (...args: unknown[]) => void notified.push(args);
  const world = await createJobWorld({ quotas: { sensors: quota }, notify });
  const { its, deps } = world;
  Object.assign(deps.settings, { MAX_REPORT_DELAY_SECONDS: 60, SENSOR_INACTIVE_AFTER_SECONDS: 600 });
  return {
    ...world,
    notified,
    linkIt: (id = sensorId) => linkSensor(deps, job, some({ sensorId: id })),
    rename: (name: string, id = sensorId) => renameSensor(deps, job, some({ sensorId: id, name })),
    name: async () => (await its.sensors.get(HOME, sensorId))?.name,
  };
};

describe('linking a sensor', () => {
  test('a sensor that no one owns is linked, recorded, and notified of its new configuration', async () => {
    const { its, linkIt, auditLines, notified } = await createWorld();
    expect(await linkIt()).toBeNull();
    expect(await its.sensors.get(HOME, sensorId)).toMatchObject({ customerId: HOME });
    expect(await auditLines()).toEqual([`linkSensor sensor ${sensorId}`]);
    expect(notified).toEqual([[sensorId, expect.any(String)]]);
  });

  test('a sensor linked by an earlier run counts as linked, and is notified again', async () => {
    const { linkIt, link, notified } = await createWorld();
    await link(sensorId);
    expect(await linkIt()).toBeNull();
    expect(notified).toHaveLength(1);
  });

  test('a sensor that another customer has linked since is a problem, and leaves no audit line', async () => {
    const { its, linkIt, auditLines, notified } = await createWorld();
    await its.sensorOwners.move(0, sensorId, { to: OTHER_HOME, most: 5, now: NOW });
    expect([await linkIt(), await auditLines(), notified]).toEqual([changedSince('hardwareId'), [], []]);
    expect(await its.sensors.get(OTHER_HOME, sensorId)).not.toBeNull();
  });

  test('the quota of sensors applies', async () => {
    const { register, linkIt, auditLines, notified } = await createWorld(1);
    await register('id_b', 't2');
    expect(await linkIt()).toBeNull();
    const refused = { field: 'hardwareId', problem: 'limit', values: { limit: 1 } };
    expect([await linkIt('id_b'), (await auditLines()).length, notified.length]).toEqual([refused, 1, 1]);
  });
});

describe('renaming a sensor', () => {
  test('the name changes, and the line has the operation that renames such a sensor', async () => {
    const { link, register, rename, name, auditLines, pass } = await createWorld();
    await register('id_b', 't2', { manufacturer: 'maker_b' });
    for (const id of [sensorId, 'id_b']) await link(id);
    expect(await rename('Room 12')).toBeNull();
    pass(1);
    expect([await rename('Room 13', 'id_b'), await name()]).toEqual([null, 'Room 12']);
    expect(await auditLines()).toEqual([
      `putMakerABasicConfig sensor ${sensorId} name`,
      'putMakerBBasicConfig sensor id_b name',
    ]);
  });

  test('a sensor that has the name already leaves no line', async () => {
    const { link, rename, auditLines } = await createWorld();
    await link(sensorId);
    expect([await rename(sensorId), await auditLines()]).toEqual([null, []]);
  });

  test('a sensor that has left is a problem, also if it leaves just then', async () => {
    const { its, link, rename, auditLines } = await createWorld();
    expect(await rename('Room 12')).toEqual(changedSince('name'));
    await link(sensorId);
    its.imports.renameSensor = async () => false;
    expect([await rename('Room 12'), await auditLines()]).toEqual([changedSince('name'), []]);
  });
});
