import { useLocation, useParams } from 'wouter';
import { WithCustomer } from '../shell/with-customer.tsx';
import { useTexts } from '../texts/texts.tsx';
import { Head } from '../ui/head.tsx';
import { Loaded } from '../ui/states.tsx';
import { type DeliveryRef, deliveryHref } from './delivery-key.ts';
import { DeliveryView, useDelivery, useDeliveryTitle } from './view.tsx';

const DeliveryAt = ({ target }: { target: DeliveryRef }) => {
  const { webhookId } = target;
  const { titles } = useTexts();
  const [, go] = useLocation();
  const delivery = useDelivery(target);
  const href = webhookId === null ? '/deliveries' : `/deliveries/${webhookId}`;
  return (
    <>
      <Head title={useDeliveryTitle()(delivery.data)} back={{ href, label: titles.deliveries }} />
      <Loaded query={delivery}>
        {(found) => (
          <DeliveryView
            target={target}
            delivery={found}
            onResent={(deliveryId) => go(deliveryHref({ webhookId, deliveryId }))}
          />
        )}
      </Loaded>
    </>
  );
};

/** The page for a webhook delivery: the state, each attempt, and the request. */
export const DeliveryPage = () => {
  const { webhookId = '', deliveryId = '' } = useParams();
  return <DeliveryAt target={{ webhookId, customerId: null, deliveryId }} />;
};

/** The page for a delivery to a person: the state, each attempt, and the text. */
export const PersonDeliveryPage = () => {
  const { personDeliveryId: deliveryId = '' } = useParams();
  return (
    <WithCustomer>{(customerId) => <DeliveryAt target={{ webhookId: null, customerId, deliveryId }} />}</WithCustomer>
  );
};
