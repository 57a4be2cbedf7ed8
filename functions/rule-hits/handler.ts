import { serve } from '../../shared/api/serve.ts';
import { RETENTION } from '../../shared/domain/event.ts';
import { sorted } from '../../shared/domain/page.ts';
import type { RuleHit } from '../../shared/domain/rule-hit.ts';
import type { Sensor } from '../../shared/domain/sensor.ts';
import type { HitItem, Window } from '../../shared/store/rule-hits.ts';
import type { StoreOf } from '../../shared/store/store.ts';
import { ruleHits } from './contract.ts';

/** From so many sensors on their slim list is cheaper than they are one by one, unless there are thousands. */
const MANY = 20;

/** Fills in what a hit shows of today's sensor; null once the sensor has gone. */
const complete = async (
  store: StoreOf<'sensors.getAll' | 'sensors.list'>,
  customerId: number,
  hits: readonly HitItem[],
): Promise<RuleHit[]> => {
  const ids = [...new Set(hits.map(({ sensorId }) => sensorId))];
  const { getAll, list } = store.sensors;
  const found: Sensor[] = ids.length > MANY ? await list(customerId) : await getAll(customerId, ids);
  const sensors = new Map(found.map((sensor) => [sensor.id, sensor]));
  return hits.map(({ messages, ...hit }) => ({
    ...hit,
    ruleMessages: messages,
    allSend: messages.every(({ wasSend }) => wasSend),
    sensor: sensors.get(hit.sensorId) ?? null,
    feedback: hit.feedback ?? null,
  }));
};

type Wanted = { page: number; perPage: number; sortBy: string; sensorId: string };
type Slice = { total: number; hits: HitItem[] };

/** The part of a list that a page shows. */
const slice = <T>(list: readonly T[], { page, perPage }: Wanted): T[] =>
  list.slice(page * perPage, (page + 1) * perPage);

/** In the order of ids, which is that of createDate: the page's ids follow from its number. */
const byId = async (
  store: StoreOf<'ruleHits.range'>,
  customerId: number,
  window: Window,
  wanted: Wanted,
): Promise<Slice> => {
  const { first, last } = window;
  const { page, perPage, sortBy } = wanted;
  const isDescending = sortBy.startsWith('desc');
  const from = isDescending ? Math.max(first, last - (page + 1) * perPage + 1) : first + page * perPage;
  const to = isDescending ? last - page * perPage : Math.min(last, from + perPage - 1);
  const hits = from <= to ? await store.ruleHits.range(customerId, from, to) : [];
  return { total: last - first + 1, hits: isDescending ? hits.reverse() : hits };
};

/** In an order, or of a sensor, that has to be looked up: ids first, the hits of the page then. */
type Lists = StoreOf<`ruleHits.${'idsOfSensor' | 'some' | 'changeDates'}`>;
const byList = async (store: Lists, customerId: number, window: Window, wanted: Wanted): Promise<Slice> => {
  const { sensorId, sortBy } = wanted;
  const ids = sensorId === '' ? null : await store.ruleHits.idsOfSensor(customerId, sensorId, window);
  if (ids && !sortBy.includes('updateDate')) {
    const ordered = sortBy.startsWith('desc') ? ids.toReversed() : ids;
    return { total: ids.length, hits: await store.ruleHits.some(customerId, slice(ordered, wanted)) };
  }
  const dates: Pick<HitItem, 'id' | 'updateDate'>[] = ids
    ? await store.ruleHits.some(customerId, ids)
    : await store.ruleHits.changeDates(customerId, window);
  const page = slice(sorted(dates, sortBy), wanted).map(({ id }) => id);
  return { total: dates.length, hits: await store.ruleHits.some(customerId, page) };
};

export const handler = serve(ruleHits, {
  listRuleHits: async ({ caller, customerId, query, fail }, { store, now }) => {
    if (caller.isAdmin && !(await store.customers.get(customerId))) return fail('customer_not_found');
    const { page, perPage, sensorId, sortBy } = query;
    const window = await store.ruleHits.window(customerId, now());
    if (!window) return [{ total: 0, page, perPage, data: [] }];
    const isById = sensorId === '' && !sortBy.includes('updateDate');
    const { total, hits } = await (isById ? byId : byList)(store, customerId, window, query);
    return [{ total, page, perPage, data: await complete(store, customerId, hits) }];
  },

  getRuleHit: async ({ customerId, params, fail }, { store, now }) => {
    const hit = await store.ruleHits.get(customerId, params.ruleHitId);
    if (!hit || hit.createDate < now() - RETENTION) return fail('rule_hit_not_found');
    const [shown] = await complete(store, customerId, [hit]);
    return shown ?? fail('rule_hit_not_found');
  },
});
