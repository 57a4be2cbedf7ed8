import type { Caller } from '../domain/identity/permission.ts';
import type { Problem } from '../domain/problem.ts';
import type { StoreOf } from '../store/store.ts';

type Fail = (code: 'forbidden') => never;

/**
 * Returns the customer for an object being created: the caller's own, or, for a system admin, the one named in the
 * body.
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
 * Returns the customer whose objects to list: the caller's own, or, for a system admin, the requested one. Null if the
 * caller has no customer and does not request one.
 */
export const customerOfList = (caller: Caller, requested: number | undefined, fail: Fail): number | null => {
  if (requested !== undefined && !caller.isAdmin && requested !== caller.customerId) return fail('forbidden');
  return requested ?? caller.customerId;
};
