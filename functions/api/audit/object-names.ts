import { inBatches } from '#shared/concurrency/in-batches.ts';
import type { AuditEntry, AuditObject } from '#shared/domain/identity/audit.ts';
import { UNASSIGNED } from '#shared/domain/unassigned.ts';
import type { StoreOf } from '#shared/store/store.ts';
import type { naming } from './contract.ts';

type Named = { id: string | number; name: string };
type Find = (customerId: number, ids: readonly string[], store: StoreOf<(typeof naming)[number]>) => Promise<Named[]>;

/** Reads objects one by one. Returns those that exist. */
const each = async <I, T>(ids: readonly I[], read: (id: I) => Promise<T | null>): Promise<T[]> => {
  const found: T[] = [];
  await inBatches(ids, async (id) => {
    const item = await read(id);
    if (item !== null) found.push(item);
  });
  return found;
};

/** Returns the numeric ids. The path in a refused request may contain anything. */
const numbers = (ids: readonly string[]): number[] =>
  ids.map(Number).filter((id) => Number.isSafeInteger(id) && id > 0);

/** The functions that read named objects, by kind. */
const finders: Partial<Record<AuditObject['kind'], Find>> = {
  sensor: (customerId, ids, { sensors }) => sensors.getAll(customerId, ids),
  webhook: (customerId, ids, { webhooks }) => webhooks.getAll(customerId, ids),
  rule: (customerId, ids, { rules }) => rules.getAll(customerId, numbers(ids)),
  bot: (customerId, ids, { bots }) => each(numbers(ids), (id) => bots.get(customerId, id)),
  // A refused request may name another customer, whose name must not be shown.
  customer: (customerId, ids, { customers }) => {
    const visible = numbers(ids).filter((id) => customerId === UNASSIGNED || id === customerId);
    return each(visible, (id) => customers.get(id));
  },
  sensor_group: async (customerId, ids, { sensorGroups }) =>
    (await sensorGroups.list(customerId)).filter(({ id }) => ids.includes(String(id))),
  user: async (customerId, ids, { users }) => {
    const home = customerId === UNASSIGNED ? null : customerId;
    const found = await each(numbers(ids), (id) => users.get(home, id));
    return found.map(({ id, username: name }) => ({ id, name }));
  },
};

/**
 * Returns each line with the current name of its object. The name is null if the object no longer exists or now belongs
 * to another customer.
 */
export const withNames = async (
  customerId: number,
  lines: readonly AuditEntry[],
  store: Parameters<Find>[2],
): Promise<AuditEntry[]> => {
  const names = new Map<string, string>();
  const objectKey = (kind: string, id: string | number) => `${kind} ${id}`;
  const byKind = Map.groupBy(lines, ({ object }) => object.kind);
  const find = async ([kind, ofKind]: [AuditObject['kind'], AuditEntry[]]) => {
    const ids = [...new Set(ofKind.map(({ object }) => object.id))];
    for (const { id, name } of (await finders[kind]?.(customerId, ids, store)) ?? [])
      names.set(objectKey(kind, id), name);
  };
  await Promise.all([...byKind].map(find));
  return lines.map((line) => {
    const { kind, id } = line.object;
    return finders[kind] ? { ...line, object: { kind, id, name: names.get(objectKey(kind, id)) ?? null } } : line;
  });
};
