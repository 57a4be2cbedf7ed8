import { ok } from '#lib/client/problem.ts';
import { api } from '../api/client.ts';

/** Identifies a delivery to a webhook or, when `webhookId` is null, to a person of the customer. */
export type DeliveryRef = { webhookId: string | null; customerId: number | null; deliveryId: string };

/** The path segment of deliveries to people, in place of a webhook id. */
const PEOPLE = 'people';

export const deliveryHref = ({ webhookId, deliveryId }: Pick<DeliveryRef, 'webhookId' | 'deliveryId'>): string =>
  `/deliveries/${webhookId ?? PEOPLE}/${deliveryId}`;

/** The API calls for a delivery. */
export const deliveryCalls = ({ webhookId, customerId, deliveryId }: DeliveryRef) => {
  if (webhookId !== null) {
    const params = { path: { webhookId, deliveryId } };
    return {
      get: () => ok(api.GET('/webhooks/{webhookId}/deliveries/{deliveryId}', { params })),
      message: () => ok(api.GET('/webhooks/{webhookId}/deliveries/{deliveryId}/message', { params })),
      redeliver: () => ok(api.POST('/webhooks/{webhookId}/deliveries/{deliveryId}/redeliver', { params })),
    };
  }
  const params = { path: { customerId: customerId ?? 0, deliveryId } };
  return {
    get: () => ok(api.GET('/customers/{customerId}/deliveries/{deliveryId}', { params })),
    message: () => ok(api.GET('/customers/{customerId}/deliveries/{deliveryId}/message', { params })),
    redeliver: () => ok(api.POST('/customers/{customerId}/deliveries/{deliveryId}/redeliver', { params })),
  };
};
