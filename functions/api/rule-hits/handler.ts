import { lookedReply } from '../../../shared/api/looked.ts';
import { serve } from '../../../shared/api/serve.ts';
import { RETENTION } from '../../../shared/domain/event.ts';
import type { RuleHit } from '../../../shared/domain/rule-hit.ts';
import type { Sensor } from '../../../shared/domain/sensor.ts';
import type { HitItem } from '../../../shared/store/hit-item.ts';
import type { StoreOf } from '../../../shared/store/store.ts';
import { ruleHits } from './contract.ts';

/**
 * For more sensors than this, reading the list of all sensors is cheaper than reading each one, unless there are
 * thousands.
 */
const MANY = 20;

/** Adds the current sensor to hits. It is null if the sensor was deleted. */
const complete = async (
  store: StoreOf<'sensors.getAll' | 'sensors.list'>,
  customerId: number,
  hits: readonly HitItem[],
): Promise<RuleHit[]> => {
  const ids = [...new Set(hits.map(({ sensorId }) => sensorId))];
  const { getAll, list } = store.sensors;
  const listed: Sensor[] = ids.length > MANY ? await list(customerId) : [];
  // The list may lag, so a sensor that is missing in it may still exist.
  const others = ids.filter((id) => !listed.some((sensor) => sensor.id === id));
  const found = [...listed, ...(others.length > 0 ? await getAll(customerId, others) : [])];
  const sensors = new Map(found.map((sensor) => [sensor.id, sensor]));
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
    const { page, perPage, sensorId } = query;
    const since = now() - RETENTION;
    const { total, hits } = await (sensorId === ''
      ? store.hitLists.page(customerId, since, query)
      : store.hitLists.pageOfSensor(customerId, sensorId, since, query));
    const data = await complete(store, customerId, hits);
    return lookedReply({ total, page, perPage, data, isWhole: true, next: undefined }, query);
  },

  getRuleHit: async ({ customerId, params, fail }, { store, now }) => {
    const hit = await store.ruleHits.get(customerId, params.ruleHitId);
    if (!hit || hit.createDate < now() - RETENTION) return fail('rule_hit_not_found');
    const [shown] = await complete(store, customerId, [hit]);
    return shown ?? fail('rule_hit_not_found');
  },
});
