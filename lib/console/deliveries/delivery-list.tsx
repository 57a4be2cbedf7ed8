import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useLocation } from 'wouter';
import { ok } from '#lib/client/problem.ts';
import type { Delivery } from '#openapi';
import { api } from '../api/client.ts';
import { managers } from '../session/permissions.ts';
import { useCan } from '../session/session.tsx';
import { useTexts } from '../texts/texts.tsx';
import type { Paged } from '../ui/list.tsx';
import { Side } from '../ui/side.tsx';
import { Loaded } from '../ui/states.tsx';
import { deliveryAt, deliveryKey } from './delivery-key.ts';
import { isNarrowed, queryOf } from './filter.ts';
import { type Counts, Filters } from './filters.tsx';
import { personLabel } from './person-label.ts';
import { Rows } from './rows.tsx';
import { useDeliveryTexts } from './texts.ts';
import type { FilterProps } from './use-filter.ts';
import { DeliveryView, useDelivery, useDeliveryTitle } from './view.tsx';

type Query = ReturnType<typeof queryOf> & { perPage?: number };
type Read = (query: Query) => Promise<Paged<Delivery>>;

/**
 * What to count. Only states that may require action are counted, because a count can cost as many reads as the list.
 */
const counted = ['all', 'retrying', 'failed', 'held'] as const;

const useCounts = (key: string, read: Read, filter: FilterProps['filter']): Counts => {
  const query = { ...queryOf({ ...filter, state: null, page: 0 }, Date.now()), perPage: 1 };
  const counts = useQuery({
    queryKey: ['deliveries', key, 'counts', query],
    queryFn: async (): Promise<Counts> => {
      const pages = await Promise.all(counted.map((state) => read({ ...query, ...(state !== 'all' && { state }) })));
      return Object.fromEntries(
        counted.map((state, at) => {
          const { total = 0, isWhole = true } = pages[at]?.[0] ?? {};
          return [state, { total, isWhole }];
        }),
      );
    },
    placeholderData: keepPreviousData,
    refetchInterval: 60_000,
  });
  return counts.data ?? {};
};

/** Returns the names of the webhooks the user may manage, by id. */
const useWebhookNames = (customerId: number | null): Record<string, string> => {
  const can = useCan();
  const webhooks = useQuery({
    queryKey: ['webhooks', 'names', customerId],
    queryFn: () =>
      ok(api.GET('/webhooks', { params: { query: { perPage: 200, ...(customerId !== null && { customerId }) } } })),
    enabled: can(managers),
  });
  return Object.fromEntries(webhooks.data?.[0]?.data.map(({ id, name }) => [id, name]) ?? []);
};

type PanelProps = { delivery: string; customerId: number | null; onSelect: (key: string | null) => void };
/** The delivery selected in the list. */
const DeliveryPanel = ({ delivery: key, customerId, onSelect }: PanelProps) => {
  const texts = useDeliveryTexts();
  const target = deliveryAt(key, customerId);
  const delivery = useDelivery(target);
  const { webhookId } = target;
  return (
    <Side label={texts.delivery} title={useDeliveryTitle()(delivery.data)} onClose={() => onSelect(null)}>
      <Loaded query={delivery}>
        {(found) => (
          <DeliveryView target={target} delivery={found} onResent={(id) => onSelect(deliveryKey({ webhookId, id }))} />
        )}
      </Loaded>
    </Side>
  );
};

type DeliveryListProps = FilterProps & {
  customerId: number | null;
  /** The webhook whose deliveries are listed; null for deliveries to all receivers. */
  webhookId: string | null;
  read: Read;
  refetchInterval: number;
};

/** Deliveries to a webhook or to all receivers: filters, the list, and the selected delivery beside it. */
export const DeliveryList = ({ customerId, webhookId, read, refetchInterval, filter, change }: DeliveryListProps) => {
  const { overview } = useTexts();
  const texts = useDeliveryTexts();
  const [, go] = useLocation();
  const names = useWebhookNames(customerId);
  const key = webhookId ?? `customer ${customerId}`;
  const query = queryOf(filter, Date.now());
  const deliveries = useQuery({
    queryKey: ['deliveries', key, query],
    queryFn: () => read(query),
    placeholderData: keepPreviousData,
    refetchInterval,
  });
  const { delivery: selected, page, days } = filter;
  const select = (delivery: string | null) => change({ delivery, page });
  return (
    <>
      <Filters
        filter={filter}
        change={change}
        counts={useCounts(key, read, filter)}
        receivers={names}
        receiver={webhookId ?? ''}
        onReceiver={(id) => go(id === '' ? '/deliveries' : `/deliveries/${id}`)}
      />
      <div className={selected === null ? 'with-panel' : 'with-panel open wide'}>
        <Rows
          query={deliveries}
          {...(webhookId === null && {
            receiverOf: (delivery: Delivery) =>
              delivery.webhookId === null
                ? personLabel(overview, texts.person, delivery)
                : (names[delivery.webhookId] ?? texts.webhook),
          })}
          selected={selected}
          onSelect={select}
          onPage={(next) => change({ page: next })}
          empty={isNarrowed(filter) ? texts.noMatch : texts.none[days ?? 30]}
        />
        {selected !== null && (
          <DeliveryPanel key={selected} delivery={selected} customerId={customerId} onSelect={select} />
        )}
      </div>
    </>
  );
};
