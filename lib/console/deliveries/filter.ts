import { useSearchParams } from 'wouter';
import { type DeliveryState, deliveryStates } from '#shared/domain/delivery/states.ts';
import { endOfMinute } from '../ui/time-input.tsx';

export type Filter = {
  state: DeliveryState | null;
  since: number | null;
  until: number | null;
  page: number;
  /** The id of a sensor and the uuid of an event. Only links set them. */
  sensor: string | null;
  event: string | null;
};
export type FilterProps = { filter: Filter; change: (part: Partial<Filter>) => void };

const numberIn = (text: string | null): number | null =>
  text !== null && /^\d{1,15}$/.test(text) ? Number(text) : null;

const stateIn = (text: string | null): DeliveryState | null => deliveryStates.find((state) => state === text) ?? null;

/** The filter of a list of deliveries. It is stored in the URL, so that a link shows the same list. */
export const useFilter = (): readonly [Filter, (change: Partial<Filter>) => void] => {
  const [params, setParams] = useSearchParams();
  const filter = {
    state: stateIn(params.get('state')),
    since: numberIn(params.get('since')),
    until: numberIn(params.get('until')),
    page: numberIn(params.get('page')) ?? 0,
    sensor: params.get('sensor'),
    event: params.get('event'),
  };
  const change = (part: Partial<Filter>): void => {
    const next = Object.entries({ ...filter, page: 0, ...part });
    const chosen = next.flatMap(([name, value]) => (value === null || value === 0 ? [] : [[name, String(value)]]));
    setParams(Object.fromEntries(chosen), { replace: true });
  };
  return [filter, change];
};

/** The API query for a filter. */
export const queryOf = ({ page, state, since, until, sensor, event }: Filter) => ({
  page,
  ...(state !== null && { state }),
  ...(since !== null && { since }),
  ...(until !== null && { until: endOfMinute(until) }),
  ...(sensor !== null && { sensorId: sensor }),
  ...(event !== null && { eventUuid: event }),
});

/** How long (ms) before an event its deliveries may start: the clock of the sensor may be ahead of the service. */
const MAX_CLOCK_LEAD_MS = 3_600_000;
/** The URL of the list of deliveries of an event. */
export const deliveriesHref = (eventUuid: string, createDate: number): string =>
  `/deliveries?event=${eventUuid}&since=${createDate - MAX_CLOCK_LEAD_MS}`;
