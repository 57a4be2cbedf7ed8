import { type DataJob, JOB_RETENTION } from '#shared/domain/identity/data-job.ts';
import type { JobKind } from '#shared/domain/identity/job-kinds.ts';
import { firstUlidAt } from '#shared/domain/ids.ts';
import type { Table, TableReader } from '../engine/client.ts';
import { dueAt, dueAttributes } from '../engine/due.ts';
import { absent, changes, type Item, present } from '../engine/request.ts';
import { items } from '../table.ts';

type JobKey = Pick<DataJob, 'customerId' | 'kind' | 'id'>;
/** What is needed to repeat an erasure. */
export type ListedErasure = Pick<DataJob, 'id' | 'customerId' | 'subject' | 'reason' | 'actor' | 'createDate'>;

const jobKey = ({ customerId, kind, id: jobId }: JobKey) => items.dataJob({ customerId, kind, jobId });
const ttlOf = (createDate: number) => Math.ceil((createDate + JOB_RETENTION) / 1_000);

/** The prefix of the attributes with the counts. Each count is a separate attribute, because only those can be added to. */
const COUNT = 'erased_';
/** Returns the job that an item holds. */
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
    const found = await table.get<DataJob>(jobKey(key));
    return found && jobOf(found);
  },

  /** Returns the jobs of a customer, newest first. They are few, because the number per day is limited. */
  list: async (customerId: number, kind: JobKind): Promise<DataJob[]> => {
    const query = { pk: items.dataJob.pk({ customerId }), beginsWith: `JOB#${kind}#`, newestFirst: true };
    return (await table.queryAll<DataJob>(query)).map(jobOf);
  },

  /** Returns the erasures of all customers that started at `time` (ms) or later, oldest first. */
  erasuresSince: (time: number) =>
    table.queryAll<ListedErasure>({ pk: items.erasure.pk({}), between: [firstUlidAt(time), '~'] }),
});

const dataJobWrites = (table: Table) => ({
  /** Creates a job, which is due at once, unless its id exists. An erasure is also listed for recoveries. */
  create: async (job: DataJob): Promise<void> => {
    const { id, customerId, kind, subject, reason, actor = null, createDate } = job;
    const ttl = ttlOf(createDate);
    const listed: ListedErasure = { id, customerId, subject, reason, actor, createDate };
    await table.write(
      { put: { ...job, ...jobKey(job), ...dueAt(id, createDate), ttl }, where: absent },
      ...(kind === 'erasure' ? [{ put: { ...listed, ...items.erasure({ jobId: id }), ttl } }] : []),
    );
  },

  /** Records that the subject of an erasure cannot be found anymore. */
  recordSubjectGone: async (job: JobKey, updateDate: number): Promise<void> => {
    await table.update(jobKey(job), changes({ set: { isGone: true, updateDate }, if: present }));
  },

  /** Adds to the counts of erased items. */
  addCounts: async (job: JobKey, counts: ReadonlyMap<string, number>, updateDate: number): Promise<void> => {
    const add = Object.fromEntries([...counts].map(([kind, count]) => [COUNT + kind, count]));
    if (counts.size > 0) await table.update(jobKey(job), changes({ set: { updateDate }, add, if: present }));
  },

  /** Sets when (ms) the sweep continues a job. */
  schedule: async (job: JobKey, time: number): Promise<void> => {
    await table.update(jobKey(job), changes({ set: dueAt(job.id, time), if: present }));
  },

  /** Ends a job. `dueAgain`: when (ms) its file has to be deleted. */
  end: async (
    job: JobKey,
    result: Pick<DataJob, 'state' | 'updateDate'> & Partial<Pick<DataJob, 'counts' | 'file' | 'remains'>>,
    dueAgain: number | null,
  ): Promise<void> => {
    const set = { ...result, ...(dueAgain !== null && dueAt(job.id, dueAgain)) };
    await table.update(jobKey(job), changes({ set, remove: dueAgain === null ? dueAttributes : [], if: present }));
  },

  /** Records that somebody gets a URL of the file of an export. */
  recordUrl: async (job: JobKey, urlDate: number): Promise<void> => {
    await table.update(jobKey(job), changes({ set: { urlDate }, if: present }));
  },

  /** Records that the file of an export was deleted. */
  dropFile: async (job: JobKey): Promise<void> => {
    await table.update(jobKey(job), changes({ remove: ['file', ...dueAttributes], if: present }));
  },
});

export const dataJobs = (table: Table) => ({ ...dataJobReads(table), ...dataJobWrites(table) });
