import { followFall, requestedAcknowledgement, resumeHits } from '#shared/api/acknowledgements.ts';
import { serve } from '#shared/api/serve.ts';
import type { AnsweredFall } from '#shared/domain/event/answered-fall.ts';
import { EVENT_RETENTION } from '#shared/domain/event/event.ts';
import { hasPermission } from '#shared/domain/identity/permission.ts';
import { nameOfUser } from '#shared/domain/rule/acknowledgement.ts';
import { isSameAuthor } from '#shared/domain/rule/noted-acknowledgement.ts';
import type { Deps } from '#shared/runtime/deps.ts';
import type { FallAnswer, FallRef } from '#shared/store/rules/fall-answer.ts';
import { falls } from './contract.ts';

type FallCall = {
  customerId: number;
  params: { sensorId: string; uuid: string };
  fail: (code: 'fall_not_found') => never;
};

const fallOf = async ({ customerId, params, fail }: FallCall, deps: Deps<'falls.ofEvent'>): Promise<FallRef> => {
  const { store, now } = deps;
  const { sensorId, uuid } = params;
  return (await store.falls.ofEvent(customerId, sensorId, uuid, now() - EVENT_RETENTION)) ?? fail('fall_not_found');
};

const viewOf = ({ params }: FallCall, { acknowledgement, closure }: FallAnswer): AnsweredFall => ({
  ...params,
  acknowledgement: acknowledgement ?? null,
  closure: closure ?? null,
});

export const handler = serve(falls, {
  acknowledgeFall: async (call, deps) => {
    const { fail } = call;
    const [by, fall] = await Promise.all([requestedAcknowledgement(call, deps), fallOf(call, deps)]);
    const { answer, notice } = await deps.store.falls.acknowledge(fall, by);
    const { acknowledgement } = answer;
    if (!isSameAuthor(by, acknowledgement)) return fail('acknowledged_already', { name: acknowledgement.name });
    if (notice) await followFall(deps, fall, notice);
    return viewOf(call, answer);
  },

  withdrawFallAcknowledgement: async (call, deps) => {
    const { caller, fail } = call;
    const fall = await fallOf(call, deps);
    const isAllowed = ({ userId }: { userId: number | null }) =>
      userId === caller.accountId || hasPermission(caller, 'manage_customers');
    const result = await deps.store.falls.withdraw(fall, isAllowed, deps.now());
    if (result === 'refused') return fail('forbidden');
    if (result === 'closed') return fail('fall_closed');
    if (result.notice) await resumeHits(deps, fall.customerId, await followFall(deps, fall, result.notice));
    return viewOf(call, result.answer);
  },

  closeFall: async (call, deps) => {
    const { caller, body, auditChange, fail } = call;
    const { store, now } = deps;
    const { accountId: userId } = caller;
    const [user, fall] = await Promise.all([store.users.get(caller.customerId, userId), fallOf(call, deps)]);
    const by = { userId, name: nameOfUser(user ?? fail('forbidden')), date: now() };
    const { closure } = await store.fallAnswers.get(fall);
    auditChange({ outcome: closure?.outcome ?? null }, { outcome: body.outcome });
    const { answer, notice } = await store.falls.close(fall, body, by);
    if (notice) await followFall(deps, fall, notice);
    return viewOf(call, answer);
  },
});
