import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { ok } from '#lib/client/problem.ts';
import type { Delivery } from '#openapi';
import { api } from '../api/client.ts';
import { okPage } from '../api/pages.ts';
import { managers } from '../session/may.ts';
import { useMay } from '../session/session.tsx';
import { OfCustomer } from '../shell/of-customer.tsx';
import { useTexts } from '../texts/texts.tsx';
import { Head } from '../ui/head.tsx';
import type { Column } from '../ui/list.tsx';
import { Name, NameLink } from '../ui/name.tsx';
import { type FilterProps, queryOf, useFilter } from './filter.ts';
import { Filters } from './filters.tsx';
import { personSaid } from './person.ts';
import { Rows } from './rows.tsx';

/** A column with the receiver of a delivery: a webhook leads to its deliveries alone, a person is named. */
const useReceiverColumn = (customerId: number): Column<Delivery> => {
  const { deliveries: texts } = useTexts();
  const may = useMay();
  const webhooks = useQuery({
    queryKey: ['webhooks', 'names', customerId],
    queryFn: () => ok(api.GET('/webhooks', { params: { query: { customerId, perPage: 200 } } })),
    enabled: may(managers),
  });
  const names = new Map(webhooks.data?.[0]?.data.map(({ id, name }) => [id, name]));
  return {
    head: texts.receiver,
    cell: ({ webhookId, userName, by }) =>
      webhookId === null ? (
        <Name>{personSaid(texts, { userName, by })}</Name>
      ) : (
        <NameLink href={`/deliveries/${webhookId}`}>{names.get(webhookId) ?? texts.webhook}</NameLink>
      ),
    isMinor: true,
  };
};

const All = ({ customerId, filter, change }: FilterProps & { customerId: number }) => {
  // What is about one event is short, and begins with the event.
  const sortBy = filter.event === null ? ('desc(createDate)' as const) : ('asc(createDate)' as const);
  const params = { path: { customerId }, query: { ...queryOf(filter), sortBy } };
  const deliveries = useQuery({
    queryKey: ['deliveries', 'all', params],
    queryFn: () => okPage(api.GET('/customers/{customerId}/deliveries', { params })),
    placeholderData: keepPreviousData,
    refetchInterval: 5_000,
  });
  return (
    <Rows
      query={deliveries}
      more={useReceiverColumn(customerId)}
      onPage={(page) => change({ page })}
      isFiltered={filter.state !== null || filter.since !== null || filter.until !== null}
    />
  );
};

/** The page of the deliveries to all webhooks and people of a customer. */
export const AllDeliveriesPage = () => {
  const { deliveries: texts } = useTexts();
  const [filter, change] = useFilter();
  return (
    <>
      <Head title={texts.title} />
      <OfCustomer>
        {(customerId) => (
          <>
            <Filters filter={filter} change={change} />
            <All customerId={customerId} filter={filter} change={change} />
          </>
        )}
      </OfCustomer>
    </>
  );
};
