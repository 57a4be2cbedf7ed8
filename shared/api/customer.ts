import type { Caller } from '../domain/identity/permission.ts';
import type { Problem } from '../domain/problem.ts';
import type { StoreOf } from '../store/store.ts';

type Fail = (code: 'forbidden') => never;

/**
 * Gives the customer for an object that a caller creates: the caller's own customer, or the one that a system admin
 * names in the body.
 */
export const customerFor = async (
  { caller, fail, refuse }: { caller: Caller; fail: Fail; refuse: (path: string, problem: Problem) => never },
  given: number | undefined,
  store: StoreOf<'customers.get'>,
): Promise<number> => {
  if (given !== undefined && !caller.isAdmin && given !== caller.customerId) return fail('forbidden');
  if (given !== undefined && caller.isAdmin && !(await store.customers.get(given)))
    refuse('customerId', 'unknown_reference');
  return given ?? caller.customerId ?? refuse('customerId', 'customer_required');
};

/**
 * Gives the customer whose objects a caller lists: the caller's own customer, or the one that a system admin asks for.
 * It is null if the caller has no customer and asks for none.
 */
export const customerOfList = (caller: Caller, given: number | undefined, fail: Fail): number | null => {
  if (given !== undefined && !caller.isAdmin && given !== caller.customerId) return fail('forbidden');
  return given ?? caller.customerId;
};
