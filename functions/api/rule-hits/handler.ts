import { acknowledgeHit, requestedAcknowledgement, withdrawAcknowledgement } from '#shared/api/acknowledgements.ts';
import { partialListReply } from '#shared/api/http/partial-list.ts';
import { serve } from '#shared/api/serve.ts';
import { EVENT_RETENTION } from '#shared/domain/event/event.ts';
import { hasPermission } from '#shared/domain/identity/permission.ts';
import { notifiedDateOf } from '#shared/domain/rule/alarm.ts';
import { isSameAuthor } from '#shared/domain/rule/noted-acknowledgement.ts';
import type { RuleHit } from '#shared/domain/rule/rule-hit.ts';
import type { Sensor } from '#shared/domain/sensor/sensor.ts';
import type { HitItem } from '#shared/store/hits/hit-item.ts';
import type { StoreOf } from '#shared/store/store.ts';
import { ruleHits } from './contract.ts';

/** Above this number, listing all sensors is cheaper than reading each one, unless there are thousands. */
const MAX_SINGLE_READS = 20;

/** Returns the view of hits, with their current sensors, or null for a deleted one. */
const viewsOf = async (
  store: StoreOf<'sensors.getAll' | 'sensors.list'>,
  customerId: number,
  hits: readonly HitItem[],
): Promise<RuleHit[]> => {
  const ids = [...new Set(hits.map(({ sensorId }) => sensorId))];
  const { getAll, list } = store.sensors;
  const listed: Sensor[] = ids.length > MAX_SINGLE_READS ? await list(customerId) : [];
  // The list may lag, so a sensor that it does not contain may still exist.
  const others = ids.filter((id) => !listed.some((sensor) => sensor.id === id));
  const found = [...listed, ...(others.length > 0 ? await getAll(customerId, others) : [])];
  const sensors = new Map(found.map((sensor) => [sensor.id, sensor]));
  return hits.map(({ messages, ...hit }) => ({
    ...hit,
    ruleMessages: messages,
    allSend: !hit.nobodyOnDuty && messages.length > 0 && messages.every(({ wasSend }) => wasSend),
    notifiedDate: notifiedDateOf({ ...hit, messages }),
    unansweredDate: hit.unansweredDate ?? null,
    sensor: sensors.get(hit.sensorId) ?? null,
    feedback: hit.feedback ?? null,
    nobodyOnDuty: hit.nobodyOnDuty ?? false,
    acknowledgement: hit.acknowledgement ?? null,
    closure: hit.closure ?? null,
  }));
};

const viewOf = async (store: Parameters<typeof viewsOf>[0], customerId: number, hit: HitItem): Promise<RuleHit> => {
  const [view] = await viewsOf(store, customerId, [hit]);
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
    const data = await viewsOf(store, customerId, hits);
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
