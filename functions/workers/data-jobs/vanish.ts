import { inBatches } from '#shared/concurrency/in-batches.ts';
import type { DataJob } from '#shared/domain/identity/data-job.ts';
import { UNASSIGNED } from '#shared/domain/unassigned.ts';
import { retryOnConflict } from '#shared/store/engine/retry.ts';
import { leadsOf, placesOfDevice } from '#shared/store/subjects/subject-places.ts';
import { kindOf } from '#shared/store/subjects/subject-walk.ts';
import { items } from '#shared/store/table.ts';
import type { JobDeps } from './deps.ts';

type Counts = Map<string, number>;
const addTo = (counts: Counts, kind: string): void => {
  counts.set(kind, (counts.get(kind) ?? 0) + 1);
};

/** Takes a sensor from a customer that is gone: nobody finds it, and its device has no token any more. */
const takeSensor = async (
  { store: { subjects }, now }: JobDeps,
  customerId: number,
  sensorId: string,
  counts: Counts,
): Promise<void> => {
  await subjects.markErased(customerId, sensorId, now(), true);
  for await (const place of placesOfDevice(subjects, customerId, sensorId))
    for await (const page of subjects.pages(place))
      for (const item of page) {
        const isRemoved = await subjects.remove(item);
        if (isRemoved) addTo(counts, kindOf(item) ?? '');
      }
};

/**
 * Nothing can be made in a customer that is gone: only then is what it had noted, because what came after that would be
 * found by nobody. It leads to the rest.
 */
const dropCustomer = async (deps: JobDeps, job: DataJob): Promise<void> => {
  const { store, now, failpoint } = deps;
  const { customerId } = job;
  const counts: Counts = new Map();
  if (await store.subjects.dropCustomer(customerId)) addTo(counts, 'customer');
  const leads = await leadsOf(store.subjects, customerId);
  await inBatches(leads, (lead) => store.subjects.keepLead(job, lead));
  failpoint('erasure.led');
  await inBatches(leads, async (lead) => {
    if (lead.kind === 'sensor') return takeSensor(deps, customerId, lead.id, counts);
    if (lead.kind !== 'user') return;
    if (await store.subjects.remove(items.account({ accountKey: lead.accountKey }))) addTo(counts, 'account');
  });
  await store.dataJobs.count(job, counts, now());
};

/** A user whose rights change meanwhile is read again. One without an account is of a customer that is being erased. */
const dropUser = async (deps: JobDeps, job: DataJob, userId: number): Promise<void> => {
  const { store, now, failpoint } = deps;
  const { customerId } = job;
  const place = { customerId, userId };
  const known = (await store.subjects.get(items.user(place))) ?? (await store.subjects.get(items.formerUser(place)));
  if (!known) return;
  await store.subjects.keepLead(job, { kind: 'user', id: String(userId), accountKey: String(known.accountKey) });
  failpoint('erasure.led');
  const removed = await retryOnConflict(async () => {
    const user = await store.users.get(customerId === UNASSIGNED ? null : customerId, userId);
    return user ? (await store.users.remove(user, now())) || null : false;
  });
  if (removed) await store.dataJobs.count(job, new Map([['user', 1]]), now());
};

/** Takes the subject of an erasure from where readers look for it. */
export const vanish = async (deps: JobDeps, job: DataJob): Promise<void> => {
  const { customerId, subject } = job;
  if (subject.kind === 'customer') return dropCustomer(deps, job);
  if (subject.kind === 'user') return dropUser(deps, job, subject.id);
  const { store, now } = deps;
  // It may have left the customer before.
  await store.subjects.markErased(customerId, subject.id, now(), true);
  const erased = await store.sensorOwners.erase(customerId, subject.id, now());
  if (erased === 'done') await store.dataJobs.count(job, new Map([['sensor', 1]]), now());
};
