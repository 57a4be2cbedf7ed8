import type { Actor } from '#shared/domain/identity/audit.ts';
import { type DataJob, JOB_RETENTION } from '#shared/domain/identity/data-job.ts';
import type { JobKind } from '#shared/domain/identity/job-kinds.ts';
import { firstUlidAt, timeOfUlid } from '#shared/domain/ids.ts';
import type { Table, TableReader } from '../engine/client.ts';
import { dueAt, dueAttributes } from '../engine/due.ts';
import { changes, type Item, present, where } from '../engine/request.ts';
import { items } from '../table.ts';

type JobKey = Pick<DataJob, 'customerId' | 'kind' | 'id'>;
/** What is needed to repeat an erasure, or to cancel a requested erasure again. */
export type ListedErasure = Pick<
  DataJob,
  'id' | 'customerId' | 'subject' | 'reason' | 'actor' | 'createDate' | 'canceledBy'
>;

const jobKey = ({ customerId, kind, id: jobId }: JobKey) => items.dataJob({ customerId, kind, jobId });
/** The number of characters encoding the time in a ULID. */
const TIME_LENGTH = 10;
const ttlOf = (createDate: number) => Math.ceil((createDate + JOB_RETENTION) / 1_000);

/** Returns the write that lists an erasure under `time` (ms), so that a recovery can repeat what happened then. */
const listedAt = (job: DataJob, time: number, more: Partial<ListedErasure> = {}) => {
  const { id, customerId, subject, reason, actor = null, createDate } = job;
  const listed: ListedErasure = { id, customerId, subject, reason, actor, createDate, ...more };
  const jobId = firstUlidAt(time) + id.slice(TIME_LENGTH);
  return { put: { ...listed, ...items.erasure({ jobId }), ttl: ttlOf(Math.max(time, createDate)) } };
};
const isRequested = where('#state = :requested', { requested: 'requested' });

/**
 * The prefix of count attributes. Each count is a separate attribute, because DynamoDB can add only to top-level
 * attributes.
 */
const COUNT = 'erased_';
/** Returns the job stored in an item. */
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

  /** Returns a customer's jobs, newest first. There are few, because the number per day is limited. */
  list: async (customerId: number, kind: JobKind): Promise<DataJob[]> => {
    const query = { pk: items.dataJob.pk({ customerId }), beginsWith: `JOB#${kind}#`, newestFirst: true };
    return (await table.queryAll<DataJob>(query)).map(jobOf);
  },

  /** Returns all erasures, for any customer, that started at `time` (ms) or later, oldest first. */
  erasuresSince: (time: number) =>
    table.queryAll<ListedErasure>({ pk: items.erasure.pk({}), between: [firstUlidAt(time), '~'] }),
});

const dataJobWrites = (table: Table) => ({
  /**
   * Creates a job, due at once, unless the id already exists. An erasure that begins is also listed for recoveries.
   * After a recovery, the restored table may contain only a request for the erasure, which is then replaced.
   */
  create: async (job: DataJob): Promise<void> => {
    const { id, kind, state, createDate } = job;
    const isErasure = kind === 'erasure' && state !== 'requested';
    const isNew = where('attribute_not_exists(pk) OR #state = :requested', { requested: 'requested' });
    await table.write(
      { put: { ...job, ...jobKey(job), ...dueAt(id, createDate), ttl: ttlOf(createDate) }, where: isNew },
      ...(isErasure ? [listedAt(job, timeOfUlid(id))] : []),
    );
  },

  /**
   * Creates a requested erasure, unless another one was requested since `before` was read from the customer. Returns
   * false if one was, or the customer does not exist.
   */
  request: async (job: DataJob, before: string | undefined): Promise<boolean> => {
    const { customerId, id, createDate } = job;
    const seen = before === undefined ? 'attribute_not_exists(#erasureRequest)' : '#erasureRequest = :before';
    const isFirst = where(`attribute_exists(pk) AND ${seen}`, before === undefined ? {} : { before });
    const failed = await table.write(
      { put: { ...job, ...jobKey(job), ...dueAt(id, createDate), ttl: ttlOf(createDate) } },
      { update: items.customer({ customerId }), changes: changes({ set: { erasureRequest: id }, if: isFirst }) },
    );
    return failed === null;
  },

  /**
   * Approves a requested erasure, which is due at `dueTime` (ms). Returns false if it has been approved or canceled, or
   * has begun.
   */
  approve: async (job: DataJob, approvedBy: Actor, updateDate: number, dueTime: number): Promise<boolean> => {
    const isOpen = where('#state = :requested AND attribute_not_exists(#approvedBy)', { requested: 'requested' });
    const set = { approvedBy, updateDate, ...dueAt(job.id, dueTime) };
    return (await table.update(jobKey(job), changes({ set, if: isOpen }))) !== null;
  },

  /**
   * Cancels a requested erasure, and lists the cancellation for recoveries. Returns false if it has been canceled or
   * has begun.
   */
  cancel: async (job: DataJob, canceledBy: Actor, now: number): Promise<boolean> => {
    const set = { state: 'canceled', canceledBy, updateDate: now };
    const failed = await table.write(
      { update: jobKey(job), changes: changes({ set, remove: dueAttributes, if: isRequested }) },
      listedAt(job, now, { canceledBy }),
    );
    return failed === null;
  },

  /** Begins an approved erasure, and lists it for recoveries. Returns false if it has been canceled or has begun. */
  begin: async (job: DataJob, now: number): Promise<boolean> => {
    const isApproved = where('#state = :requested AND attribute_exists(#approvedBy)', { requested: 'requested' });
    const set = { state: 'running', startDate: now, updateDate: now };
    const failed = await table.write(
      { update: jobKey(job), changes: changes({ set, if: isApproved }) },
      listedAt(job, now),
    );
    return failed === null;
  },

  /** Records that all users who may cancel a requested erasure have been informed. */
  recordMails: async (job: JobKey): Promise<void> => {
    await table.update(jobKey(job), changes({ set: { isMailed: true }, if: present }));
  },

  /** Removes a requested erasure from the due index until it is approved. */
  awaitApproval: async (job: JobKey): Promise<void> => {
    const isOpen = where('attribute_exists(pk) AND attribute_not_exists(#approvedBy)');
    await table.update(jobKey(job), changes({ remove: dueAttributes, if: isOpen }));
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

  /** Ends a job. `dueAgain`: when (ms) the file has to be deleted. */
  end: async (
    job: JobKey,
    result: Pick<DataJob, 'state' | 'updateDate'> & Partial<Pick<DataJob, 'counts' | 'file' | 'remains'>>,
    dueAgain: number | null,
  ): Promise<void> => {
    const set = { ...result, ...(dueAgain !== null && dueAt(job.id, dueAgain)) };
    await table.update(jobKey(job), changes({ set, remove: dueAgain === null ? dueAttributes : [], if: present }));
  },

  /** Records that a user is given a URL for an export file. */
  recordUrl: async (job: JobKey, urlDate: number): Promise<void> => {
    await table.update(jobKey(job), changes({ set: { urlDate }, if: present }));
  },

  /** Records that an export file was deleted. */
  dropFile: async (job: JobKey): Promise<void> => {
    await table.update(jobKey(job), changes({ remove: ['file', ...dueAttributes], if: present }));
  },
});

export const dataJobs = (table: Table) => ({ ...dataJobReads(table), ...dataJobWrites(table) });
