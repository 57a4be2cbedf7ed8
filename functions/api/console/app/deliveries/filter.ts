import type { Delivery } from 'openapi';
import { useSearchParams } from 'wouter';

export type Filter = { state: Delivery['state'] | null; since: number | null; until: number | null; page: number };

const numberIn = (text: string | null): number | null =>
  text !== null && /^\d{1,15}$/.test(text) ? Number(text) : null;

const isState = (text: string | null): text is Delivery['state'] =>
  ['pending', 'sending', 'delivered', 'retrying', 'held', 'failed'].includes(text ?? '');

/** The filter of a list of deliveries. It is stored in the address of the page, so that a link shows the same list. */
export const useFilter = (): readonly [Filter, (change: Partial<Filter>) => void] => {
  const [params, setParams] = useSearchParams();
  const state = params.get('state');
  const filter = {
    state: isState(state) ? state : null,
    since: numberIn(params.get('since')),
    until: numberIn(params.get('until')),
    page: numberIn(params.get('page')) ?? 0,
  };
  const change = (part: Partial<Filter>): void => {
    const next = Object.entries({ ...filter, page: 0, ...part });
    const told = next.flatMap(([name, value]) => (value === null || value === 0 ? [] : [[name, String(value)]]));
    setParams(Object.fromEntries(told), { replace: true });
  };
  return [filter, change];
};
