/** Identifies a delivery to a webhook or, when `webhookId` is null, to a person of the customer. */
export type DeliveryRef = { webhookId: string | null; customerId: number | null; deliveryId: string };

/** The path segment of deliveries to people, in place of a webhook id. */
const PEOPLE = 'people';

export const deliveryHref = ({ webhookId, deliveryId }: Pick<DeliveryRef, 'webhookId' | 'deliveryId'>): string =>
  `/deliveries/${webhookId ?? PEOPLE}/${deliveryId}`;

/** Returns the key that identifies a delivery in a URL. */
export const deliveryKey = ({ webhookId, id }: { webhookId: string | null; id: string }): string =>
  `${webhookId ?? PEOPLE}/${id}`;

/** Returns the delivery that a key identifies. */
export const deliveryAt = (key: string, customerId: number | null): DeliveryRef => {
  const [receiver = '', deliveryId = ''] = key.split('/');
  return { webhookId: receiver === PEOPLE ? null : receiver, customerId, deliveryId };
};
