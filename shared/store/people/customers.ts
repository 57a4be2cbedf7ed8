import type { Format } from '#shared/domain/formats/format.ts';
import type { Customer, CustomerUpdate } from '#shared/domain/identity/customer.ts';
import { type Counts, nothingYet } from '../counts.ts';
import type { Table, TableReader } from '../engine/client.ts';
import { absent, changes, present, type Write, where } from '../engine/request.ts';
import { items } from '../table.ts';

/**
 * `hooks`: the customer's webhooks that get every event, kept here so that an event needs no list of webhooks.
 * `members`: how many users and sensors it has, exactly. Beside it the count of each kind: see counts.ts.
 */
export type CustomerItem = Customer & { hooks: Record<string, Format>; members: number } & Counts;

/** What has an owner: the kinds whose ids a system admin may use without naming the customer. */
type OwnedKind = 'user' | 'sensor' | 'sensor_group' | 'bot' | 'rule' | 'webhook';

export const customerReads = (table: TableReader) => ({
  get: (customerId: number) => table.get<CustomerItem>(items.customer({ customerId })),
  list: () => table.queryAll<Customer>({ pk: items.listedCustomer.pk({}) }),
  /** The customer that an id belongs to; 0 when it belongs to nobody, null when there is no such id. */
  ownerOf: async (kind: OwnedKind, id: string | number): Promise<number | null> =>
    (await table.get<{ customerId: number }>(items.owner({ kind, id })))?.customerId ?? null,
});

/** The writes of a new customer, with what it has from the beginning. */
export const putCustomer = (customer: Customer, has: Partial<CustomerItem> = {}): Write[] => {
  const customerId = customer.id;
  const item: CustomerItem = { ...customer, hooks: {}, members: 0, ...nothingYet, ...has };
  return [
    { put: { ...item, ...items.customer({ customerId }) }, where: absent },
    { put: { ...customer, ...items.listedCustomer({ customerId }) } },
  ];
};

const customerWrites = (table: Table) => ({
  create: async (customer: Customer): Promise<void> => {
    await table.write(...putCustomer(customer));
  },

  /** Replaces the fields of a customer that clients may write, the time zone and the demand for a second factor if they are given. Null when there is no such customer. */
  update: async (customerId: number, given: CustomerUpdate, updateDate: number): Promise<Customer | null> => {
    const key = items.customer({ customerId });
    const before = await table.get<CustomerItem>(key);
    if (!before) return null;
    const { timeZone, requireOtp, ...others } = given;
    const kept = { ...(timeZone !== undefined && { timeZone }), ...(requireOtp !== undefined && { requireOtp }) };
    const set = { ...others, ...kept, updateDate };
    const update = changes({ set, if: present });
    const listed = items.listedCustomer({ customerId });
    const failed = await table.write({ update: key, changes: update }, { update: listed, changes: update });
    return failed === null ? { ...before, ...set } : null;
  },

  /** Removes a customer that has neither users nor sensors; nothing can be created in it from then on. */
  remove: async (customerId: number): Promise<'in_use' | 'gone' | null> => {
    const key = items.customer({ customerId });
    const failed = await table.write(
      { remove: key, where: where('#members = :none', { none: 0 }) },
      { remove: items.listedCustomer({ customerId }) },
    );
    if (!failed) return null;
    return (await table.get(key)) ? 'in_use' : 'gone';
  },
});

export const customers = (table: Table) => ({ ...customerReads(table), ...customerWrites(table) });
