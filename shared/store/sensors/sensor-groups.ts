import type { SensorGroup } from '#shared/domain/sensor/sensor-group.ts';
import { UNASSIGNED } from '#shared/domain/unassigned.ts';
import { countsOf, oneLess, oneMore, roomFor } from '../counts.ts';
import { webhookReads } from '../deliveries/webhooks.ts';
import type { Table, TableReader } from '../engine/client.ts';
import { absent, changes, type Write, where } from '../engine/request.ts';
import { retryOnConflict } from '../engine/retry.ts';
import { ruleReads } from '../rules/rules.ts';
import { items } from '../table.ts';
import { type SensorItem, sensorKey } from './sensor-item.ts';

type Fields = Omit<SensorGroup, 'sensorIds'>;
/** `version` counts its changes, and the rules that were made on it. `isLeaving`: it is being deleted, so no rule and no filter may name it. */
type GroupItem = Fields & { version: number; isLeaving?: true };
type GroupKey = { customerId: number; groupId: number };

const keyOf = ({ customerId, id: groupId }: Pick<Fields, 'customerId' | 'id'>): GroupKey => ({ customerId, groupId });

/** Who is in a group is one item for each sensor: so groups may be large, and no write meets all of them. */
const membersOf = async (table: TableReader, { customerId, groupId }: GroupKey): Promise<string[]> => {
  const beginsWith = items.groupMember.sk({ groupId, sensorId: '' });
  const found = await table.queryAll({ pk: items.groupMember.pk({ customerId }), beginsWith });
  return found.flatMap((key) => items.groupMember.read(key)?.sensorId ?? []);
};

const viewOf = ({ id, createDate, updateDate, customerId, name }: Fields, sensorIds: string[]): SensorGroup => ({
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
    const all = Map.groupBy(
      members.map((key) => items.groupMember.read(key)),
      (member) => Number(member?.groupId),
    );
    return groups.map((group) =>
      viewOf(
        group,
        (all.get(group.id) ?? []).flatMap((member) => member?.sensorId ?? []),
      ),
    );
  },
});

/** Moves a sensor to a group (0: to none), from the one that it was seen in. */
const moveTo = ({ customerId, id: sensorId, groupId: from }: SensorItem, to: number): Write[] => {
  const member = (groupId: number) => items.groupMember({ customerId: customerId ?? UNASSIGNED, groupId, sensorId });
  const isThere = where('#groupId = :from', { from });
  return [
    {
      update: sensorKey(customerId, sensorId),
      changes: changes({ set: { groupId: to }, add: { revision: 1 }, if: isThere }),
    },
    ...(from > 0 ? [{ remove: member(from) }] : []),
    ...(to > 0 ? [{ put: member(to) }] : []),
  ];
};

/** Three writes for each sensor, and a few for the group: what one transaction of 100 holds. */
const AT_ONCE = 30;

type Step = { version: number; isLast: boolean };
/** Whether a call has written anything yet: then it goes on without the sensors that have gone meanwhile. */
type Progress = { isBegun: boolean };
type Arranged = 'done' | { unknown: string };
/** The version of a group, the sensors that it is to have, and what is written of the group itself with each step. */
type Wanted = { version: number; wanted: readonly string[]; group: (step: Step) => Write[] };

/**
 * Lets the sensors of a group be those wanted. More than one transaction holds are moved in several, each of which
 * leaves every sensor in one group at most and the group in step with its sensors; after a crash, the same call goes
 * on from there.
 */
const arrange = async (
  table: Table,
  { customerId, groupId }: GroupKey,
  { version, wanted, group }: Wanted,
  progress: Progress,
): Promise<Arranged | null> => {
  const members = version === 0 ? [] : await membersOf(table, { customerId, groupId });
  const before = new Set(members);
  const after = new Set(wanted);
  const left = members.filter((id) => !after.has(id));
  const joining = [...after].filter((id) => !before.has(id));
  const keys = [...left, ...joining].map((id) => sensorKey(customerId, id));
  const sensors = new Map((await table.getAll<SensorItem>(keys)).map((sensor) => [sensor.id, sensor]));
  const unknown = joining.find((id) => !sensors.has(id));
  if (unknown !== undefined && !progress.isBegun) return { unknown };
  // What moved since the members were read is where it should be, or another group's by now.
  const toMove = [...sensors.values()].filter((sensor) => after.has(sensor.id) !== (sensor.groupId === groupId));
  const moves = toMove.map((sensor) => moveTo(sensor, after.has(sensor.id) ? groupId : 0));
  const steps = Math.max(1, Math.ceil(moves.length / AT_ONCE));
  for (let step = 0; step < steps; step++) {
    const some = moves.slice(step * AT_ONCE, (step + 1) * AT_ONCE).flat();
    const head = group({ version: version + step, isLast: step === steps - 1 });
    if ((await table.write(...head, ...some)) !== null) return null;
    progress.isBegun = true;
  }
  return 'done';
};

const versionIs = (version: number) => where('#version = :seen', { seen: version });

/** A group that more is written of, if nobody else did meanwhile. */
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

/** Does a rule watch a group, or the filter of a webhook name it? */
const isNamed = async (table: Table, customerId: number, groupId: number): Promise<boolean> =>
  (await ruleReads(table).watchesGroup(customerId, groupId)) ||
  (await webhookReads(table).list(customerId)).some(({ sensorGroupId }) => sensorGroupId === groupId);

/** Removes a group, unless it is named: an alarm must not go silent by the way. */
const removeGroup = (table: Table, customerId: number, groupId: number): Promise<'done' | 'gone' | 'in_use'> =>
  retryOnConflict(async () => {
    const key = { customerId, groupId };
    const found = await table.get<GroupItem>(items.sensorGroup(key));
    if (!found) return 'gone';
    const { version, isLeaving } = found;
    if (await isNamed(table, customerId, groupId)) return 'in_use';
    // From this mark on nothing can name the group: its sensors leave in several steps.
    if (!isLeaving && (await table.write(change(key, version, { isLeaving: true }))) !== null) return null;
    const marked = isLeaving ? version : version + 1;
    if (await isNamed(table, customerId, groupId)) {
      await table.write(change(key, marked));
      return 'in_use';
    }
    const last: Write[] = [{ remove: items.owner({ kind: 'sensor_group', id: groupId }) }];
    if (await countsOf(table, customerId)) last.push(oneLess(customerId, 'sensorGroups'));
    const write = ({ version, isLast }: Step) =>
      isLast
        ? [{ remove: items.sensorGroup(key), where: versionIs(version) }, ...last]
        : [change(key, version, { isLeaving: true })];
    const done = await arrange(table, key, { version: marked, wanted: [], group: write }, { isBegun: true });
    return done === null ? null : 'done';
  });

const sensorGroupWrites = (table: Table) => ({
  create: (
    { sensorIds, ...group }: SensorGroup,
    most: number,
  ): Promise<Arranged | 'customer_unknown' | 'limit_reached'> => {
    const progress = { isBegun: false };
    return retryOnConflict(async () => {
      const key = keyOf(group);
      const { customerId } = group;
      const version = await versionOf(table, key);
      const full = version === null ? await roomFor(table, customerId, 'sensorGroups', most) : null;
      if (full) return full;
      const first: Write[] = [
        { put: { ...group, ...items.sensorGroup(key), version: 1 }, where: absent },
        { put: { ...items.owner({ kind: 'sensor_group', id: group.id }), customerId } },
        oneMore(customerId, 'sensorGroups', most),
      ];
      const write = ({ version }: Step) => (version === 0 ? first : [change(key, version)]);
      return arrange(table, key, { version: version ?? 0, wanted: sensorIds, group: write }, progress);
    });
  },

  /** Replaces name and sensors. */
  put: (group: Omit<SensorGroup, 'createDate'>): Promise<Arranged | 'gone'> => {
    const progress = { isBegun: false };
    return retryOnConflict(async () => {
      const key = keyOf(group);
      const version = await versionOf(table, key);
      if (version === null) return 'gone';
      const { name, updateDate } = group;
      const write = ({ version }: Step) => [change(key, version, { name, updateDate })];
      return arrange(table, key, { version, wanted: group.sensorIds, group: write }, progress);
    });
  },

  remove: (customerId: number, groupId: number) => removeGroup(table, customerId, groupId),
});

export const sensorGroups = (table: Table) => ({ ...sensorGroupReads(table), ...sensorGroupWrites(table) });
