import { checkCells } from '#shared/api/check-cells.ts';
import { inBatches } from '#shared/concurrency/in-batches.ts';
import { hasPermission } from '#shared/domain/identity/permission.ts';
import type { ImportStep, RowProblem } from '#shared/domain/import/import-job.ts';
import { ImportedSensor } from '#shared/domain/import/imported-sensor.ts';
import { hardwareIdOf } from '#shared/domain/makers/makers.ts';
import { Manufacturer, type SensorRecord } from '#shared/domain/sensor/sensor.ts';
import type { SensorGroup } from '#shared/domain/sensor/sensor-group.ts';
import { UNASSIGNED } from '#shared/domain/unassigned.ts';
import { createOnce, type ImportPlan, type Planning, problemsOf } from './plan.ts';

/** A sensor that a file may contain, either linked to the customer or unassigned. */
type Found = Pick<SensorRecord, 'id' | 'name' | 'groupId'> & { isLinked: boolean };
type Accepted = { row: number; given: ImportedSensor; found: Found };

/** Returns a hardware id in its stored form, or null if it matches no maker's format. */
export const storedHardwareId = (hardwareId: string): string | null =>
  Manufacturer.options.map((maker) => hardwareIdOf(maker, hardwareId)).find((id) => id !== null) ?? null;

/** Finds sensors by hardware id, among the customer's sensors and, for system admins, unassigned sensors. */
export const findSensors = async (
  { call: { caller, customerId }, deps: { store } }: Planning,
  hardwareIds: readonly string[],
): Promise<Map<string, Found>> => {
  const wanted = new Set(hardwareIds);
  const listed = (await store.sensors.list(customerId)).filter(({ hardwareId }) => wanted.has(hardwareId));
  // The list may be a second old.
  const current = await store.sensors.getAll(
    customerId,
    listed.map(({ id }) => id),
  );
  const found = new Map<string, Found>(current.map((sensor) => [sensor.hardwareId, { ...sensor, isLinked: true }]));
  const missing = [...wanted].filter((hardwareId) => !found.has(hardwareId));
  await inBatches(missing, async (hardwareId) => {
    for (const maker of Manufacturer.options) {
      const id = await store.devices.idOfHardware(maker, hardwareId);
      if (id === null) continue;
      const own = await store.sensors.get(customerId, id);
      const free = own || !caller.isAdmin ? null : await store.sensors.get(UNASSIGNED, id);
      if (own) found.set(hardwareId, { ...own, isLinked: true });
      if (free) found.set(hardwareId, { ...free, isLinked: false });
    }
  });
  return found;
};

/** Returns groups by name. The value is null for a name shared by several groups. */
export const groupsByName = (groups: readonly SensorGroup[]): Map<string, SensorGroup | null> => {
  const byName = new Map<string, SensorGroup | null>();
  for (const group of groups) byName.set(group.name, byName.has(group.name) ? null : group);
  return byName;
};

const isRenamed = ({ given: { name }, found }: Accepted): boolean => name !== undefined && name !== found.name;
/** Returns the name of the existing or new group a sensor joins, or null if the sensor stays where it is. */
const joinedGroup = (
  { given: { group }, found }: Accepted,
  groups: ReadonlyMap<string, SensorGroup | null>,
): string | null => (group === undefined || groups.get(group)?.id === found.groupId ? null : group);

type References = {
  sensors: ReadonlyMap<string, Found>;
  groups: ReadonlyMap<string, SensorGroup | null>;
  /** Returns the earlier row with the same sensor, or null. */
  once: ReturnType<typeof createOnce>;
  mayRename: boolean;
};

/** Returns a row with its sensor, or the problems in the row. */
const acceptRow = (
  row: number,
  given: ImportedSensor,
  { sensors, groups, once, mayRename }: References,
): Accepted | RowProblem[] => {
  const { problems, add } = problemsOf(row);
  const hardwareId = storedHardwareId(given.hardwareId);
  const found = hardwareId === null ? undefined : sensors.get(hardwareId);
  if (!found) add('hardwareId', hardwareId === null ? 'invalid' : 'unknown_reference');
  const first = found ? once(found.id, row) : null;
  if (first !== null) add('hardwareId', 'duplicate_row', { row: first });
  if (given.group !== undefined && groups.get(given.group) === null) add('group', 'ambiguous');
  if (found && !mayRename && isRenamed({ row, given, found }))
    add('name', 'not_held', { choices: 'edit_sensor_config' });
  return found && problems.length === 0 ? { row, given, found } : problems;
};

const acceptRows = async (planning: Planning, groups: References['groups']) => {
  const { call, rows } = planning;
  const checked = rows.map(({ row, cells }) => ({ row, result: checkCells(row, ImportedSensor, cells) }));
  const hardwareIds = checked.flatMap(({ result }) =>
    'value' in result ? (storedHardwareId(result.value.hardwareId) ?? []) : [],
  );
  const sensors = await findSensors(planning, hardwareIds);
  const mayRename = hasPermission(call.caller, 'edit_sensor_config');
  const references = { sensors, groups, once: createOnce(), mayRename };
  const results = checked.map(({ row, result }) =>
    'problems' in result ? result.problems : acceptRow(row, result.value, references),
  );
  return {
    accepted: results.flatMap((result) => (Array.isArray(result) ? [] : [result])),
    problems: results.flatMap((result) => (Array.isArray(result) ? result : [])),
  };
};

/** Returns the steps that create missing groups and add sensors to groups. */
const groupSteps = async (
  { deps: { store } }: Planning,
  accepted: readonly Accepted[],
  groups: ReadonlyMap<string, SensorGroup | null>,
): Promise<ImportStep[]> => {
  const joining = Map.groupBy(accepted, (sensor) => joinedGroup(sensor, groups));
  const creations: ImportStep[] = [];
  const joins: ImportStep[] = [];
  for (const [name, members] of joining) {
    const row = members[0]?.row ?? 1;
    if (name === null) continue;
    const groupId = groups.get(name)?.id ?? (await store.limits.nextNumber('groups'));
    const isNew = !groups.has(name);
    if (isNew) creations.push({ do: 'create_group', row, id: groupId, name });
    const sensorIds = members.map(({ found }) => found.id);
    joins.push({ do: 'join_group', row, groupId, ...(isNew && { name }), sensorIds });
  }
  return [...creations, ...joins];
};

const limitOf = (
  { deps: { quotas } }: Planning,
  accepted: readonly Accepted[],
  groups: readonly SensorGroup[],
): ImportPlan['limit'] => {
  const byName = groupsByName(groups);
  const joining = Map.groupBy(accepted, (sensor) => joinedGroup(sensor, byName));
  const names = [...joining.keys()].filter((name) => name !== null);
  const fresh = names.filter((name) => !byName.has(name)).length;
  if (fresh > 0 && groups.length + fresh > quotas.sensorGroups)
    return { of: 'sensorGroups', most: quotas.sensorGroups };
  const isTooLarge = names.some((name) => {
    const before = byName.get(name)?.sensorIds.length ?? 0;
    return before + (joining.get(name)?.length ?? 0) > quotas.sensorsInGroup;
  });
  return isTooLarge ? { of: 'sensorsInGroup', most: quotas.sensorsInGroup } : null;
};

/** Plans which sensors to link, rename and move to groups. */
export const planSensors = async (planning: Planning): Promise<ImportPlan> => {
  const { call, deps } = planning;
  const groups = await deps.store.sensorGroups.list(call.customerId);
  const byName = groupsByName(groups);
  const { accepted, problems } = await acceptRows(planning, byName);
  const linked = accepted.filter(({ found }) => !found.isLinked);
  const known = accepted.filter(({ found }) => found.isLinked);
  const changed = known.filter((sensor) => isRenamed(sensor) || joinedGroup(sensor, byName) !== null);
  const count = linked.length > 0 ? (await deps.store.sensors.list(call.customerId)).length : 0;
  const isFull = count + linked.length > deps.quotas.sensors;
  return {
    created: linked.length,
    updated: changed.length,
    problems,
    limit: isFull ? { of: 'sensors', most: deps.quotas.sensors } : limitOf(planning, accepted, groups),
    steps: async () => [
      ...linked.map(({ row, found }): ImportStep => ({ do: 'link_sensor', row, sensorId: found.id })),
      ...accepted.filter(isRenamed).map(
        ({ row, given, found }): ImportStep => ({
          do: 'rename_sensor',
          row,
          sensorId: found.id,
          name: given.name ?? '',
        }),
      ),
      ...(await groupSteps(planning, accepted, byName)),
    ],
  };
};
