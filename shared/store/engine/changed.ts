import type { AuditObject } from '#shared/domain/identity/audit.ts';
import { objectKinds } from '#shared/domain/identity/audit-kinds.ts';
import type { Key } from '../key.ts';
import { items } from '../table.ts';

/** What keys that are written say of a change: in which customer it is (undefined: in none), and of which object. */
export type Changed = { customerId: number | undefined; object: AuditObject | null };

const isKind = (kind: string): kind is AuditObject['kind'] => (objectKinds as readonly string[]).includes(kind);
const unpadded = (number = '') => String(Number(number));

/** Gives the object whose home an item is: what is created or linked has one. */
const objectOfHome = (key: Key): AuditObject | null => {
  const home = items.owner.read(key);
  return home && isKind(home.kind) ? { kind: home.kind, id: home.id } : null;
};

/** Gives the object of another item. */
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

export const changedBy = (keys: readonly Key[]): Changed => {
  const customers = keys.flatMap(({ pk }) => /^C#(\d+)/.exec(pk)?.[1] ?? []).map(Number);
  const objects = [...keys.map(objectOfHome), ...keys.map(objectOf)];
  return {
    // Nobody's sensors are under 0, until they are somebody's.
    customerId: customers.find((id) => id > 0) ?? customers[0],
    object: objects.find((object) => object !== null) ?? null,
  };
};

/** Counts, limits and what is known of addresses are no changes of anything, nor is a login at an issuer that has begun. */
const unnoted = [items.counter, items.rate, items.knownAddress, items.oidcLogin];
export const isChange = (key: Key): boolean => unnoted.every((item) => item.read(key) === null);
