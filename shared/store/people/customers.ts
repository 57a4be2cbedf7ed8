import type { Format } from '#shared/domain/formats/format.ts';
import type { Customer, CustomerUpdate } from '#shared/domain/identity/customer.ts';
import type { EmergencyContact } from '#shared/domain/people/emergency-contact.ts';
import { type Counts, zeroCounts } from '../counts.ts';
import type { Table, TableReader } from '../engine/client.ts';
import { absent, changes, present, type Write, where } from '../engine/request.ts';
import { items } from '../table.ts';

/**
 * A customer as stored. `hooks`: the webhooks for every event, so that an event does not have to list webhooks.
 * `members`: the exact number of users and sensors, in addition to the count for each kind (counts.ts).
 * `emergencyContacts` is absent until some are set. `erasureRequest`: the newest request to erase the customer, open or
 * not.
 */
export type CustomerItem = Customer & {
  hooks: Record<string, Format>;
  members: number;
  emergencyContacts?: EmergencyContact[];
  erasureRequest?: string;
} & Counts;

/** The kinds of objects whose ids a system admin may use without specifying the customer. */
type OwnedKind = 'user' | 'sensor' | 'sensor_group' | 'bot' | 'rule' | 'webhook';

export const customerReads = (table: TableReader) => ({
  /** Returns a customer. If `consistent` is false, it may be a few seconds old, but costs half as much. */
  get: (customerId: number, consistent = true) => {
    const key = items.customer({ customerId });
    return consistent ? table.get<CustomerItem>(key) : table.getEventual<CustomerItem>(key);
  },
  list: () => table.queryAll<Customer>({ pk: items.listedCustomer.pk({}) }),
  /** Returns the customer that owns an id, 0 if none does, or null if the id does not exist. */
  ownerOf: async (kind: OwnedKind, id: string | number): Promise<number | null> =>
    (await table.get<{ customerId: number }>(items.owner({ kind, id })))?.customerId ?? null,
});

/** Returns the writes for a new customer; `initial` overrides what a customer starts with. */
export const putCustomer = (customer: Customer, initial: Partial<CustomerItem> = {}): Write[] => {
  const customerId = customer.id;
  const item: CustomerItem = { ...customer, hooks: {}, members: 0, ...zeroCounts, ...initial };
  return [
    { put: { ...item, ...items.customer({ customerId }) }, where: absent },
    { put: { ...customer, ...items.listedCustomer({ customerId }) } },
  ];
};

const customerWrites = (table: Table) => ({
  create: async (customer: Customer): Promise<void> => {
    await table.write(...putCustomer(customer));
  },

  /**
   * Replaces the customer fields that clients may write. If missing, the time zone and `requireOtp` stay unchanged.
   * Returns null if the customer does not exist.
   */
  update: async (customerId: number, update: CustomerUpdate, updateDate: number): Promise<Customer | null> => {
    const key = items.customer({ customerId });
    const before = await table.get<CustomerItem>(key);
    if (!before) return null;
    const { timeZone, requireOtp, ...fields } = update;
    const optional = { ...(timeZone !== undefined && { timeZone }), ...(requireOtp !== undefined && { requireOtp }) };
    const set = { ...fields, ...optional, updateDate };
    const change = changes({ set, if: present });
    const listed = items.listedCustomer({ customerId });
    const failed = await table.write({ update: key, changes: change }, { update: listed, changes: change });
    return failed === null ? { ...before, ...set } : null;
  },

  /** Replaces a customer's emergency contacts. Returns false if the customer does not exist. */
  setEmergencyContacts: async (
    customerId: number,
    emergencyContacts: readonly EmergencyContact[],
    updateDate: number,
  ): Promise<boolean> => {
    const change = changes({ set: { emergencyContacts, updateDate }, if: present });
    return (await table.update(items.customer({ customerId }), change)) !== null;
  },

  /** Deletes a customer that has neither users nor sensors. Nothing can be created for it anymore. */
  remove: async (customerId: number): Promise<'in_use' | 'gone' | null> => {
    const key = items.customer({ customerId });
    const failed = await table.write(
      { remove: key, where: where('#members = :none', { none: 0 }) },
      { remove: items.listedCustomer({ customerId }) },
      { remove: items.roster({ customerId }) },
    );
    if (!failed) return null;
    return (await table.get(key)) ? 'in_use' : 'gone';
  },
});

export const customers = (table: Table) => ({ ...customerReads(table), ...customerWrites(table) });
