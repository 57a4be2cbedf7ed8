import type { Subject } from '#shared/domain/identity/data-job-view.ts';
import type { Table, TableReader } from '../engine/client.ts';
import { type Item, present, where } from '../engine/request.ts';
import type { Key } from '../key.ts';
import { markErased } from '../sensors/sensor-owners.ts';
import { items } from '../table.ts';

/** An item as it is in the table. */
export type Found = Item & Key;
/** A part of the table where something of a subject may be: a partition, or what begins so in it. */
export type Place = { pk: string; beginsWith?: string };

/**
 * What leads to the data of a user, a sensor or a webhook that nobody finds any more: kept by an erasure from before it begins
 * until it has completed.
 */
export type Lead =
  | { kind: 'user'; id: string; accountKey: string }
  | { kind: 'sensor'; id: string }
  | { kind: 'webhook'; id: string };

type JobKey = { customerId: number; id: string };
const leadKey = ({ customerId, id: jobId }: JobKey, { kind, id }: Lead) => items.lead({ customerId, jobId, kind, id });

export const subjectReads = (table: TableReader) => ({
  /** What is in a place, page by page. */
  pages: async function* ({ pk, beginsWith }: Place): AsyncGenerator<Found[]> {
    let startAfter: Item | undefined;
    do {
      const query = { pk, ...(beginsWith !== undefined && { beginsWith }), startAfter };
      const { items: page, next } = await table.query<Item>(query);
      if (page.length > 0) yield page;
      startAfter = next;
    } while (startAfter);
  },

  /** An item by its key. */
  get: (key: Key): Promise<Found | null> => table.get<Item>(key),

  /** The leads of an erasure. */
  leads: ({ customerId, id }: JobKey): Promise<Lead[]> =>
    table.queryAll<Lead>({ pk: items.lead.pk({ customerId }), beginsWith: `LEAD#${id}#` }),
});

const subjectWrites = (table: Table) => ({
  keepLead: async (job: JobKey, lead: Lead): Promise<void> => {
    await table.write({ put: { ...lead, ...leadKey(job, lead) } });
  },
  dropLead: async (job: JobKey, lead: Lead): Promise<void> => {
    await table.write({ remove: leadKey(job, lead) });
  },

  /** Removes a customer from where readers look for it; nothing can be made in it from then on. False: it is gone. */
  dropCustomer: async (customerId: number): Promise<boolean> => {
    const listed = { remove: items.listedCustomer({ customerId }) };
    return (await table.write({ remove: items.customer({ customerId }), where: present }, listed)) === null;
  },

  /** Notes that a sensor is erased, or was. */
  markErased: async (customerId: number, sensorId: string, now: number, goesOn: boolean): Promise<void> => {
    await table.write(markErased({ customerId, sensorId }, now, goesOn));
  },

  /** Removes an item; false when it is gone already. */
  remove: async ({ pk, sk }: Key): Promise<boolean> =>
    (await table.write({ remove: { pk, sk }, where: present })) === null,

  /** Writes what is left of an item in its place; false when that changed meanwhile. */
  replace: async ({ updateDate }: Found, left: Found): Promise<boolean> => {
    const unchanged = updateDate === undefined ? present : where('#updateDate = :was', { was: updateDate });
    return (await table.write({ put: left, where: unchanged })) === null;
  },
});

export const subjects = (table: Table) => ({ ...subjectReads(table), ...subjectWrites(table) });

/**
 * Whose data a job is about, in which customer. `accountKey`: of a user; null: nothing is known of its account. `named`: by
 * what the audit names the subject, or a part of it, such as `sensor 4711`.
 */
export type Who = { customerId: number; subject: Subject; accountKey: string | null; named: ReadonlySet<string> };
