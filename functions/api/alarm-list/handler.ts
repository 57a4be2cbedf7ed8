import { preferredMediaType } from '#shared/api/http/accept.ts';
import { header } from '#shared/api/http/exchange.ts';
import { partialListReply } from '#shared/api/http/partial-list.ts';
import { Reply } from '#shared/api/operation.ts';
import { serve } from '#shared/api/serve.ts';
import { inBatches } from '#shared/concurrency/in-batches.ts';
import { DAY, EVENT_RETENTION } from '#shared/domain/event/event.ts';
import type { Alarm } from '#shared/domain/rule/alarm-view.ts';
import type { CustomerState } from '#shared/domain/watch/customer-state.ts';
import { isAboutFalls } from '#shared/domain/watch/gap.ts';
import type { Deps } from '#shared/runtime/deps.ts';
import { formatCursor, parseCursor } from '#shared/store/alarms/alarm-cursor.ts';
import type { ListedAlarm } from '#shared/store/alarms/alarm-details.ts';
import type { AlarmFilter } from '#shared/store/alarms/alarm-lists.ts';
import type { CustomerItem } from '#shared/store/people/customers.ts';
import { alarmList } from './contract.ts';
import { csvOf } from './csv.ts';

type Operations = typeof alarmList.operations;
type ListDeps = Deps<Operations['listAlarms']['uses'][number]>;

/** Up to this many sensors, listing them all is cheaper than reading only those on the page. */
const MAX_LISTED = 500;

/** Returns the rows with their sensor names. */
const withNames = async (
  { store }: ListDeps,
  { id: customerId, sensors: count }: CustomerItem,
  rows: readonly ListedAlarm[],
): Promise<Alarm[]> => {
  const ids = [...new Set(rows.map(({ sensorId }) => sensorId))];
  if (ids.length === 0) return [];
  const sensors = await (count <= MAX_LISTED ? store.sensors.list(customerId) : store.sensors.getAll(customerId, ids));
  const names = new Map(sensors.map(({ id, name }) => [id, name]));
  return rows.map((row) => ({ ...row, name: names.get(row.sensorId) ?? null }));
};

/** Returns a filter for the sensors in a group. Without a group, the filter accepts all sensors. */
const groupFilter = async ({ store }: ListDeps, customerId: number, groupId: number | undefined) => {
  if (groupId === undefined) return () => true;
  const group = await store.sensorGroups.get(customerId, groupId);
  const members = new Set(group?.sensorIds);
  return (sensorId: string) => members.has(sensorId);
};

/** The maximum number of alarms counted per customer. */
const MAX_COUNTED = 100;

/** Counts a customer's open alarms and gaps. Returns null if the customer does not exist. */
const stateOf = async (
  deps: Deps<Operations['listCustomerStates']['uses'][number]>,
  customerId: number,
): Promise<CustomerState | null> => {
  const { store, now } = deps;
  const customer = await store.customers.get(customerId, false);
  if (!customer) return null;
  const filter: AlarmFilter = {
    customerId,
    from: now() - DAY,
    to: Number.MAX_SAFE_INTEGER,
    sensorId: '',
    isWanted: () => true,
    situations: [],
    states: ['open', 'unanswered'],
  };
  // Loaded here, because alarm lists do not need it.
  const { currentWatch } = await import('#shared/api/current-watch.ts');
  const [watch, open] = await Promise.all([
    currentWatch(deps, customerId, { waits: false }),
    store.alarmLists.page(filter, { limit: MAX_COUNTED, after: null, hooks: {}, now: now() }),
  ]);
  if (!watch) return null;
  const { gaps, totalGaps = gaps.length, date } = watch.watch;
  const openAlarms = open.alarms.length;
  return { customerId, openAlarms, gaps: totalGaps, isFallGap: gaps.some(isAboutFalls), date };
};

export const handler = serve(alarmList, {
  listAlarms: async ({ customerId, query, event, fail, refuse }, deps) => {
    const { store, now } = deps;
    const customer = (await store.customers.get(customerId, false)) ?? fail('customer_not_found');
    const { page, perPage, from = 0, to = Number.MAX_SAFE_INTEGER, sensorId, situation, state } = query;
    const after = query.after === undefined ? null : (parseCursor(query.after) ?? refuse('after', 'invalid'));
    const filter: AlarmFilter = {
      customerId,
      from: Math.max(from, now() - EVENT_RETENTION),
      to,
      sensorId,
      isWanted: await groupFilter(deps, customerId, query.sensorGroupId),
      situations: situation ? [situation] : [],
      states: state ? [state] : [],
    };
    const limit = (page + 1) * perPage;
    const part = await store.alarmLists.page(filter, { limit, after, hooks: customer.hooks, now: now() });
    const rows = await withNames(deps, customer, part.alarms.slice(page * perPage));
    const next = part.next ? formatCursor(part.next) : undefined;
    const { body, init } = partialListReply(
      { total: part.alarms.length, page, perPage, data: rows, isWhole: next === undefined, next },
      query,
    );
    const isCsv = preferredMediaType(header(event, 'accept'), ['application/json', 'text/csv']) === 'text/csv';
    return isCsv ? new Reply(csvOf(rows, customer.timeZone), init) : new Reply(body, init);
  },

  listCustomerStates: async ({ query }, deps) => {
    const found = new Map<number, CustomerState>();
    await inBatches(query.customerIds, async (customerId) => {
      const state = await stateOf(deps, customerId);
      if (state) found.set(customerId, state);
    });
    return query.customerIds.flatMap((customerId) => found.get(customerId) ?? []);
  },
});
