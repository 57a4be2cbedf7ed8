import { ok } from '#lib/client/problem.ts';
import { api } from '../api/client.ts';

/** Where a delivery is: with its webhook, or (`webhookId` null) with those to the people of a customer. */
export type Place = { webhookId: string | null; customerId: number | null; deliveryId: string };

/** The part of an address of the console that stands for people, where others have a webhook. */
const PEOPLE = 'people';

export const hrefOf = ({ webhookId, deliveryId }: Pick<Place, 'webhookId' | 'deliveryId'>): string =>
  `/deliveries/${webhookId ?? PEOPLE}/${deliveryId}`;

/** The calls about a delivery. */
export const callsOf = ({ webhookId, customerId, deliveryId }: Place) => {
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
