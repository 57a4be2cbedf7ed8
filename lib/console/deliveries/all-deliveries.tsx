import { api } from '../api/client.ts';
import { okPage } from '../api/pages.ts';
import { WithCustomer } from '../shell/with-customer.tsx';
import { useTexts } from '../texts/texts.tsx';
import { Head } from '../ui/head.tsx';
import { DeliveryList } from './delivery-list.tsx';
import { useFilter } from './use-filter.ts';

/** The page for deliveries to all of a customer's webhooks and people. */
export const AllDeliveriesPage = () => {
  const { titles } = useTexts();
  const filtering = useFilter();
  // The list for one event is short, and starts with the oldest delivery.
  const sortBy = filtering.filter.event === null ? ('desc(createDate)' as const) : ('asc(createDate)' as const);
  return (
    <>
      <Head title={titles.deliveries} />
      <WithCustomer>
        {(customerId) => (
          <DeliveryList
            {...filtering}
            customerId={customerId}
            webhookId={null}
            read={(query) =>
              okPage(
                api.GET('/customers/{customerId}/deliveries', {
                  params: { path: { customerId }, query: { ...query, sortBy } },
                }),
              )
            }
            refetchInterval={5_000}
          />
        )}
      </WithCustomer>
    </>
  );
};
