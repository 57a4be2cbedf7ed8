import { notifyDevice } from '#shared/api/device/device-config.ts';
import type { ImportStep } from '#shared/domain/import/import-job.ts';
import { UNASSIGNED } from '#shared/domain/unassigned.ts';
import type { JobDeps } from './deps.ts';
import { type AuditedImport, audited, type Outcome } from './import-audit.ts';

/** Links an unassigned sensor. */
export const linkSensor = (
  deps: JobDeps,
  job: AuditedImport,
  { sensorId }: Extract<ImportStep, { do: 'link_sensor' }>,
): Promise<Outcome> => {
  const { store, quotas, now } = deps;
  const { customerId } = job;
  const object = { kind: 'sensor', id: sensorId } as const;
  return audited(deps, job, { operation: 'linkSensor', object, before: null, after: {} }, async () => {
    const move = { to: customerId, most: quotas.sensors, now: now() };
    const moved = await store.sensorOwners.move(UNASSIGNED, sensorId, move);
    if (moved === 'limit_reached') return { field: 'hardwareId', problem: 'limit', values: { limit: quotas.sensors } };
    const sensor = typeof moved === 'string' ? await store.sensors.get(customerId, sensorId) : moved;
    if (!sensor) return { field: 'hardwareId', problem: 'changed_since' };
    await notifyDevice(deps, { customerId, sensorId, manufacturer: sensor.manufacturer });
    return null;
  });
};

export const renameSensor = async (
  deps: JobDeps,
  job: AuditedImport,
  { sensorId, name }: Extract<ImportStep, { do: 'rename_sensor' }>,
): Promise<Outcome> => {
  const { store, now } = deps;
  const sensor = await store.sensors.get(job.customerId, sensorId);
  if (!sensor) return { field: 'name', problem: 'changed_since' };
  const operation = { maker_a: 'putMakerABasicConfig', maker_b: 'putMakerBBasicConfig' }[sensor.manufacturer];
  const object = { kind: 'sensor', id: sensorId } as const;
  return audited(deps, job, { operation, object, before: sensor, after: { name } }, async () =>
    (await store.imports.renameSensor(job.customerId, sensorId, name, now()))
      ? null
      : { field: 'name', problem: 'changed_since' },
  );
};
