import type { AuditObject } from '#shared/domain/identity/audit.ts';
import { objectKinds } from '#shared/domain/identity/audit-kinds.ts';
import type { Key } from '../key.ts';
import { items } from '../table.ts';
import { attributesSetBy, type Item, type Write } from './request.ts';

/** An item read during the request, and the attributes now set on it. */
type Replacement = { before: Item; after: Item };
/** What writes reveal about a change: the customer (undefined for none), the object, and what is replaced. */
export type WrittenChange = {
  customerId: number | undefined;
  object: AuditObject | null;
  replaced: readonly Replacement[];
};

const isKind = (kind: string): kind is AuditObject['kind'] => (objectKinds as readonly string[]).includes(kind);
const unpadded = (number = '') => String(Number(number));

/** Returns the object whose owner an item records. Every created or linked object has such an item. */
const ownedObject = (key: Key): AuditObject | null => {
  const owner = items.owner.read(key);
  return owner && isKind(owner.kind) ? { kind: owner.kind, id: owner.id } : null;
};

/** Returns the object an item belongs to, for all items that do not record an owner. */
const objectOf = (key: Key): AuditObject | null => {
  const sensor = items.sensor.read(key);
  if (sensor) return { kind: 'sensor', id: sensor.sensorId };
  const listedKey = items.listedKey.read(key);
  if (listedKey) return { kind: 'provisioning_key', id: listedKey.keyId };
  const firmware = items.firmware.read(key);
  if (firmware) return { kind: 'firmware', id: `${firmware.manufacturer}/${unpadded(firmware.versionCode)}` };
  const hit = items.ruleHit.read(key);
  if (hit) return { kind: 'rule_hit', id: unpadded(hit.hitId) };
  const customer = items.listedCustomer.read(key);
  return customer && { kind: 'customer', id: unpadded(customer.customerId) };
};

/** Returns the key of the item being written. */
export const writtenKey = (write: Write): Key => {
  if ('put' in write) return write.put;
  if ('remove' in write) return write.remove;
  return 'update' in write ? write.update : write.check;
};

/**
 * Returns the attributes set by a write, or null if it sets none. Attributes removed by replacing the item are null.
 */
const setBy = (write: Write, before: Item): Item | null => {
  if ('put' in write) return { ...Object.fromEntries(Object.keys(before).map((name) => [name, null])), ...write.put };
  return 'update' in write ? attributesSetBy(write.changes) : null;
};

/** Returns what writes reveal about a change. `readBefore` returns an item as read during the request. */
export const changeOf = (
  writes: readonly Write[],
  readBefore: (key: Key) => Item | undefined = () => undefined,
): WrittenChange => {
  const keys = writes.map(writtenKey);
  const customers = keys.flatMap(({ pk }) => /^C#(\d+)/.exec(pk)?.[1] ?? []).map(Number);
  const objects = [...keys.map(ownedObject), ...keys.map(objectOf)];
  return {
    // An unlinked sensor is stored under customer 0; linking it writes keys under both customers.
    customerId: customers.find((id) => id > 0) ?? customers[0],
    object: objects.find((object) => object !== null) ?? null,
    replaced: writes.flatMap((write) => {
      const before = readBefore(writtenKey(write));
      const after = before && setBy(write, before);
      return after ? [{ before, after }] : [];
    }),
  };
};

/**
 * Counters, rate limits, known addresses and logins that have only been started at an identity provider are not
 * audited.
 */
const unaudited = [items.counter, items.rate, items.knownAddress, items.oidcLogin];
export const isAudited = (key: Key): boolean => unaudited.every((item) => item.read(key) === null);
