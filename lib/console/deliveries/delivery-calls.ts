import { ok } from '#lib/client/problem.ts';
import { api } from '../api/client.ts';
import type { DeliveryRef } from './delivery-key.ts';

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
