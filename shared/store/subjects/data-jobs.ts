import { type DataJob, JOB_KEPT } from '#shared/domain/identity/data-job.ts';
import type { JobKind } from '#shared/domain/identity/job-kinds.ts';
import { ulidsFrom } from '#shared/domain/ids.ts';
import type { Table, TableReader } from '../engine/client.ts';
import { dueAt, dueNames } from '../engine/due.ts';
import { absent, changes, type Item, present } from '../engine/request.ts';
import { items } from '../table.ts';

type JobKey = Pick<DataJob, 'customerId' | 'kind' | 'id'>;
/** What has to be known of an erasure to make it again. */
export type ListedErasure = Pick<DataJob, 'id' | 'customerId' | 'subject' | 'reason' | 'createDate'>;

const keyOf = ({ customerId, kind, id: jobId }: JobKey) => items.dataJob({ customerId, kind, jobId });
const ttlOf = (createDate: number) => Math.ceil((createDate + JOB_KEPT) / 1_000);

/** Only what is no part of another attribute can be added to: each count is an attribute, whose name begins so. */
const COUNT = 'erased_';
/** The job that an item of the table is. */
const jobOf = (item: DataJob & Item): DataJob => {
  const counted = Object.entries(item).filter(([name]) => name.startsWith(COUNT));
  return {
    ...item,
    counts: {
      ...item.counts,
      ...Object.fromEntries(counted.map(([name, n]) => [name.slice(COUNT.length), Number(n)])),
    },
  };
};

export const dataJobReads = (table: TableReader) => ({
  get: async (key: JobKey): Promise<DataJob | null> => {
    const found = await table.get<DataJob>(keyOf(key));
    return found && jobOf(found);
  },

  /** The jobs of a customer, the newest first. They are few: so many may begin on a day. */
  list: async (customerId: number, kind: JobKind): Promise<DataJob[]> => {
    const query = { pk: items.dataJob.pk({ customerId }), beginsWith: `JOB#${kind}#`, newestFirst: true };
    return (await table.queryAll<DataJob>(query)).map(jobOf);
  },

  /** The erasures of all customers that began at a time (ms) or later, the oldest first. */
  erasuresSince: (time: number) =>
    table.queryAll<ListedErasure>({ pk: items.erasure.pk({}), between: [ulidsFrom(time), '~'] }),
});

const dataJobWrites = (table: Table) => ({
  /** A new job, which is due at once; an erasure is listed for a recovery, too. Once for its id. */
  create: async (job: DataJob): Promise<void> => {
    const { id, customerId, kind, subject, reason, createDate } = job;
    const ttl = ttlOf(createDate);
    const listed: ListedErasure = { id, customerId, subject, reason, createDate };
    await table.write(
      { put: { ...job, ...keyOf(job), ...dueAt(id, createDate), ttl }, where: absent },
      ...(kind === 'erasure' ? [{ put: { ...listed, ...items.erasure({ jobId: id }), ttl } }] : []),
    );
  },

  /** Notes that nobody finds the subject of an erasure any more. */
  gone: async (job: JobKey, updateDate: number): Promise<void> => {
    await table.update(keyOf(job), changes({ set: { isGone: true, updateDate }, if: present }));
  },

  /** Adds to the counts of what was erased. */
  count: async (job: JobKey, counts: ReadonlyMap<string, number>, updateDate: number): Promise<void> => {
    const add = Object.fromEntries([...counts].map(([kind, count]) => [COUNT + kind, count]));
    if (counts.size > 0) await table.update(keyOf(job), changes({ set: { updateDate }, add, if: present }));
  },

  /** Sets when (ms) the sweep looks at a job again. */
  again: async (job: JobKey, time: number): Promise<void> => {
    await table.update(keyOf(job), changes({ set: dueAt(job.id, time), if: present }));
  },

  /** Ends a job; `dueAgain`: when (ms) its result is to be deleted. */
  end: async (
    job: JobKey,
    how: Pick<DataJob, 'state' | 'updateDate'> & Partial<Pick<DataJob, 'counts' | 'file' | 'remains'>>,
    dueAgain: number | null,
  ): Promise<void> => {
    const set = { ...how, ...(dueAgain !== null && dueAt(job.id, dueAgain)) };
    await table.update(keyOf(job), changes({ set, remove: dueAgain === null ? dueNames : [], if: present }));
  },

  /** Notes that the result of an export was deleted. */
  dropFile: async (job: JobKey): Promise<void> => {
    await table.update(keyOf(job), changes({ remove: ['file', ...dueNames], if: present }));
  },
});

export const dataJobs = (table: Table) => ({ ...dataJobReads(table), ...dataJobWrites(table) });
