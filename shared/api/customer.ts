import type { Caller } from '../domain/identity/permission.ts';
import type { Problem } from '../domain/problem.ts';
import type { StoreOf } from '../store/store.ts';

type Fail = (code: 'forbidden') => never;

/**
 * Returns the customer of an object that a caller creates: the caller's own customer, or the one that a system admin
 * names in the body.
 */
export const customerFor = async (
  { caller, fail, refuse }: { caller: Caller; fail: Fail; refuse: (path: string, problem: Problem) => never },
  requested: number | undefined,
  store: StoreOf<'customers.get'>,
): Promise<number> => {
  if (requested !== undefined && !caller.isAdmin && requested !== caller.customerId) return fail('forbidden');
  if (requested !== undefined && caller.isAdmin && !(await store.customers.get(requested)))
    refuse('customerId', 'unknown_reference');
  return requested ?? caller.customerId ?? refuse('customerId', 'customer_required');
};

/**
 * Returns the customer whose objects a caller lists: the caller's own customer, or the one that a system admin asks
 * for. Null if the caller has no customer and does not ask for one.
 */
export const customerOfList = (caller: Caller, requested: number | undefined, fail: Fail): number | null => {
  if (requested !== undefined && !caller.isAdmin && requested !== caller.customerId) return fail('forbidden');
  return requested ?? caller.customerId;
};
