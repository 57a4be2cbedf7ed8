/** Identifies a delivery to a webhook or, when `webhookId` is null, to one of the customer's people. */
export type DeliveryRef = { webhookId: string | null; customerId: number | null; deliveryId: string };

/** The path segment for deliveries to people, in place of a webhook id. */
const PEOPLE = 'people';

export const deliveryHref = ({ webhookId, deliveryId }: Pick<DeliveryRef, 'webhookId' | 'deliveryId'>): string =>
  `/deliveries/${webhookId ?? PEOPLE}/${deliveryId}`;

/** Returns the key for a delivery in a URL. */
export const deliveryKey = ({ webhookId, id }: { webhookId: string | null; id: string }): string =>
  `${webhookId ?? PEOPLE}/${id}`;

/** Returns the delivery identified by a key. */
export const deliveryAt = (key: string, customerId: number | null): DeliveryRef => {
  const [receiver = '', deliveryId = ''] = key.split('/');
  return { webhookId: receiver === PEOPLE ? null : receiver, customerId, deliveryId };
};
