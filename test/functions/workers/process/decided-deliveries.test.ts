import { describe, expect, test } from 'vitest';
import type { ProcessDeps } from '#functions/workers/process/context.ts';
import { enqueueDeliveries, mergeDeliveries, writeDeliveries } from '#functions/workers/process/deliveries.ts';
import { countImmediateAlarms } from '#functions/workers/process/hits.ts';
import { canaryUrl } from '#shared/domain/canary.ts';
import type { Delivery } from '#shared/domain/delivery/delivery.ts';
import { deliveryTo, snapshotOf } from '#test/fixtures/delivery-stubs.ts';
import { webhookOf } from '#test/fixtures/hit-stubs.ts';
import { recordedCalls } from '#test/fixtures/recorded-calls.ts';
import { NOW, stubDeps } from '#test/fixtures/stub-deps.ts';

describe("a decision's deliveries", () => {
  const toWebhook = (id: string, webhookId: string, more: object = {}): Delivery => {
    const { person: _, ...others } = deliveryTo('sms', { id, webhookId, ...more });
    return others;
  };
  const recipients = (...webhooks: object[]) =>
    ({ webhooks: new Map(webhooks.map((webhook) => [(webhook as { id: string }).id, webhook])) }) as never;

  test('deliveries with the same id are merged into one for all their hits', () => {
    const merged = mergeDeliveries([
      toWebhook('a', 'w1', { hit: null }),
      toWebhook('a', 'w1', { hit: { id: 1, message: 0 } }),
      toWebhook('b', 'w1', { hit: { id: 3, message: 1 } }),
      toWebhook('a', 'w1', { hit: { id: 2, message: 4 } }),
      toWebhook('c', 'w1', { hit: null }),
    ]);
    expect(merged.map(({ id, hit, alsoHits }) => [id, hit, alsoHits])).toEqual([
      ['a', { id: 1, message: 0 }, [{ id: 2, message: 4 }]],
      ['b', { id: 3, message: 1 }, undefined],
      ['c', null, undefined],
    ]);
    expect(merged[1]).not.toHaveProperty('alsoHits');
  });

  test('deliveries to webhooks without a URL enter the feed in order', async () => {
    const { calls, recorded } = recordedCalls();
    const store = { deliveries: { create: recorded('create'), createInFeed: recorded('feed') } };
    const { deps } = stubDeps<ProcessDeps>(store);
    const [a, b, c, d] = [
      toWebhook('a', 'feed'),
      toWebhook('b', 'w1'),
      toWebhook('c', 'feed'),
      deliveryTo('sms'),
    ] as const;
    const known = recipients(webhookOf('w1', 31), webhookOf('feed', 31, { url: null }));
    expect(await writeDeliveries(deps, [a, b, c, d], known)).toEqual([b, d]);
    expect(calls).toEqual([
      ['create', b, false],
      ['create', d, false],
      ['feed', a],
      ['feed', c],
    ]);
  });

  test('deliveries about offline sensors are delayed by 20 seconds so they can be combined', async () => {
    const { deps, enqueued } = stubDeps<ProcessDeps>({});
    const offline = deliveryTo('email', { snapshot: snapshotOf('sensor_inactive'), createDate: NOW });
    const alarm = deliveryTo('sms');
    await enqueueDeliveries(deps, [offline, alarm]);
    expect(enqueued).toMatchObject([
      [[{ type: 'deliver', deliveryId: alarm.id, isRetry: false, notBefore: 0 }], 0],
      [[{ type: 'deliver', deliveryId: offline.id, isRetry: true, notBefore: NOW + 20_000, isGathered: true }], 20],
    ]);
    expect(enqueued.map(([{ length }]) => length)).toEqual([1, 1]);
    const only = stubDeps<ProcessDeps>({});
    await enqueueDeliveries(only.deps, [alarm]);
    expect(only.enqueued).toHaveLength(1);
  });

  test('AlarmsToTell counts only alarm deliveries that must be sent at once', () => {
    const countOf = (deliveries: Delivery[], ...webhooks: object[]) => {
      const { deps, measured } = stubDeps<ProcessDeps>({});
      countImmediateAlarms(deps, deliveries, recipients(...webhooks));
      return measured;
    };
    const alarm = toWebhook('a', 'w1');
    expect(countOf([alarm, deliveryTo('sms')], webhookOf('w1', 31))).toEqual([['AlarmsToTell', 2]]);
    expect(countOf([deliveryTo('sms', { snapshot: snapshotOf('sensor_inactive') })])).toEqual([]);
    expect(countOf([toWebhook('a', 'w1', { hit: null })], webhookOf('w1', 31))).toEqual([]);
    expect(countOf([alarm])).toEqual([]);
    for (const waiting of [
      { isEnabled: false },
      { url: null },
      { url: canaryUrl('https://cloud.example.org') },
      { retrySchedule: [1] },
    ])
      expect(countOf([alarm], webhookOf('w1', 31, waiting))).toEqual([]);
    for (const prompt of [{ retrySchedule: [0, 5] }, { retrySchedule: [] }])
      expect(countOf([alarm], webhookOf('w1', 31, prompt))).toEqual([['AlarmsToTell', 1]]);
  });
});
