import { type DeliveryState, deliveryStates } from '#shared/domain/delivery/states.ts';
import { endOfMinute } from '../ui/minute.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

/** The periods (days) to choose from. The last period is as long as deliveries are kept. */
export const periods = [1, 7, 30] as const;
type Period = (typeof periods)[number];

export type Filter = {
  state: DeliveryState | null;
  /** The number of past days, or null for a period between two times. */
  days: Period | null;
  since: number | null;
  until: number | null;
  page: number;
  /** A sensor id and an event uuid. Links from other pages set them; the page has no fields for them. */
  sensor: string | null;
  event: string | null;
  /** The key of the delivery shown beside the list: the webhook id, or `people`, and the delivery id. */
  delivery: string | null;
};

const numberIn = (text: string | null): number | null =>
  text !== null && /^\d{1,15}$/.test(text) ? Number(text) : null;

const stateIn = (text: string | null): DeliveryState | null => deliveryStates.find((state) => state === text) ?? null;

/** Returns the default period: a day, or 30 days if a link narrows the list to a sensor or an event. */
const initialPeriod = (isNarrowed: boolean): Period => (isNarrowed ? 30 : 1);

/** Reads a filter from URL parameters. */
export const filterOf = (params: Pick<URLSearchParams, 'get'>): Filter => {
  const [since, until] = ['since', 'until'].map((name) => numberIn(params.get(name)));
  const [sensor, event] = ['sensor', 'event'].map((name) => params.get(name));
  const isBetween = since != null || until != null;
  const days = periods.find((period) => String(period) === params.get('days'));
  return {
    state: stateIn(params.get('state')),
    days: days ?? (isBetween ? null : initialPeriod(sensor != null || event != null)),
    since: since ?? null,
    until: until ?? null,
    page: numberIn(params.get('page')) ?? 0,
    sensor: sensor ?? null,
    event: event ?? null,
    delivery: params.get('delivery'),
  };
};

/** Returns the URL parameters for a filter, leaving out default values. */
export const paramsOf = (filter: Filter): Record<string, string> => {
  const isInitial = filter.days === initialPeriod(filter.sensor !== null || filter.event !== null);
  const between = filter.days === null ? {} : { since: null, until: null };
  const named = Object.entries({ ...filter, ...between, ...(isInitial && { days: null }) });
  return Object.fromEntries(
    named.flatMap(([name, value]) => (value === null || value === 0 ? [] : [[name, String(value)]])),
  );
};

/** Returns the time (ms) at which a period starts. It changes only once an hour, to keep the query stable. */
const startOf = ({ days, since }: Pick<Filter, 'days' | 'since'>, now: number): number | null => {
  if (days === null) return since;
  return days === 30 ? null : Math.floor((now - days * DAY) / HOUR) * HOUR;
};

/** Returns the API query for a filter. */
export const queryOf = (filter: Filter, now: number) => {
  const { page, state, days, until, sensor, event } = filter;
  const since = startOf(filter, now);
  return {
    page,
    ...(state !== null && { state }),
    ...(since !== null && { since }),
    ...(days === null && until !== null && { until: endOfMinute(until) }),
    ...(sensor !== null && { sensorId: sensor }),
    ...(event !== null && { eventUuid: event }),
  };
};

/** Whether a filter leaves out some deliveries in the period. */
export const isNarrowed = ({ state, days }: Filter): boolean => state !== null || days === null;

/**
 * Deliveries for an event may start up to this long (ms) before the event, because the sensor clock may be ahead of the
 * service.
 */
const MAX_CLOCK_LEAD_MS = HOUR;
/** Returns the URL of the delivery list for an event. */
export const deliveriesHref = (eventUuid: string, createDate: number): string =>
  `/deliveries?event=${eventUuid}&since=${createDate - MAX_CLOCK_LEAD_MS}`;
