import { notifyDevice } from '#shared/api/device/device-config.ts';
import type { ImportJob, ImportStep, RowProblem } from '#shared/domain/import/import-job.ts';
import { UNASSIGNED } from '#shared/domain/unassigned.ts';
import type { JobDeps } from './deps.ts';

type Outcome = Omit<RowProblem, 'row'> | null;

/** Links a sensor that belongs to nobody. */
export const linkSensor = async (
  deps: JobDeps,
  { customerId }: ImportJob,
  { sensorId }: Extract<ImportStep, { do: 'link_sensor' }>,
): Promise<Outcome> => {
  const { store, quotas, now } = deps;
  const move = { to: customerId, most: quotas.sensors, now: now() };
  const moved = await store.sensorOwners.move(UNASSIGNED, sensorId, move);
  if (moved === 'limit_reached') return { field: 'hardwareId', problem: 'limit', values: { limit: quotas.sensors } };
  const sensor = typeof moved === 'string' ? await store.sensors.get(customerId, sensorId) : moved;
  if (!sensor) return { field: 'hardwareId', problem: 'changed_since' };
  await notifyDevice(deps, { customerId, sensorId, manufacturer: sensor.manufacturer });
  return null;
};

export const renameSensor = async (
  { store, now }: JobDeps,
  { customerId }: ImportJob,
  { sensorId, name }: Extract<ImportStep, { do: 'rename_sensor' }>,
): Promise<Outcome> =>
  (await store.imports.renameSensor(customerId, sensorId, name, now()))
    ? null
    : { field: 'name', problem: 'changed_since' };
