import { inBatches } from '#shared/concurrency/in-batches.ts';
import type { DataJob } from '#shared/domain/identity/data-job.ts';
import { UNASSIGNED } from '#shared/domain/unassigned.ts';
import { retryOnConflict } from '#shared/store/engine/retry.ts';
import { leadsOf, placesOfDevice } from '#shared/store/subjects/subject-places.ts';
import { kindOf } from '#shared/store/subjects/subject-walk.ts';
import { items } from '#shared/store/table.ts';
import type { JobDeps } from './deps.ts';

type Counts = Map<string, number>;
const increment = (counts: Counts, kind: string): void => {
  counts.set(kind, (counts.get(kind) ?? 0) + 1);
};

/** Removes the items used to look up a deleted customer's sensor, including the device token. */
const detachSensor = async (
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
        if (isRemoved) increment(counts, kindOf(item) ?? '');
      }
};

/**
 * Deletes a customer, which makes all customer data unreachable. The users and sensors, which lead to the remaining
 * data, are recorded only after the deletion, because from then on, nothing can be created for the customer.
 */
const detachCustomer = async (deps: JobDeps, job: DataJob): Promise<void> => {
  const { store, now, failpoint } = deps;
  const { customerId } = job;
  const counts: Counts = new Map();
  if (await store.subjects.dropCustomer(customerId)) increment(counts, 'customer');
  const leads = await leadsOf(store.subjects, customerId);
  await inBatches(leads, (lead) => store.subjects.keepLead(job, lead));
  failpoint('erasure.led');
  await inBatches(leads, async (lead) => {
    if (lead.kind === 'sensor') return detachSensor(deps, customerId, lead.id, counts);
    if (lead.kind !== 'user') return;
    if (await store.subjects.remove(items.account({ accountKey: lead.accountKey }))) increment(counts, 'account');
  });
  await store.dataJobs.addCounts(job, counts, now());
};

/**
 * Deletes a user together with the account. If the user changes in the meantime, the user is read again. A user without
 * an account belongs to an erased customer.
 */
const detachUser = async (deps: JobDeps, job: DataJob, userId: number): Promise<void> => {
  const { store, now, failpoint } = deps;
  const { customerId } = job;
  const place = { customerId, userId };
  const found = (await store.subjects.get(items.user(place))) ?? (await store.subjects.get(items.formerUser(place)));
  if (!found) return;
  await store.subjects.keepLead(job, { kind: 'user', id: String(userId), accountKey: String(found.accountKey) });
  failpoint('erasure.led');
  const removed = await retryOnConflict(async () => {
    const user = await store.users.get(customerId === UNASSIGNED ? null : customerId, userId);
    return user ? (await store.users.remove(user, now())) || null : false;
  });
  if (removed) await store.dataJobs.addCounts(job, new Map([['user', 1]]), now());
};

/** Removes the erased subject from wherever readers look it up. */
export const detachSubject = async (deps: JobDeps, job: DataJob): Promise<void> => {
  const { customerId, subject } = job;
  if (subject.kind === 'customer') return detachCustomer(deps, job);
  if (subject.kind === 'user') return detachUser(deps, job, subject.id);
  const { store, now } = deps;
  // The sensor may already have left the customer.
  await store.subjects.markErased(customerId, subject.id, now(), true);
  const erased = await store.sensorOwners.erase(customerId, subject.id, now());
  if (erased === 'done') await store.dataJobs.addCounts(job, new Map([['sensor', 1]]), now());
};
