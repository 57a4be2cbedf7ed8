import { deflateRawSync, inflateRawSync } from 'node:zlib';
import { JOB_RETENTION } from '#shared/domain/identity/data-job.ts';
import { IMPORT_DEADLINE, type ImportJob, type ImportStep, type RowProblem } from '#shared/domain/import/import-job.ts';
import { latestAhead } from '#shared/domain/state/clock.ts';
import type { Table, TableReader } from '../engine/client.ts';
import { dueAt, dueAttributes } from '../engine/due.ts';
import { absent, changes, present, where } from '../engine/request.ts';
import { retryOnConflict } from '../engine/retry.ts';
import { readSensor, updateSensor } from '../sensors/sensor-item.ts';
import { items } from '../table.ts';

type ImportKey = Pick<ImportJob, 'customerId' | 'id'>;
const jobKey = ({ customerId, id: jobId }: ImportKey) => items.dataJob({ customerId, kind: 'import', jobId });
const stepsKey = ({ customerId, id: jobId }: ImportKey) => items.importSteps({ customerId, jobId });
const turnKey = (customerId: number) => items.importTurn({ customerId });
const ttlOf = (time: number) => Math.ceil(time / 1_000);

export const importReads = (table: TableReader) => ({
  get: (key: ImportKey): Promise<ImportJob | null> => table.get<ImportJob>(jobKey(key)),
  /**
   * Returns an import's steps, and the client address of the request that began the import. Once it has ended, it has
   * no steps.
   */
  steps: async (key: ImportKey): Promise<{ steps: ImportStep[]; address: string }> => {
    const { steps, address = '' } = (await table.get<{ steps: string; address?: string }>(stepsKey(key))) ?? {};
    if (steps === undefined) return { steps: [], address };
    return { steps: JSON.parse(inflateRawSync(Buffer.from(steps, 'base64')).toString('utf8')), address };
  },
});

const importWrites = (table: Table) => ({
  /** Creates an import, due at once. `address`: where the request came from. */
  create: async (job: ImportJob, steps: readonly ImportStep[], address: string): Promise<void> => {
    const { id, createDate } = job;
    const packed = deflateRawSync(JSON.stringify(steps)).toString('base64');
    await table.write(
      { put: { ...stepsKey(job), steps: packed, address, ttl: ttlOf(createDate + 2 * IMPORT_DEADLINE) } },
      {
        put: { ...job, ...jobKey(job), ...dueAt(id, createDate), ttl: ttlOf(createDate + JOB_RETENTION) },
        where: absent,
      },
    );
  },

  /**
   * Lets an import run until the given time (ms) or until it ends. Returns false while another import for the customer
   * is running. An import already running continues.
   */
  takeTurn: async ({ customerId, id }: ImportKey, now: number, until: number): Promise<boolean> => {
    // A turn that is longer than possible was taken before the clock was set back.
    const free = where('attribute_not_exists(pk) OR #jobId = :jobId OR #until <= :now OR #until > :latest', {
      jobId: id,
      now,
      latest: latestAhead(now, until - now),
    });
    const turn = { ...turnKey(customerId), jobId: id, until, ttl: ttlOf(until) };
    return (await table.write({ put: turn, where: free })) === null;
  },

  /** Sets when (ms) the sweep continues an import. */
  schedule: async (job: ImportKey, time: number): Promise<void> => {
    await table.update(jobKey(job), changes({ set: dueAt(job.id, time), if: present }));
  },

  /** Records how many steps are done, and which rows could not be applied. */
  record: async (job: ImportKey, done: number, problems: readonly RowProblem[], updateDate: number): Promise<void> => {
    await table.update(jobKey(job), changes({ set: { done, problems, updateDate }, if: present }));
  },

  /** Renames a sensor. Returns false if it does not exist. */
  renameSensor: (customerId: number, sensorId: string, name: string, updateDate: number): Promise<boolean> =>
    retryOnConflict(async () => {
      const sensor = await readSensor(table, customerId, sensorId);
      if (!sensor) return false;
      return (await table.write(updateSensor(sensor, { name, updateDate }))) === null || null;
    }),

  /** Ends an import, deletes its steps, and lets the next import run. */
  end: async (job: ImportKey, state: ImportJob['state'], updateDate: number): Promise<void> => {
    await table.write(
      { update: jobKey(job), changes: changes({ set: { state, updateDate }, remove: dueAttributes, if: present }) },
      { remove: stepsKey(job) },
    );
    await table.write({ remove: turnKey(job.customerId), where: where('#jobId = :jobId', { jobId: job.id }) });
  },
});

export const imports = (table: Table) => ({ ...importReads(table), ...importWrites(table) });
