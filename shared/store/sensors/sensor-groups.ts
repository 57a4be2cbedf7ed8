import type { SensorGroup } from '#shared/domain/sensor/sensor-group.ts';
import { UNASSIGNED } from '#shared/domain/unassigned.ts';
import { countOneLess, countOneMore, countsOf, quotaRefusal } from '../counts.ts';
import { webhookReads } from '../deliveries/webhooks.ts';
import type { Table, TableReader } from '../engine/client.ts';
import { absent, changes, type Write, where } from '../engine/request.ts';
import { retryOnConflict } from '../engine/retry.ts';
import { ruleReads } from '../rules/rules.ts';
import { items } from '../table.ts';
import { type SensorItem, sensorKey } from './sensor-item.ts';

type GroupFields = Omit<SensorGroup, 'sensorIds'>;
/**
 * A group as stored. `version` counts changes to the group and references to it. `isLeaving`: it is being deleted, so
 * no rule and no filter may refer to it.
 */
type GroupItem = GroupFields & { version: number; isLeaving?: true };
type GroupKey = { customerId: number; groupId: number };

const groupKey = ({ customerId, id: groupId }: Pick<GroupFields, 'customerId' | 'id'>): GroupKey => ({
  customerId,
  groupId,
});

/** Returns the sensors in a group. Each is a separate item, because groups may be large. */
const membersOf = async (table: TableReader, { customerId, groupId }: GroupKey): Promise<string[]> => {
  const beginsWith = items.groupMember.sk({ groupId, sensorId: '' });
  const found = await table.queryAll({ pk: items.groupMember.pk({ customerId }), beginsWith });
  return found.flatMap((key) => items.groupMember.read(key)?.sensorId ?? []);
};

const viewOf = ({ id, createDate, updateDate, customerId, name }: GroupFields, sensorIds: string[]): SensorGroup => ({
  id,
  createDate,
  updateDate,
  customerId,
  name,
  sensorIds,
});

export const sensorGroupReads = (table: TableReader) => ({
  get: async (customerId: number, groupId: number): Promise<SensorGroup | null> => {
    const group = await table.get<GroupItem>(items.sensorGroup({ customerId, groupId }));
    return group && viewOf(group, await membersOf(table, { customerId, groupId }));
  },

  list: async (customerId: number): Promise<SensorGroup[]> => {
    const [groups, members] = await Promise.all([
      table.queryAll<GroupItem>({ pk: items.sensorGroup.pk({ customerId }), beginsWith: 'GROUP#' }),
      table.queryAll({ pk: items.groupMember.pk({ customerId }) }),
    ]);
    const membersByGroup = Map.groupBy(
      members.map((key) => items.groupMember.read(key)),
      (member) => Number(member?.groupId),
    );
    return groups.map((group) =>
      viewOf(
        group,
        (membersByGroup.get(group.id) ?? []).flatMap((member) => member?.sensorId ?? []),
      ),
    );
  },
});

/**
 * Returns the writes that move a sensor to a group (0: none), on the condition that it is still in the group that was
 * read.
 */
const moveTo = ({ customerId, id: sensorId, groupId: from }: SensorItem, to: number): Write[] => {
  const member = (groupId: number) => items.groupMember({ customerId: customerId ?? UNASSIGNED, groupId, sensorId });
  const isInGroup = where('#groupId = :from', { from });
  return [
    {
      update: sensorKey(customerId, sensorId),
      changes: changes({ set: { groupId: to }, add: { revision: 1 }, if: isInGroup }),
    },
    ...(from > 0 ? [{ remove: member(from) }] : []),
    ...(to > 0 ? [{ put: member(to) }] : []),
  ];
};

/**
 * The number of sensors moved by one transaction. Each takes three writes, and the group a few; the limit is 100
 * writes.
 */
const SENSORS_PER_STEP = 30;

type Step = { version: number; isLast: boolean };
/**
 * Whether the request has written anything yet. If so, it continues without any sensors that have since been deleted.
 */
type Progress = { isBegun: boolean };
type MembersResult = 'done' | { unknown: string };
/** The group version, the sensors the group should have, and the writes to the group itself in each step. */
type MembersChange = { version: number; sensorIds: readonly string[]; group: (step: Step) => Write[] };

/**
 * Sets the sensors in a group. If one transaction cannot hold them, they are moved in several steps. After each step,
 * every sensor is in at most one group, and the group is consistent. After a crash, repeating the request continues
 * from there.
 */
const setMembers = async (
  table: Table,
  { customerId, groupId }: GroupKey,
  { version, sensorIds, group }: MembersChange,
  progress: Progress,
): Promise<MembersResult | null> => {
  const members = version === 0 ? [] : await membersOf(table, { customerId, groupId });
  const before = new Set(members);
  const after = new Set(sensorIds);
  const leaving = members.filter((id) => !after.has(id));
  const joining = [...after].filter((id) => !before.has(id));
  const keys = [...leaving, ...joining].map((id) => sensorKey(customerId, id));
  const sensors = new Map((await table.getAll<SensorItem>(keys)).map((sensor) => [sensor.id, sensor]));
  const unknown = joining.find((id) => !sensors.has(id));
  if (unknown !== undefined && !progress.isBegun) return { unknown };
  // A sensor that moved since the members were read is now where it should be, or in another group.
  const toMove = [...sensors.values()].filter((sensor) => after.has(sensor.id) !== (sensor.groupId === groupId));
  const moves = toMove.map((sensor) => moveTo(sensor, after.has(sensor.id) ? groupId : 0));
  const steps = Math.max(1, Math.ceil(moves.length / SENSORS_PER_STEP));
  for (let step = 0; step < steps; step++) {
    const sensorWrites = moves.slice(step * SENSORS_PER_STEP, (step + 1) * SENSORS_PER_STEP).flat();
    const groupWrites = group({ version: version + step, isLast: step === steps - 1 });
    if ((await table.write(...groupWrites, ...sensorWrites)) !== null) return null;
    progress.isBegun = true;
  }
  return 'done';
};

const versionIs = (version: number) => where('#version = :seen', { seen: version });

/** Returns the write that changes a group, unless another request has changed it. */
const change = (key: GroupKey, version: number, set: Partial<GroupItem> = {}): Write => ({
  update: items.sensorGroup(key),
  changes: changes({
    set: { ...set, version: version + 1 },
    remove: set.isLeaving ? [] : ['isLeaving'],
    if: versionIs(version),
  }),
});

const versionOf = async (table: Table, key: GroupKey): Promise<number | null> =>
  (await table.get<GroupItem>(items.sensorGroup(key)))?.version ?? null;

/** Whether any rule or webhook filter refers to a group. */
const isInUse = async (table: Table, customerId: number, groupId: number): Promise<boolean> =>
  (await ruleReads(table).isGroupInUse(customerId, groupId)) ||
  (await webhookReads(table).list(customerId)).some(({ sensorGroupId }) => sensorGroupId === groupId);

/** Deletes a group unless it is in use, because that would silently disable an alarm. */
const removeGroup = (table: Table, customerId: number, groupId: number): Promise<'done' | 'gone' | 'in_use'> =>
  retryOnConflict(async () => {
    const key = { customerId, groupId };
    const found = await table.get<GroupItem>(items.sensorGroup(key));
    if (!found) return 'gone';
    const { version, isLeaving } = found;
    if (await isInUse(table, customerId, groupId)) return 'in_use';
    // Marking the group prevents new references to it while the sensors leave in several steps.
    if (!isLeaving && (await table.write(change(key, version, { isLeaving: true }))) !== null) return null;
    const markedVersion = isLeaving ? version : version + 1;
    if (await isInUse(table, customerId, groupId)) {
      await table.write(change(key, markedVersion));
      return 'in_use';
    }
    const last: Write[] = [
      { remove: items.owner({ kind: 'sensor_group', id: groupId }) },
      { remove: items.floorPlan(key) },
    ];
    if (await countsOf(table, customerId)) last.push(countOneLess(customerId, 'sensorGroups'));
    const write = ({ version, isLast }: Step) =>
      isLast
        ? [{ remove: items.sensorGroup(key), where: versionIs(version) }, ...last]
        : [change(key, version, { isLeaving: true })];
    const emptying = { version: markedVersion, sensorIds: [], group: write };
    const result = await setMembers(table, key, emptying, { isBegun: true });
    return result === null ? null : 'done';
  });

const sensorGroupWrites = (table: Table) => ({
  create: (
    { sensorIds, ...group }: SensorGroup,
    limit: number,
  ): Promise<MembersResult | 'customer_unknown' | 'limit_reached'> => {
    const progress = { isBegun: false };
    return retryOnConflict(async () => {
      const key = groupKey(group);
      const { customerId } = group;
      const version = await versionOf(table, key);
      const refusal = version === null ? await quotaRefusal(table, customerId, 'sensorGroups', limit) : null;
      if (refusal) return refusal;
      const first: Write[] = [
        { put: { ...group, ...items.sensorGroup(key), version: 1 }, where: absent },
        { put: { ...items.owner({ kind: 'sensor_group', id: group.id }), customerId } },
        countOneMore(customerId, 'sensorGroups', limit),
      ];
      const write = ({ version }: Step) => (version === 0 ? first : [change(key, version)]);
      return setMembers(table, key, { version: version ?? 0, sensorIds, group: write }, progress);
    });
  },

  /** Replaces the group name and sensors. */
  put: (group: Omit<SensorGroup, 'createDate'>): Promise<MembersResult | 'gone'> => {
    const progress = { isBegun: false };
    return retryOnConflict(async () => {
      const key = groupKey(group);
      const version = await versionOf(table, key);
      if (version === null) return 'gone';
      const { name, updateDate } = group;
      const write = ({ version }: Step) => [change(key, version, { name, updateDate })];
      return setMembers(table, key, { version, sensorIds: group.sensorIds, group: write }, progress);
    });
  },

  remove: (customerId: number, groupId: number) => removeGroup(table, customerId, groupId),
});

export const sensorGroups = (table: Table) => ({ ...sensorGroupReads(table), ...sensorGroupWrites(table) });
