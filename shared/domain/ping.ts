import type { Delivery, Service, Snapshot } from './delivery.ts';
import { otherKinds } from './event.ts';
import { derivedUlid } from './ids.ts';
import { senderOf } from './snapshot.ts';
import type { WebhookRecord } from './webhook.ts';

/** No sensor has this id. */
const NOBODY = `id_${'0'.repeat(23)}`;
/** Custom 1 knows no tests: they say that a sensor is active. */
const CODE = 8;

/** A delivery that tests a webhook: an event of nobody, on the way of every other. */
export const pingOf = (
  { customerId, id: webhookId, format, ...webhook }: WebhookRecord,
  service: Service,
  customer: Snapshot['customer'],
  event: { id: number; uuid: string },
  now: number,
): Delivery => ({
  id: derivedUlid(now, webhookId, event.uuid),
  customerId,
  webhookId,
  createDate: now,
  updateDate: now,
  state: 'pending',
  reason: null,
  attempts: 0,
  nextAttempt: now,
  hit: null,
  sendTryTimes: [],
  isTest: true,
  format,
  snapshot: {
    service,
    webhook: senderOf(webhook),
    event: { ...event, ...otherKinds.ping, createDate: now, code: CODE, coordinates: null, text: 'Test', source: null },
    sensor: { id: NOBODY, deviceId: NOBODY, name: 'Test', groupId: 0 },
    customer: customer && { id: customer.id, name: customer.name, location: customer.location },
    rule: null,
  },
});
