import { checkPassword } from '#shared/api/check-password.ts';
import { refuseRequester } from '#shared/api/erasure-requester.ts';
import type { Call } from '#shared/api/operation.ts';
import { actorOfCaller } from '#shared/domain/identity/audit.ts';
import { type DataJob, MAX_LOGIN_AGE, mayExport, needsApproval, REQUEST_MS } from '#shared/domain/identity/data-job.ts';
import { type JobKind, runJobTask } from '#shared/domain/identity/job-kinds.ts';
import { mayChangeRights } from '#shared/domain/identity/permission.ts';
import { randomUlid } from '#shared/domain/ids.ts';
import { UNASSIGNED } from '#shared/domain/unassigned.ts';
import type { Deps } from '#shared/runtime/deps.ts';
import type { personalData } from './contract.ts';

type CreateOperation = (typeof personalData)['operations']['createExport'];
type BeginCall = Call<CreateOperation>;
type BeginDeps = Deps<CreateOperation['uses'][number]>;

/** The maximum number of jobs per customer per day. Each job reads all data. */
const MAX_JOBS = 50;
const DAY_SECONDS = 86_400;

/** Checks, by password or recent login, that the caller is the user and not someone else using an open session. */
const proveIdentity = async (
  { caller, accountKey, sessionHash, body, fail, refuse }: BeginCall,
  deps: BeginDeps,
): Promise<void> => {
  const { store, now } = deps;
  const user = await store.users.get(caller.customerId, caller.accountId);
  if (user?.subject) {
    const session = await store.sessions.session(sessionHash);
    const isFresh = session?.kind === 'session' && now() - (session.authDate ?? session.createDate) < MAX_LOGIN_AGE;
    return isFresh ? undefined : fail('login_too_old');
  }
  if (body.password === '') refuse('password', 'required');
  const { isRight, waitSeconds } = await checkPassword(accountKey, body.password, deps);
  if (waitSeconds > 0) return fail('rate_limited', { waitSeconds });
  if (!isRight) refuse('password', 'wrong_password');
};

/** Checks that the subject belongs or belonged to the customer, and that the caller may start jobs for it. */
const checkSubject = async (
  kind: JobKind,
  { caller, customerId, body: { subject }, fail, refuse }: BeginCall,
  deps: BeginDeps,
) => {
  const { sensors, users, customers } = deps.store;
  // Users must not remove their own traces.
  if (kind === 'erasure' && subject.kind === 'user' && subject.id === caller.accountId) return fail('forbidden');
  if (subject.kind === 'customer') {
    if (subject.id !== customerId) refuse('subject.id', 'unknown_reference');
    // Data left behind by a deleted customer can be erased too.
    if (!caller.isAdmin && !(await customers.get(customerId))) return fail('customer_not_found');
    return;
  }
  if (subject.kind === 'sensor') {
    const found = (await sensors.get(customerId, subject.id)) ?? (await sensors.former(customerId, subject.id));
    return found ? undefined : fail('sensor_not_found');
  }
  const home = customerId === UNASSIGNED ? null : customerId;
  const user = await users.get(home, subject.id);
  if (user && !mayChangeRights(caller, user)) return fail('forbidden');
  return (user ?? (await users.former(home, subject.id))) ? undefined : fail('user_not_found');
};

type EraseOperation = (typeof personalData)['operations']['createErasure'];
type StoreJob = (job: DataJob) => Promise<void>;
/**
 * Fails the request if the customer's erasure has already been requested, or if this request would erase a user and the
 * caller has requested the customer's erasure. Returns the function that stores the erasure.
 */
export const checkRequests = async (
  call: Call<EraseOperation>,
  deps: Deps<EraseOperation['uses'][number]>,
): Promise<StoreJob> => {
  const { store } = deps;
  const { customerId, caller, body, fail } = call;
  if (body.subject.kind === 'user') await refuseRequester(call, deps);
  if (!needsApproval('erasure', body.subject, caller)) return store.dataJobs.create;
  // Read before the list, so only one of several concurrent requests is stored.
  const { erasureRequest } = (await store.customers.get(customerId)) ?? fail('customer_not_found');
  const jobs = await store.dataJobs.list(customerId, 'erasure');
  if (jobs.some(({ state }) => state === 'requested')) return fail('erasure_requested');
  return async (job) => {
    if (!(await store.dataJobs.request(job, erasureRequest))) fail('erasure_requested');
  };
};

/** Creates and queues a job, after checking the caller's identity. */
export const beginJob = async (
  kind: JobKind,
  call: BeginCall,
  deps: BeginDeps,
  storeJob: StoreJob = deps.store.dataJobs.create,
): Promise<DataJob> => {
  const { caller, customerId, body, auditUnder, auditChange, fail } = call;
  const { store, now, random, enqueue, log } = deps;
  if (kind === 'export' && !mayExport(caller, body.subject)) return fail('forbidden');
  await proveIdentity(call, deps);
  await checkSubject(kind, call, deps);
  if (!(await store.limits.take(`jobs:${customerId}`, MAX_JOBS, DAY_SECONDS, now())))
    return fail('rate_limited', { waitSeconds: DAY_SECONDS });
  const createDate = now();
  const { subject, reason } = body;
  const isRequest = needsApproval(kind, subject, caller);
  const job: DataJob = {
    id: randomUlid(createDate, random),
    kind,
    customerId,
    state: isRequest ? 'requested' : 'running',
    createDate,
    updateDate: createDate,
    subject,
    reason,
    actor: actorOfCaller(caller),
    counts: {},
    remains: [],
    ...(isRequest && { begins: createDate + REQUEST_MS }),
  };
  auditChange({ subject: null }, { subject });
  // The erasure includes the audit log of the customer.
  if (kind === 'erasure' && subject.kind === 'customer') auditUnder(UNASSIGNED);
  await storeJob(job);
  await enqueue([runJobTask(job)]).catch((error: unknown) => log('warn', 'a data job is left to the sweep', {}, error));
  return job;
};
