import type { Customer } from '../domain/customer.ts';
import type { Format } from '../domain/webhook.ts';
import type { Table, TableReader } from './client.ts';
import { absent, changes, present, type Write } from './request.ts';
import { items } from './table.ts';

/** `hooks`: the customer's webhooks that get every event, kept here so that an event needs no list of webhooks. */
export type CustomerItem = Customer & { hooks: Record<string, Format> };

/** What has a home: the kinds whose ids a system admin may use without naming the customer. */
export type HomeKind = 'user' | 'sensor' | 'sensor_group' | 'bot' | 'rule' | 'webhook';

/** One user or sensor more, or less, of a customer that is there: so that none with any is deleted. */
export const memberChange = (customerId: number, by: 1 | -1): Write => ({
  update: items.customer({ customerId }),
  changes: changes({ add: { members: by }, if: present }),
});

export const customerReads = (table: TableReader) => ({
  get: (customerId: number) => table.get<CustomerItem>(items.customer({ customerId })),
  list: () => table.queryAll<CustomerItem>({ pk: items.customer.pk({}) }),
  /** The customer that something belongs to; 0: nobody's; null: there is no such thing. */
  homeOf: async (kind: HomeKind, id: string | number): Promise<number | null> =>
    (await table.get<{ customerId: number }>(items.home({ kind, id }), true))?.customerId ?? null,
});

export const customerWrites = (table: Table) => ({
  create: async (customer: Customer): Promise<void> => {
    const item: CustomerItem = { ...customer, hooks: {} };
    await table.write({ put: { ...item, ...items.customer({ customerId: customer.id }) }, where: absent });
  },
});
