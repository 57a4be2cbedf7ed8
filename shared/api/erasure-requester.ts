import { isRequestOf } from '../domain/identity/data-job.ts';
import type { Caller } from '../domain/identity/permission.ts';
import type { Deps } from '../runtime/deps.ts';

type RequesterCall = { caller: Caller; fail: (code: 'erasure_requester') => never };

/**
 * Fails the request if the caller has requested erasure of the customer. Until the erasure begins or is canceled, the
 * requester must not remove users who could cancel it, or gain another account that could approve it.
 */
export const refuseRequester = async (
  { caller, fail }: RequesterCall,
  { store }: Deps<'dataJobs.list'>,
): Promise<void> => {
  const { customerId, accountId } = caller;
  if (customerId === null) return;
  const jobs = await store.dataJobs.list(customerId, 'erasure');
  if (jobs.some((job) => isRequestOf(job, accountId))) fail('erasure_requester');
};
