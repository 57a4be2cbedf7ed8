import { describe, expect, test } from 'vitest';
import { endDelivery } from '#functions/workers/undeliverable/end-delivery.ts';
import { kinds } from '#shared/domain/kinds.ts';
import { RetryLater } from '#shared/worker/failure.ts';
import { customerId, deliveryTo, user } from '#test/fixtures/delivery-stubs.ts';
import { recordedCalls } from '#test/fixtures/recorded-calls.ts';
import { NOW, readsOf, stubDeps } from '#test/fixtures/stub-deps.ts';

const { type, action } = kinds.fall_detected;
const delivered = (more: object = {}) => {
  const delivery = deliveryTo('sms', { state: 'delivered', sendTryTimes: [NOW - 9_000, NOW - 5_000], attempts: 2 });
  const { event, ...others } = delivery.snapshot;
  return { ...delivery, snapshot: { ...others, event: { ...event, type, action } }, ...more };
};
const hit = {
  id: 11,
  sensorId: 's1',
  sensorEventId: 'event-1',
  situation: 'fall_detected',
  createDate: NOW - 60_000,
  messages: [],
};

type UndeliverableWorld = {
  delivery?: object | null;
  attempt?: number;
  users?: Record<number, object>;
  /** The hits after the success was withdrawn, or null if nothing has changed. */
  withdrawn?: readonly (object | null)[];
  isRecorded?: boolean;
};
const end = async ({
  delivery = delivered(),
  attempt = 2,
  users = { 21: user },
  withdrawn = [hit],
  isRecorded = true,
}: UndeliverableWorld = {}) => {
  const { calls, recorded, named, names } = recordedCalls();
  const hits = [...withdrawn];
  const store = {
    deliveries: { get: recorded('delivery', () => delivery) },
    recipients: { person: readsOf(users) },
    channels: { markUndeliverable: recorded('mark') },
    hitReports: { reportUndeliverable: recorded('withdraw', () => hits.shift() ?? null) },
    attempts: { recordUndeliverable: recorded('record', () => isRecorded) },
    events: { storeNotice: recorded('storeNotice') },
    limits: { take: async () => true },
    users: { list: async () => [] },
  };
  const stubs = stubDeps<never>(store, { quotas: {}, mail: async () => {} });
  Object.assign((stubs.deps as { settings: object }).settings, { MAIL_SENDER: '' });
  const task = { kind: 'undeliverable', customerId, deliveryId: 'd1', attempt, reason: 'Bounce' } as never;
  const error = await endDelivery(stubs.deps, task).then(
    () => null,
    (thrown: unknown) => thrown,
  );
  return { ...stubs, calls, named, error, names };
};

describe('messages that did not arrive', () => {
  test('removes the recorded success of an undeliverable message before ending the delivery', async () => {
    const { names, named, places, measured, error, logged } = await end();
    expect(error).toBeNull();
    expect(logged.at(-1)).toEqual(['warn', 'a notification was undeliverable', { by: 'sms', attempt: 2 }]);
    expect(names()).toEqual(['delivery', 'mark', 'withdraw', 'storeNotice', 'record']);
    expect(named('delivery')).toEqual([[customerId, null, 'd1']]);
    expect(named('record')).toEqual([[delivered(), 'Bounce', NOW]]);
    expect(places).toContain('undeliverable.withdrawn');
    expect(measured.map(([name]) => name)).toContain('Undeliverable');
  });

  test('checks an alarm again if the only successful notification turns out to be undeliverable', async () => {
    const { enqueued } = await end();
    expect(enqueued.flatMap(([tasks]) => tasks.map((task) => task.type))).toEqual([
      'check_alarm',
      'process_notice',
      'escalate',
    ]);
    const other = await end({ withdrawn: [{ ...hit, notifiedDate: NOW }] });
    expect(other.enqueued.flatMap(([tasks]) => tasks.map((task) => task.type))).not.toContain('check_alarm');
    const gone = await end({ withdrawn: [] });
    expect(gone.enqueued.flatMap(([tasks]) => tasks.map((task) => task.type))).toEqual(['process_notice', 'escalate']);
  });

  test('removes the recorded success of an undeliverable message from all hits', async () => {
    const delivery = delivered({ alsoHits: [{ id: 12, message: 0 }] });
    expect((await end({ delivery, withdrawn: [hit, hit] })).named('withdraw')).toHaveLength(2);
    expect((await end({ delivery: delivered({ hit: null }) })).named('withdraw')).toEqual([]);
  });

  test('marks an undeliverable channel with the time of the message', async () => {
    const { named } = await end();
    const owner = { customerId, userId: 21 };
    expect(named('mark')).toEqual([[owner, 'sms', { sentAt: NOW - 5_000, date: NOW, reason: 'Bounce' }]]);
    const unknown = await end({ users: {} });
    expect([unknown.error, unknown.named('mark')]).toEqual([null, []]);
  });

  test('only marks the channel if an earlier attempt was undeliverable', async () => {
    const { names, named } = await end({ attempt: 1 });
    expect(names()).toEqual(['delivery', 'mark']);
    expect(named('mark')[0]?.[2]).toMatchObject({ sentAt: NOW - 9_000 });
    expect((await end({ delivery: delivered({ state: 'failed' }) })).names()).toEqual(['delivery', 'mark']);
  });

  test('an event about an unknown delivery or attempt is ignored', async () => {
    for (const given of [{ delivery: null }, { attempt: 3 }]) {
      const { names, error, logged } = await end(given);
      expect([names(), error]).toEqual([['delivery'], null]);
      expect(logged).toEqual([['info', 'an event names a delivery that does not exist']]);
    }
  });

  test('checks the escalation again if the delivery has already ended', async () => {
    const { names, enqueued } = await end({ delivery: delivered({ state: 'failed', reason: 'undeliverable' }) });
    expect(names()).toEqual(['delivery']);
    expect(enqueued.flatMap(([tasks]) => tasks.map((task) => task.type))).toEqual(['escalate']);
  });

  test('retries an event that arrives before the attempt is recorded', async () => {
    const sending = await end({ delivery: delivered({ state: 'sending' }) });
    expect(sending.error).toBeInstanceOf(RetryLater);
    expect(sending.names()).toEqual(['delivery']);
    const earlier = await end({ delivery: delivered({ state: 'sending' }), attempt: 1 });
    expect(earlier.error).toBeNull();
    const raced = await end({ isRecorded: false });
    expect(raced.error).toBeInstanceOf(RetryLater);
    expect(raced.measured.map(([name]) => name)).not.toContain('Undeliverable');
  });
});
