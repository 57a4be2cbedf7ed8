import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { ok } from '#lib/client/problem.ts';
import type { Delivery } from '#openapi';
import { api } from '../api/client.ts';
import { okPage } from '../api/pages.ts';
import { managers } from '../session/permissions.ts';
import { useCan } from '../session/session.tsx';
import { WithCustomer } from '../shell/with-customer.tsx';
import { useTexts } from '../texts/texts.tsx';
import { Head } from '../ui/head.tsx';
import type { Column } from '../ui/list.tsx';
import { Name, NameLink } from '../ui/name.tsx';
import { type FilterProps, queryOf, useFilter } from './filter.ts';
import { Filters } from './filters.tsx';
import { personLabel } from './person-label.ts';
import { Rows } from './rows.tsx';

/** The column with the receiver: a link to the deliveries of the webhook, or the name of the person. */
const useReceiverColumn = (customerId: number): Column<Delivery> => {
  const { deliveries: texts } = useTexts();
  const can = useCan();
  const webhooks = useQuery({
    queryKey: ['webhooks', 'names', customerId],
    queryFn: () => ok(api.GET('/webhooks', { params: { query: { customerId, perPage: 200 } } })),
    enabled: can(managers),
  });
  const names = new Map(webhooks.data?.[0]?.data.map(({ id, name }) => [id, name]));
  return {
    head: texts.receiver,
    cell: ({ webhookId, userName, by }) =>
      webhookId === null ? (
        <Name>{personLabel(texts, { userName, by })}</Name>
      ) : (
        <NameLink href={`/deliveries/${webhookId}`}>{names.get(webhookId) ?? texts.webhook}</NameLink>
      ),
    isMinor: true,
  };
};

const AllDeliveries = ({ customerId, filter, change }: FilterProps & { customerId: number }) => {
  // The list for one event is short, and starts with the oldest.
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
      extra={useReceiverColumn(customerId)}
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
      <WithCustomer>
        {(customerId) => (
          <>
            <Filters filter={filter} change={change} />
            <AllDeliveries customerId={customerId} filter={filter} change={change} />
          </>
        )}
      </WithCustomer>
    </>
  );
};
