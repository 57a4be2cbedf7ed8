import { checkPassword } from '#shared/api/check-password.ts';
import type { Call } from '#shared/api/operation.ts';
import { type DataJob, FRESH_LOGIN } from '#shared/domain/identity/data-job.ts';
import { type JobKind, runJob } from '#shared/domain/identity/job-kinds.ts';
import { mayChangeRights } from '#shared/domain/identity/permission.ts';
import { randomUlid } from '#shared/domain/ids.ts';
import { UNASSIGNED } from '#shared/domain/unassigned.ts';
import type { Deps } from '#shared/runtime/deps.ts';
import type { personalData } from './contract.ts';

type Beginning = (typeof personalData)['operations']['createExport'];
type Begin = Call<Beginning>;
type BeginDeps = Deps<Beginning['uses'][number]>;

/** How many jobs of a customer may begin in a day: each reads all that there is. */
const MOST = 50;
const DAY_SECONDS = 86_400;

/** Is it the caller who calls, and not somebody at an open session? */
const prove = async (
  { caller, accountKey, sessionHash, body, fail, refuse }: Begin,
  deps: BeginDeps,
): Promise<void> => {
  const { store, now } = deps;
  const user = await store.users.get(caller.customerId, caller.accountId);
  if (user?.subject) {
    const session = await store.sessions.session(sessionHash);
    const isFresh = session?.kind === 'session' && now() - (session.authDate ?? session.createDate) < FRESH_LOGIN;
    return isFresh ? undefined : fail('login_too_old');
  }
  if (body.password === '') refuse('password', 'required');
  const { isRight, waitSeconds } = await checkPassword(accountKey, body.password, deps);
  if (waitSeconds > 0) return fail('rate_limited', { waitSeconds });
  if (!isRight) refuse('password', 'wrong_password');
};

/** Ends the call unless there is, or was, such a subject in the customer, about which the caller may decide. */
const demandSubject = async ({ caller, customerId, body: { subject }, fail, refuse }: Begin, deps: BeginDeps) => {
  const { sensors, users, customers } = deps.store;
  if (subject.kind === 'customer') {
    if (subject.id !== customerId) refuse('subject.id', 'unknown_reference');
    // What a deleted customer left can be erased, too.
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

/** Begins a job, once the caller has proved to be there; the job runs as soon as its task is received. */
export const begin = async (kind: JobKind, call: Begin, deps: BeginDeps): Promise<DataJob> => {
  const { customerId, body, fail } = call;
  const { store, now, random, enqueue, log } = deps;
  await prove(call, deps);
  await demandSubject(call, deps);
  if (!(await store.limits.take(`jobs:${customerId}`, MOST, DAY_SECONDS, now())))
    return fail('rate_limited', { waitSeconds: DAY_SECONDS });
  const createDate = now();
  const { subject, reason } = body;
  const job: DataJob = {
    id: randomUlid(createDate, random),
    kind,
    customerId,
    state: 'running',
    createDate,
    updateDate: createDate,
    subject,
    reason,
    counts: {},
    remains: [],
  };
  await store.dataJobs.create(job);
  await enqueue([runJob(job)]).catch((error: unknown) => log('warn', 'the job waits for the sweep', {}, error));
  return job;
};
