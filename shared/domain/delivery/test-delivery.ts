import { kindsWithoutRules, TEST_CODE } from '../event/event.ts';
import { derivedUlid } from '../ids.ts';
import type { Delivery, Reader, Service, Snapshot } from './delivery.ts';
import { webhookSnapshot } from './snapshot.ts';
import type { WebhookRecord } from './webhook.ts';

/** The sensor id used in tests, which have no sensor. */
export const NO_SENSOR_ID = `id_${'0'.repeat(23)}`;
/** The contents of a test payload, apart from the webhook. */
type TestContext = {
  service: Service;
  customer: Snapshot['customer'];
  event: { id: number; uuid: string };
  reader?: Reader | undefined;
};

/** Returns a delivery that tests a webhook. The event has no sensor. The test is sent like any other delivery. */
export const testDelivery = (
  { customerId, id: webhookId, format, ...webhook }: WebhookRecord,
  { service, customer, event, reader }: TestContext,
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
    webhook: webhookSnapshot(webhook),
    event: {
      ...event,
      ...kindsWithoutRules.ping,
      createDate: now,
      code: TEST_CODE,
      coordinates: null,
      text: 'Test',
      source: null,
    },
    sensor: { id: NO_SENSOR_ID, deviceId: NO_SENSOR_ID, name: 'Test', groupId: 0 },
    customer: customer && { id: customer.id, name: customer.name, location: customer.location },
    rule: null,
    ...(reader && { reader }),
    acknowledgeUntil: 0,
  },
});
