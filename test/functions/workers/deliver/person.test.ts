import { describe, expect, test } from 'vitest';
import { notifyPerson } from '#functions/workers/deliver/person.ts';
import type { Delivery } from '#shared/domain/delivery/delivery.ts';
import type { Deliver } from '#shared/queue/task.ts';
import {
  ACCEPTED,
  customerId,
  type DeliveryWorld,
  deliveryStubs,
  deliveryTo,
  snapshotOf,
} from '#test/fixtures/delivery-stubs.ts';
import { NOW } from '#test/fixtures/stub-deps.ts';

const sms = { by: 'sms', address: '+491701234567' };
const email = { by: 'email', address: 'anna@example.org' };
/** Runs the task for a delivery to a person that no other task has claimed. */
const notify = async (delivery: Delivery, more: DeliveryWorld = {}, ofTask: Partial<Deliver> = {}) => {
  const stubs = deliveryStubs({ claimed: delivery, channels: [email, sms], ...more });
  const key = { customerId, webhookId: null, id: delivery.id };
  const task: Deliver = {
    type: 'deliver',
    customerId,
    webhookId: null,
    deliveryId: delivery.id,
    isRetry: false,
    notBefore: 0,
    ...(delivery.person && { by: delivery.person.by }),
    ...ofTask,
  };
  const outcome = await notifyPerson(stubs.deps, key, task);
  const [[, recorded] = []] = stubs.named('recordResult');
  return { ...stubs, outcome, recorded: recorded as { result: Record<string, unknown>; next: object } | undefined };
};
const result = (error: string | null, responseBody = '') => ({ status: null, error, responseBody });

describe('notifying a person', () => {
  test('a notification goes to the verified channel with a link to the alarm', async () => {
    const delivery = deliveryTo('sms');
    const { outcome, named, recorded, measured, places } = await notify(delivery);
    expect(outcome).toBe('delivered');
    const reference = { customerId, deliveryId: delivery.id, attempt: 1 };
    expect(named('person')).toEqual([
      [
        sms,
        expect.objectContaining({ title: 'Fall in Room 1', url: expect.stringContaining('/acknowledge/') }),
        reference,
      ],
    ]);
    expect(recorded).toMatchObject({ result: result(null), next: { state: 'delivered' } });
    expect(recorded?.result).not.toHaveProperty('outbox');
    expect(named('report')).toEqual([[{ customerId, hitId: 11, at: 2, tries: [NOW], sent: true }, NOW]]);
    expect(measured.map(([name]) => name)).toEqual(['DeliveriesDelivered', 'TimeToFirstAttempt', 'TimeToReceiver']);
    expect(places).toContain('deliver.sent');
  });

  test('a notification is not sent if another task has claimed it', async () => {
    const queued = { delivery: { ...deliveryTo('sms'), state: 'sending' }, until: NOW + 9_000 };
    const { outcome, named, enqueued } = await notify(deliveryTo('sms'), { claimed: null, queued });
    expect(outcome).toBe('requeued');
    expect(named('person')).toEqual([]);
    expect(enqueued).toHaveLength(1);
  });

  test.each([
    ['the user is gone', { users: {} }],
    ['the channel is not verified', { channels: [email] }],
    ['the host no longer has the service', { settings: { CHANNEL_KINDS: ['email'] } }],
  ])('a notification fails permanently if %s', async (_, more) => {
    const { outcome, named, recorded, enqueued } = await notify(deliveryTo('sms'), more);
    expect(outcome).toBe('failed');
    expect(named('person')).toEqual([]);
    expect(recorded).toMatchObject({
      result: result('not_reachable'),
      next: { state: 'failed', reason: 'not_reachable' },
    });
    // The customer's webhooks get an event, and the next escalation step may be due.
    expect(named('storeNotice')).toHaveLength(1);
    expect(enqueued.map(([[task]]) => task?.type)).toEqual(['process_notice', 'escalate']);
  });

  test("a notification counts as delivered if the service reports the recipient's new address", async () => {
    const telegram = { by: 'telegram', address: '1' };
    const { outcome, named } = await notify(deliveryTo('telegram'), {
      channels: [telegram],
      outcome: { movedTo: '2' },
    });
    expect(outcome).toBe('delivered');
    expect(named('recordReached')).toEqual([[{ customerId, userId: 21 }, 'telegram', { from: '1', to: '2' }]]);
  });

  test("a permanently refused notification fails with the service's response", async () => {
    const gone = await notify(deliveryTo('sms'), { outcome: 'gone' });
    expect(gone.recorded).toMatchObject({ result: result('gone'), next: { state: 'failed', reason: 'gone' } });
    const refused = await notify(deliveryTo('sms'), { outcome: { refused: 'Conflict', answer: 'opted out' } });
    expect(refused.recorded).toMatchObject({
      result: result('Conflict', 'opted out'),
      next: { state: 'failed', reason: 'gone' },
    });
    expect(refused.outcome).toBe('failed');
  });

  test('a notification is retried up to five times', async () => {
    const soon = await notify(deliveryTo('sms'), { outcome: { retry: 'Busy', answer: 'try later' } });
    expect(soon.outcome).toBe('retrying');
    expect(soon.recorded).toMatchObject({ result: result('Busy', 'try later'), next: { state: 'retrying' } });
    // The delay of 10 s has a jitter of 20 %, and the random bytes in these tests are low.
    expect(soon.recorded?.next).toEqual({ state: 'retrying', nextAttempt: NOW + 8_016 });
    const asked = await notify(deliveryTo('sms'), { outcome: { retry: 'Busy', afterSeconds: 77 } });
    expect(asked.recorded?.next).toMatchObject({ nextAttempt: NOW + 77_000 });
    const last = await notify(deliveryTo('sms', { attempts: 5 }), { outcome: { retry: 'Busy' } });
    expect(last.recorded?.next).toEqual({ state: 'failed', reason: 'exhausted' });
  });

  test('a notification is retried for weeks while the service fails for everyone', async () => {
    const { recorded } = await notify(deliveryTo('sms', { attempts: 5 }), {
      outcome: { retry: 'NoCredit', isOfHost: true },
    });
    expect(recorded?.next).toMatchObject({ state: 'retrying' });
  });

  test('a notification written only to a file counts as having reached no one', async () => {
    const { recorded, named } = await notify(deliveryTo('sms'), { settings: { OUTBOX_KINDS: ['sms'] } });
    expect(recorded?.result).toMatchObject({ outbox: true });
    expect(named('report')).toMatchObject([[{ sent: 'outbox' }, NOW]]);
    const other = await notify(deliveryTo('email'), { settings: { OUTBOX_KINDS: ['sms'] } });
    expect(other.recorded?.result).not.toHaveProperty('outbox');
    const refused = await notify(deliveryTo('sms'), { settings: { OUTBOX_KINDS: ['sms'] }, outcome: 'gone' });
    expect(refused.recorded?.result).not.toHaveProperty('outbox');
    const unreachable = await notify(deliveryTo('sms'), { settings: { OUTBOX_KINDS: ['sms'] }, channels: [] });
    expect(unreachable.recorded?.result).not.toHaveProperty('outbox');
  });

  test('a notification is not sent again if the hit update fails', async () => {
    const failure = new Error('throttled');
    const delivery = deliveryTo('email');
    const stubs = deliveryStubs({ claimed: delivery, channels: [email], report: () => Promise.reject(failure) });
    const task = { type: 'deliver', customerId, webhookId: null, by: 'email', deliveryId: delivery.id } as never;
    await expect(notifyPerson(stubs.deps, { customerId, webhookId: null, id: delivery.id }, task)).rejects.toBe(
      failure,
    );
    expect(stubs.named('recordResult')).toMatchObject([[delivery, { next: { state: 'delivered' } }, NOW, true]]);
  });

  test("an attempt's record includes the duration of the service call", async () => {
    const delivery = deliveryTo('email');
    const stubs = deliveryStubs({ claimed: delivery, channels: [email] });
    const slow = async () => {
      await stubs.deps.pause(1_234);
      return 'accepted';
    };
    const task = { type: 'deliver', by: 'email' } as never;
    await notifyPerson(
      { ...stubs.deps, person: slow } as never,
      { customerId, webhookId: null, id: delivery.id },
      task,
    );
    expect(stubs.named('recordResult')).toMatchObject([
      [delivery, { result: { durationMs: 1_234 } }, NOW + 1_234, true],
    ]);
  });
});

describe('the SMS limit', () => {
  const counted = async (delivery: Delivery, more: DeliveryWorld = {}) => {
    const { named, measured, recorded, mails, outcome } = await notify(delivery, more);
    return { named, measured: measured.map(([name]) => name), recorded, mails, outcome };
  };

  test('only the first attempt to send an SMS counts against the limit', async () => {
    const { named } = await counted(deliveryTo('sms'));
    expect(named('countWithin')).toEqual([[`sms:${customerId}`, 10, 86_400, NOW]]);
    expect((await counted(deliveryTo('sms', { attempts: 2 }))).named('countWithin')).toEqual([]);
    expect((await counted(deliveryTo('email'))).named('countWithin')).toEqual([]);
  });

  test('alarms other than falls may use only half of the SMS limit', async () => {
    const other = deliveryTo('sms', { snapshot: snapshotOf('occupied_room') });
    expect((await counted(other)).named('countWithin')).toEqual([[`sms:${customerId}`, 5, 86_400, NOW]]);
    const test = deliveryTo('sms', { isTest: true });
    expect((await counted(test)).named('countWithin')).toEqual([[`sms:test:${customerId}`, 3, 86_400, NOW]]);
  });

  test('refused SMS messages are counted only once a day per customer', async () => {
    const { recorded, named, measured, outcome } = await counted(deliveryTo('sms'), { smsCount: null });
    expect(outcome).toBe('failed');
    expect(recorded).toMatchObject({
      result: result('limit_reached'),
      next: { state: 'failed', reason: 'limit_reached' },
    });
    expect(named('person')).toEqual([]);
    expect(named('take')[0]).toEqual([`sms:reached:${customerId}`, 1, 86_400, NOW]);
    expect(measured).toContain('SmsLimitReached');
    const again = await counted(deliveryTo('sms'), { smsCount: null, used: [`sms:reached:${customerId}`] });
    expect(again.measured).not.toContain('SmsLimitReached');
    const ofTest = await counted(deliveryTo('sms', { isTest: true }), { smsCount: null });
    expect(ofTest.measured).not.toContain('SmsLimitReached');
    expect(ofTest.recorded?.next).toMatchObject({ reason: 'limit_reached' });
  });

  test('rule managers get one email a day once most of the SMS limit is used up', async () => {
    const managers = [{ canLogin: true, isAdmin: false, permissions: ['manage_rules'], email: 'boss@x', locale: 'en' }];
    const near = await counted(deliveryTo('sms'), { smsCount: 8, managers });
    expect(near.named('take')).toEqual([[`sms:warned:${customerId}`, 1, 86_400, NOW]]);
    expect(near.mails.map(([to]) => to)).toEqual(['boss@x']);
    const again = await counted(deliveryTo('sms'), { smsCount: 8, managers, used: [`sms:warned:${customerId}`] });
    expect(again.mails).toEqual([]);
    for (const [delivery, smsCount] of [
      [deliveryTo('sms'), 7],
      [deliveryTo('sms', { isTest: true }), 8],
    ] as const)
      expect((await counted(delivery, { smsCount, managers })).mails).toEqual([]);
    expect((await counted(deliveryTo('sms', { attempts: 2 }), { smsCount: 8, managers })).mails).toEqual([]);
  });
});

describe('escalation steps', () => {
  const step = { isStep: true };
  const acknowledged = { hits: { 11: { acknowledgement: { name: 'Ben' } } } };

  test('an escalation step is canceled once someone acknowledges the alarm', async () => {
    const { outcome, named, recorded, logged } = await notify(deliveryTo('sms', step), acknowledged);
    expect(outcome).toBe('failed');
    expect(named('person')).toEqual([]);
    expect(recorded).toMatchObject({ result: result('canceled'), next: { state: 'failed', reason: 'canceled' } });
    expect(named('recordResult')[0]?.slice(2)).toEqual([NOW, false]);
    const ids = { customerId, deliveryId: deliveryTo('sms').id, hitId: 11 };
    expect(logged).toEqual([['info', expect.stringContaining('acknowledged'), ids]]);
  });

  test.each([
    ['nobody has acknowledged it', step, { hits: { 11: {} } }],
    ['its hit is gone', step, {}],
    ['it belongs to no hit', { ...step, hit: null }, acknowledged],
    ['it is a redelivery', { ...step, replayOf: 'd0' }, acknowledged],
    ['it is the first message of the alarm', {}, acknowledged],
  ])('an escalation step is sent if %s', async (_, more, stored) => {
    expect((await notify(deliveryTo('sms', more), stored)).outcome).toBe('delivered');
  });
});

describe('electing a task to gather messages', () => {
  const offline = (more: object = {}) =>
    deliveryTo('email', { snapshot: snapshotOf('sensor_inactive'), state: 'pending', nextAttempt: NOW, ...more });
  const queued = (delivery: object | null, until: number | null = null) => ({ delivery, until });
  const elect = (delivery: Delivery, more: DeliveryWorld) =>
    notify(delivery, { claimed: null, ...more }, { isGathered: true });
  const isElected = ({ named }: Awaited<ReturnType<typeof elect>>) => named('claim').length > 0;

  test('only one task per channel gathers offline sensor messages', async () => {
    const delivery = offline();
    const channels = [email, { by: 'telegram', address: '-100' }];
    const won = await elect(delivery, { queued: queued(delivery), channels });
    expect(won.named('take')).toEqual([[`gather:${customerId} email user 21`, 1, 8, NOW]]);
    expect(isElected(won)).toBe(true);
    const lost = await elect(delivery, {
      queued: queued(delivery),
      used: [`gather:${customerId} email user 21`],
    });
    expect(isElected(lost)).toBe(false);
    expect(lost.enqueued).toMatchObject([[[{ deliveryId: delivery.id, notBefore: NOW + 8_000, isRetry: true }], 8]]);
  });

  test('only one task gathers messages to a shared chat', async () => {
    const delivery = offline({ person: { userId: 21, by: 'telegram', name: '' } });
    const channels = [email, { by: 'telegram', address: '-100' }];
    const won = await elect(delivery, { queued: queued(delivery), channels });
    expect(won.named('take')).toMatchObject([[`gather:${customerId} telegram chat -100`, 1, 8, NOW]]);
  });

  test('a delivery sent on its own needs no election', async () => {
    const { named } = await elect(deliveryTo('email'), { queued: queued(deliveryTo('email')) });
    expect(named('take')).toEqual([]);
    expect(named('claim')).toHaveLength(1);
    // A sweep's task names no channel.
    const ofSweep = await notify(deliveryTo('email'), { claimed: null, queued: queued(deliveryTo('email')) }, {
      by: undefined,
    } as never);
    expect(ofSweep.named('getQueued').length).toBeGreaterThan(1);
    expect((await notify(deliveryTo('email'))).named('getQueued')).toEqual([]);
  });

  test('an election takes place only once the delivery is due', async () => {
    const later = { ...offline(), nextAttempt: NOW + 1 };
    expect(isElected(await elect(offline(), { queued: queued(later) }))).toBe(false);
    const taken = await elect(offline(), { queued: queued({ ...offline(), state: 'sending' }, NOW + 5_000) });
    expect(isElected(taken)).toBe(false);
    expect(taken.enqueued).toMatchObject([[[{ notBefore: NOW + 5_000 }], 5]]);
    const ended = await elect(offline(), { queued: queued({ ...offline(), state: 'failed', hit: null }) });
    expect(ended.outcome).toBe('failed');
    const retry = await elect(offline(), { queued: queued({ ...offline(), state: 'retrying' }) });
    expect(isElected(retry)).toBe(true);
    const lapsed = await elect(offline(), { queued: queued({ ...offline(), state: 'sending' }, NOW) });
    expect(isElected(lapsed)).toBe(true);
  });

  test('quarantines a task whose delivery does not exist', async () => {
    await expect(elect(offline(), { queued: queued(null) })).rejects.toThrow('the table has no such delivery');
  });
});

test('the time to the first attempt is measured from when the message is accepted', async () => {
  const { measured } = await notify(deliveryTo('sms'));
  expect(measured).toContainEqual(['TimeToFirstAttempt', NOW - ACCEPTED]);
});
