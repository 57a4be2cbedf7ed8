import type { Call } from '#shared/api/operation.ts';
import { INVITATIONS_PER_DAY } from '#shared/domain/identity/user.ts';
import { UNASSIGNED } from '#shared/domain/unassigned.ts';
import type { Deps } from '#shared/runtime/deps.ts';
import type { users } from './contract.ts';

type Operation = (typeof users)['operations']['createUser'];
type CreateCall = Call<Operation>;
type CreateDeps = Deps<Operation['uses'][number]>;

const DAY_SECONDS = 86_400;

/** Counts an invitation of a customer, or ends the call if it has sent too many in a day. */
export const countInvitation = async (
  { fail }: Pick<CreateCall, 'fail'>,
  customerId: number | null,
  { store, now }: CreateDeps,
): Promise<void> => {
  const subject = `invitations:${customerId ?? UNASSIGNED}`;
  if ((await store.limits.countWithin(subject, INVITATIONS_PER_DAY, DAY_SECONDS, now())) === null)
    return fail('limit_reached', { limit: { of: 'invitations', most: INVITATIONS_PER_DAY } });
};
