import { acknowledgeHit, requestedAcknowledgement, withdrawAcknowledgement } from '#shared/api/acknowledgements.ts';
import { type HitView, hitViews } from '#shared/api/hit-views.ts';
import { partialListReply } from '#shared/api/http/partial-list.ts';
import { serve } from '#shared/api/serve.ts';
import { EVENT_RETENTION } from '#shared/domain/event/event.ts';
import { hasPermission } from '#shared/domain/identity/permission.ts';
import { isSameAuthor } from '#shared/domain/rule/noted-acknowledgement.ts';
import type { HitItem } from '#shared/store/hits/hit-item.ts';
import { ruleHits } from './contract.ts';

const viewOf = async (store: Parameters<typeof hitViews>[0], customerId: number, hit: HitItem): Promise<HitView> => {
  const [view] = await hitViews(store, customerId, [hit]);
  if (!view) throw new Error('a rule hit has no view');
  return view;
};

export const handler = serve(ruleHits, {
  listRuleHits: async ({ caller, customerId, query, fail }, { store, now }) => {
    if (caller.isAdmin && !(await store.customers.get(customerId))) return fail('customer_not_found');
    const { page, perPage, sensorId } = query;
    const since = now() - EVENT_RETENTION;
    const { total, hits } = await (sensorId === ''
      ? store.hitLists.page(customerId, since, query)
      : store.hitLists.pageOfSensor(customerId, sensorId, since, query));
    const data = await hitViews(store, customerId, hits);
    return partialListReply({ total, page, perPage, data, isWhole: true, next: undefined }, query);
  },

  getRuleHit: async ({ customerId, params, fail }, { store, now }) => {
    const hit = await store.ruleHits.get(customerId, params.ruleHitId);
    if (!hit || hit.createDate < now() - EVENT_RETENTION) return fail('rule_hit_not_found');
    return viewOf(store, customerId, hit);
  },

  acknowledgeRuleHit: async (call, deps) => {
    const { customerId, params, fail } = call;
    const hitKey = { customerId, hitId: params.ruleHitId };
    const by = await requestedAcknowledgement(call, deps);
    const { hit } = (await acknowledgeHit(deps, hitKey, by)) ?? fail('rule_hit_not_found');
    const { acknowledgement } = hit;
    if (!isSameAuthor(by, acknowledgement)) return fail('acknowledged_already', { name: acknowledgement.name });
    return viewOf(deps.store, customerId, hit);
  },

  withdrawAcknowledgement: async ({ caller, customerId, params, fail }, deps) => {
    const isAllowed = ({ userId }: { userId: number | null }) =>
      userId === caller.accountId || hasPermission(caller, 'manage_customers');
    const result = await withdrawAcknowledgement(deps, { customerId, hitId: params.ruleHitId }, isAllowed);
    if (result === 'refused') return fail('forbidden');
    if (result === 'closed') return fail('fall_closed');
    return viewOf(deps.store, customerId, result ?? fail('rule_hit_not_found'));
  },
});
