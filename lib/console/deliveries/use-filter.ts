import { useSearchParams } from 'wouter';
import { type Filter, filterOf, paramsOf } from './filter.ts';

export type FilterProps = { filter: Filter; change: (part: Partial<Filter>) => void };

/** The filter for a delivery list. It is stored in the URL, so a link shows the same list. */
export const useFilter = (): FilterProps => {
  const [params, setParams] = useSearchParams();
  const filter = filterOf(params);
  const change = (part: Partial<Filter>): void =>
    setParams(paramsOf({ ...filter, page: 0, ...part }), { replace: true });
  return { filter, change };
};
