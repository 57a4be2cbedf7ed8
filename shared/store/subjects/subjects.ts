import { isDeepStrictEqual } from 'node:util';
import type { Subject } from '#shared/domain/identity/data-job-view.ts';
import type { Table, TableReader } from '../engine/client.ts';
import { changes, type Item, present, where } from '../engine/request.ts';
import type { Key } from '../key.ts';
import { markErased } from '../sensors/sensor-owners.ts';
import { items } from '../table.ts';

/** An item as stored in the table. */
export type StoredItem = Item & Key;
/**
 * A part of the table that may hold a subject's data: a partition, or the items in it whose sort keys have a prefix.
 */
export type SubjectPlace = { pk: string; beginsWith?: string };

/**
 * A place that holds data about a user, sensor or webhook, stored before an erasure starts because the subject itself
 * will be gone. It is kept until the erasure is complete.
 */
export type Lead =
  | { kind: 'user'; id: string; accountKey: string }
  | { kind: 'sensor'; id: string }
  | { kind: 'webhook'; id: string };

type JobKey = { customerId: number; id: string };
const leadKey = ({ customerId, id: jobId }: JobKey, { kind, id }: Lead) => items.lead({ customerId, jobId, kind, id });

export const subjectReads = (table: TableReader) => ({
  /** Yields the items in a place, page by page. */
  pages: async function* ({ pk, beginsWith }: SubjectPlace): AsyncGenerator<StoredItem[]> {
    let startAfter: Item | undefined;
    do {
      const query = { pk, ...(beginsWith !== undefined && { beginsWith }), startAfter };
      const { items: page, next } = await table.query<Item>(query);
      if (page.length > 0) yield page;
      startAfter = next;
    } while (startAfter);
  },

  /** Returns an item by key. */
  get: (key: Key): Promise<StoredItem | null> => table.get<Item>(key),

  /** Returns the leads for an erasure. */
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

  /**
   * Removes a customer from the places where readers find it, so that nothing more can be created in it. Returns false
   * if it was already deleted.
   */
  dropCustomer: async (customerId: number): Promise<boolean> => {
    const listed = { remove: items.listedCustomer({ customerId }) };
    return (await table.write({ remove: items.customer({ customerId }), where: present }, listed)) === null;
  },

  /** Marks a sensor as being erased (`goesOn`) or erased. */
  markErased: async (customerId: number, sensorId: string, now: number, goesOn: boolean): Promise<void> => {
    await table.write(markErased({ customerId, sensorId }, now, goesOn));
  },

  /** Removes an item. Returns false if it has already been removed. */
  remove: async ({ pk, sk }: Key): Promise<boolean> =>
    (await table.write({ remove: { pk, sk }, where: present })) === null,

  /**
   * Reduces an item. Returns false if an attribute that this changes, or the date of the last change, is no longer as
   * read. Other attributes may have changed since then and stay as they are, such as a customer's counts.
   */
  replace: async (read: StoredItem, reduced: StoredItem): Promise<boolean> => {
    const names = Object.keys({ ...read, ...reduced });
    const changed = names.filter((name) => !isDeepStrictEqual(read[name], reduced[name]));
    const compared = names.filter(
      (name) => read[name] !== undefined && (changed.includes(name) || name === 'updateDate'),
    );
    const conditions = ['attribute_exists(pk)', ...compared.map((name) => `#${name} = :read_${name}`)];
    const values = Object.fromEntries(compared.map((name) => [`read_${name}`, read[name]]));
    const list = {
      set: Object.fromEntries(changed.map((name) => [name, reduced[name]])),
      remove: changed.filter((name) => reduced[name] === undefined),
      if: where(conditions.join(' AND '), values),
    };
    return (await table.update({ pk: read.pk, sk: read.sk }, changes(list))) !== null;
  },
});

export const subjects = (table: Table) => ({ ...subjectReads(table), ...subjectWrites(table) });

/**
 * The subject and customer of a job. `accountKeys`: the keys of the accounts that are the subject or part of it, as far
 * as they are known. `named`: the audit log objects that are the subject or part of it, such as `sensor 4711`.
 */
export type SubjectScope = {
  customerId: number;
  subject: Subject;
  accountKeys: ReadonlySet<string>;
  named: ReadonlySet<string>;
};
