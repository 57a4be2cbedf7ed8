import { lookedReply } from '../../../shared/api/looked.ts';
import { serve } from '../../../shared/api/serve.ts';
import { RETENTION } from '../../../shared/domain/event.ts';
import { sorted } from '../../../shared/domain/page.ts';
import type { RuleHit } from '../../../shared/domain/rule-hit.ts';
import type { Sensor } from '../../../shared/domain/sensor.ts';
import type { HitItem } from '../../../shared/store/hit-item.ts';
import { restOf, type Window } from '../../../shared/store/hit-window.ts';
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

type Wanted = { page: number; perPage: number; sortBy: string; sensorId: string; after?: number | undefined };
type Lists = StoreOf<'ruleHits.range' | 'ruleHits.changeDates' | 'ruleHits.some' | 'ruleHits.idsOfSensor'>;
type Found = { total: number; hits: HitItem[]; isWhole: boolean; next: string | number | undefined };

/** Gives a page sorted by id, which is the order of createDate too. The ids of the page follow from its number. */
const byId = async (store: Lists, customerId: number, { first, last }: Window, wanted: Wanted) => {
  const { page, perPage, sortBy } = wanted;
  const isDescending = sortBy.startsWith('desc');
  const from = isDescending ? Math.max(first, last - (page + 1) * perPage + 1) : first + page * perPage;
  const to = isDescending ? last - page * perPage : Math.min(last, from + perPage - 1);
  const hits = from <= to ? await store.ruleHits.range(customerId, from, to) : [];
  return isDescending ? hits.reverse() : hits;
};

/**
 * Only the newest hits change: when a message is sent, or when a user gives feedback. So many are sorted by the last
 * change.
 */
const CHANGING = 500;

/**
 * Gives a page sorted by the last change. Hits that are too old to change are sorted by id and count as changed
 * earlier.
 */
const byChange = async (store: Lists, customerId: number, { first, last }: Window, wanted: Wanted) => {
  const { page, perPage, sortBy } = wanted;
  const from = Math.max(first, last - CHANGING + 1);
  const dates = await store.ruleHits.changeDates(customerId, { first: from, last });
  const changing = sorted(dates, sortBy).map(({ id }) => id);
  const older = from - first;
  const idAt = (position: number): number | undefined => {
    if (sortBy.startsWith('desc')) return position < changing.length ? changing[position] : last - position;
    return position < older ? first + position : changing[position - older];
  };
  const start = page * perPage;
  const length = Math.max(0, Math.min(perPage, last - first + 1 - start));
  const ids = Array.from({ length }, (_, at) => idAt(start + at) ?? []).flat();
  return store.ruleHits.some(customerId, ids);
};

const find = async (store: Lists, customerId: number, window: Window, wanted: Wanted): Promise<Found> => {
  const { sensorId, sortBy, after } = wanted;
  if (sensorId !== '') {
    const { data, ...found } = await store.ruleHits.idsOfSensor(customerId, sensorId, window, wanted);
    return { ...found, hits: await store.ruleHits.some(customerId, data) };
  }
  const rest = restOf(window, sortBy.startsWith('desc'), after);
  const total = Math.max(0, rest.last - rest.first + 1);
  const hits = await (sortBy.includes('updateDate') ? byChange : byId)(store, customerId, rest, wanted);
  return { total, hits, isWhole: true, next: undefined };
};

export const handler = serve(ruleHits, {
  listRuleHits: async ({ caller, customerId, query, fail }, { store, now }) => {
    if (caller.isAdmin && !(await store.customers.get(customerId))) return fail('customer_not_found');
    const { page, perPage } = query;
    const window = await store.ruleHits.window(customerId, now());
    if (!window) return lookedReply({ total: 0, page, perPage, data: [], isWhole: true, next: undefined }, query);
    const { hits, ...found } = await find(store, customerId, window, query);
    return lookedReply({ ...found, page, perPage, data: await complete(store, customerId, hits) }, query);
  },

  getRuleHit: async ({ customerId, params, fail }, { store, now }) => {
    const hit = await store.ruleHits.get(customerId, params.ruleHitId);
    if (!hit || hit.createDate < now() - RETENTION) return fail('rule_hit_not_found');
    const [shown] = await complete(store, customerId, [hit]);
    return shown ?? fail('rule_hit_not_found');
  },
});
