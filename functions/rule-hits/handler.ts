import { serve } from '../../shared/api/serve.ts';
import { RETENTION } from '../../shared/domain/event.ts';
import { pageOf, sorted } from '../../shared/domain/page.ts';
import type { RuleHit } from '../../shared/domain/rule-hit.ts';
import type { HitItem } from '../../shared/store/rule-hits.ts';
import type { StoreReader } from '../../shared/store/store.ts';
import { ruleHits } from './contract.ts';

/** Fills in what a hit shows of today's sensor; null once the sensor has gone. */
const complete = async (store: StoreReader, customerId: number, hits: readonly HitItem[]): Promise<RuleHit[]> => {
  const ids = [...new Set(hits.map(({ sensorId }) => sensorId))];
  const found = await Promise.all(ids.map((id) => store.sensors.get(customerId, id)));
  const sensors = new Map(found.flatMap((sensor) => (sensor ? [[sensor.id, sensor]] : [])));
  return hits.map(({ messages, ...hit }) => ({
    ...hit,
    ruleMessages: messages,
    allSend: messages.every(({ wasSend }) => wasSend),
    sensor: sensors.get(hit.sensorId) ?? null,
    feedback: hit.feedback ?? null,
  }));
};

export const handler = serve(ruleHits, {
  listRuleHits: async ({ caller, customerId, query, fail }, { store, now }) => {
    if (caller.isAdmin && !(await store.customers.get(customerId))) return fail('customer_not_found');
    const all = await store.ruleHits.list(customerId, now());
    const wanted = all.filter(({ sensorId }) => query.sensorId === '' || sensorId === query.sensorId);
    const [page] = pageOf(sorted(wanted, query.sortBy), query);
    return [{ ...page, data: await complete(store, customerId, page.data) }];
  },

  getRuleHit: async ({ customerId, params, fail }, { store, now }) => {
    const hit = await store.ruleHits.get(customerId, params.ruleHitId);
    if (!hit || hit.createDate < now() - RETENTION) return fail('rule_hit_not_found');
    const [shown] = await complete(store, customerId, [hit]);
    return shown ?? fail('rule_hit_not_found');
  },
});
