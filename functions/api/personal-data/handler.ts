import { serve } from '#shared/api/serve.ts';
import { actorOfCaller } from '#shared/domain/identity/audit.ts';
import {
  type DataJob,
  erasureView,
  exportView,
  fileUntil,
  isRequestOf,
  mayExport,
} from '#shared/domain/identity/data-job.ts';
import { runJobTask } from '#shared/domain/identity/job-kinds.ts';
import { UNASSIGNED } from '#shared/domain/unassigned.ts';
import type { Deps } from '#shared/runtime/deps.ts';
import { retryOnConflict } from '#shared/store/engine/retry.ts';
import { beginJob, checkRequests } from './begin-job.ts';
import { personalData } from './contract.ts';

/**
 * How long (ms) a response waits for the erased subject to become inaccessible. This usually takes only as long as the
 * job waits in the queue.
 */
const GONE_TIMEOUT_MS = 8_000;
const POLL_MS = 100;

type RequestCall = {
  customerId: number;
  params: { erasureId: string };
  auditUnder: (customerId: number) => void;
  fail: (code: 'job_not_found' | 'erasure_begun' | 'erasure_canceled') => never;
};
/**
 * Returns the erasure named in the request if it is waiting for approval. The request is audited under customer 0,
 * because the audit log of the customer may be erased.
 */
const requestedErasure = async (
  { customerId, params, auditUnder, fail }: RequestCall,
  { store }: Deps<'dataJobs.get'>,
): Promise<DataJob> => {
  auditUnder(UNASSIGNED);
  const job = await store.dataJobs.get({ customerId, kind: 'erasure', id: params.erasureId });
  if (!job) return fail('job_not_found');
  if (job.state === 'canceled') return fail('erasure_canceled');
  return job.state === 'requested' ? job : fail('erasure_begun');
};

export const handler = serve(personalData, {
  createExport: async (call, deps) => exportView(await beginJob('export', call, deps), deps.now()),

  listExports: async ({ customerId }, { store, now }) =>
    (await store.dataJobs.list(customerId, 'export')).map((job) => exportView(job, now())),

  getExport: async ({ caller, customerId, params, audited, fail }, { store, urlOfExport, now }) => {
    const job =
      (await store.dataJobs.get({ customerId, kind: 'export', id: params.exportId })) ?? fail('job_not_found');
    const { file } = job;
    const mayDownload = caller.kind === 'session' && mayExport(caller, job.subject);
    if (file === undefined || fileUntil(job, now()) === null || !mayDownload) return exportView(job, now());
    // Anyone with the URL can download the file, so each URL is recorded before it is returned.
    await audited(() => store.dataJobs.recordUrl(job, now()));
    return exportView(job, now(), await urlOfExport(file));
  },

  createErasure: async (call, deps) => {
    const { store, now, pause } = deps;
    const storeJob = await checkRequests(call, deps);
    let job = await beginJob('erasure', call, deps, storeJob);
    if (job.state === 'requested') return erasureView(job);
    for (const until = now() + GONE_TIMEOUT_MS; !job.isGone && now() < until; await pause(POLL_MS))
      job = (await store.dataJobs.get(job)) ?? job;
    return erasureView(job);
  },

  listErasures: async ({ customerId }, { store }) =>
    (await store.dataJobs.list(customerId, 'erasure')).map(erasureView),

  getErasure: async ({ customerId, params, fail }, { store }) => {
    const job = await store.dataJobs.get({ customerId, kind: 'erasure', id: params.erasureId });
    return job ? erasureView(job) : fail('job_not_found');
  },

  approveErasure: async (call, deps) => {
    const { caller, fail } = call;
    const { store, now, enqueue, log } = deps;
    return retryOnConflict(async () => {
      const job = await requestedErasure(call, deps);
      if (isRequestOf(job, caller.accountId)) return fail('forbidden');
      if (job.approvedBy) return erasureView(job);
      const approvedBy = actorOfCaller(caller);
      const { begins = 0 } = job;
      const time = now();
      if (!(await store.dataJobs.approve(job, approvedBy, time, Math.max(begins, time)))) return null;
      const leaveToSweep = (error: unknown) => log('warn', 'a data job is left to the sweep', {}, error);
      if (begins <= time) await enqueue([runJobTask(job)]).catch(leaveToSweep);
      return erasureView({ ...job, approvedBy, updateDate: time });
    });
  },

  cancelErasure: async (call, deps) => {
    const { store, now } = deps;
    const canceledBy = actorOfCaller(call.caller);
    return retryOnConflict(async () => {
      const job = await requestedErasure(call, deps);
      const updateDate = now();
      if (!(await store.dataJobs.cancel(job, canceledBy, updateDate))) return null;
      return erasureView({ ...job, state: 'canceled', canceledBy, updateDate });
    });
  },
});
