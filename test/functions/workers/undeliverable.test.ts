import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { undeliverable as contract } from '#functions/workers/undeliverable/contract.ts';
import { handler } from '#functions/workers/undeliverable/handler.ts';
import { systemClock } from '#lib/local/clock.ts';
import { lambdaContext } from '#lib/local/lambda/invocation.ts';
import type { DeliveryView } from '#shared/domain/delivery/delivery-view.ts';
import type { NotificationReference } from '#shared/domain/delivery/notification-reference.ts';
import { changes } from '#shared/store/engine/request.ts';
import { items } from '#shared/store/table.ts';
import { createPeopleWorld } from '#test/fixtures/people.ts';
import { mailbox, mailEvent, mailEvents, phone, smsEvent, snsNotification } from '#test/fixtures/service-events.ts';

let world: Awaited<ReturnType<typeof createPeopleWorld>>;
beforeAll(async () => {
  world = await createPeopleWorld();
});
afterAll(() => world.stop());

const HOUR = 3_600_000;
type Home = Awaited<ReturnType<typeof world.furnish>>;

/** Queues events as SNS does, and waits until they are processed. */
const report = async (...messages: (string | object)[]) => {
  const bodies = messages.map((message) => JSON.stringify(snsNotification(message)));
  await world.queues.send(
    'undeliverable',
    bodies.map((body) => ({ body, groupId: 'any', delaySeconds: 0 })),
  );
  await world.idle();
};

const referenceTo = (home: Home, { id, attempts }: DeliveryView): NotificationReference => ({
  customerId: home.customerId,
  deliveryId: id,
  attempt: attempts,
});

/** Creates a home with one user, and notifies that user about a fall through one channel. */
const notify = async (by: 'email' | 'sms', address = by === 'sms' ? phone : mailbox) => {
  const home = await world.furnish();
  const user = await home.hire('anna', { [by]: address });
  await home.rule([{ userId: user.id, by }]);
  await home.fall();
  const [delivery] = await home.sent();
  if (delivery?.state !== 'delivered') throw new Error('the fall was not delivered');
  const reference = referenceTo(home, delivery);
  const detail = () => home.client.ok<{ state: string; reason: string }>('GET', `${home.at}/${delivery.id}`);
  const channels = () => user.client.ok<object[]>('GET', '/users/me/channels');
  return { home, user, delivery, reference, detail, channels };
};

const byMail = (Object.keys(mailEvents) as (keyof typeof mailEvents)[]).map((kind) => [kind] as const);
const reasons: Partial<Record<keyof typeof mailEvents, string>> = {
  permanentBounce: 'Bounce: Permanent: General: smtp; 550 5.1.1 user unknown',
  transientBounce: 'Bounce: Transient: MailboxFull: smtp; 452 4.2.2 <…>: Mailbox full',
  suppressed:
    'Bounce: Permanent: OnAccountSuppressionList: Amazon SES did not send the message to this address because it is on the suppression list for your account.',
  undetermined: 'Bounce: Undetermined: Undetermined',
  complaint: 'Complaint: abuse',
  reject: 'Reject: Bad content',
  renderingFailure: "Rendering Failure: Attribute 'attributeName' is not present in the rendering data.",
};

describe('an SES event', () => {
  test.each(byMail.filter(([kind]) => reasons[kind] !== undefined))(
    '%s ends the delivery and marks the channel',
    async (kind) => {
      const { home, reference, detail, channels } = await notify('email');
      expect(await home.hits()).toMatchObject([{ allSend: true, ruleMessages: [{ wasSend: true }] }]);
      await report(mailEvent(kind, reference));
      const reason = reasons[kind];
      expect(await detail()).toMatchObject({
        state: 'failed',
        reason: 'undeliverable',
        attemptLog: [{ number: 1, status: null, error: 'undeliverable', responseBody: reason }],
      });
      expect(await home.hits()).toMatchObject([{ allSend: false, ruleMessages: [{ wasSend: false }] }]);
      expect(await channels()).toEqual([
        {
          by: 'email',
          address: mailbox,
          provenDate: expect.any(Number),
          undeliverableDate: expect.any(Number),
          undeliverableReason: reason,
        },
      ]);
    },
  );

  test.each(byMail.filter(([kind]) => reasons[kind] === undefined))('%s changes nothing', async (kind) => {
    const { home, reference, detail, channels } = await notify('email');
    await report(mailEvent(kind, reference));
    expect(await detail()).toMatchObject({ state: 'delivered', reason: null });
    expect(await home.hits()).toMatchObject([{ allSend: true }]);
    expect(await channels()).toMatchObject([{ undeliverableDate: null, undeliverableReason: null }]);
  });
});

describe('an event from AWS End User Messaging', () => {
  test.each([
    ['TEXT_INVALID', 'The destination phone number is invalid'],
    ['TEXT_INVALID_MESSAGE', 'The body of the message is invalid'],
    ['TEXT_BLOCKED', 'Phone carrier is currently unreachable/unavailable'],
    ['TEXT_CARRIER_BLOCKED', 'Phone carrier has blocked this message'],
    ['TEXT_CARRIER_UNREACHABLE', 'Phone carrier is currently unreachable/unavailable'],
    ['TEXT_PROTECT_BLOCKED', 'Message blocked by protect configuration'],
    ['TEXT_SPAM', 'Phone carrier has marked message as spam'],
    ['TEXT_TTL_EXPIRED', 'Message validity period expired before delivery'],
    ['TEXT_UNREACHABLE', `Phone ${phone} is currently unreachable/unavailable`],
  ])('%s ends the delivery and marks the channel, even 72 hours later', async (type, text) => {
    const { home, user, reference, detail } = await notify('sms');
    await world.pass(72 * HOUR);
    await report(smsEvent(type, text, reference));
    const reason = `${type}: ${text.replace(phone, '…')}`;
    expect(await detail()).toMatchObject({
      state: 'failed',
      reason: 'undeliverable',
      attemptLog: [{ number: 1, error: 'undeliverable', responseBody: reason }],
    });
    expect((await home.hits()).at(-1)).toMatchObject({ allSend: false, ruleMessages: [{ wasSend: false }] });
    // A manager sees the state, but not the number.
    expect(await home.client.ok('GET', `/users/${user.id}/channels`)).toEqual([
      {
        by: 'sms',
        provenDate: expect.any(Number),
        undeliverableDate: expect.any(Number),
        undeliverableReason: reason,
      },
    ]);
  });

  test.each([
    ['TEXT_DELIVERED', 'Message has been accepted by phone'],
    ['TEXT_SUCCESSFUL', 'Message has been accepted by phone carrier'],
    ['TEXT_QUEUED', 'Message has been queued for delivery'],
    ['TEXT_PENDING', 'Message is pending'],
    ['TEXT_UNKNOWN', 'An unknown error occurred'],
    ['TEXT_OF_TOMORROW', 'An event that does not exist yet'],
  ])('%s changes nothing', async (type, text) => {
    const { reference, detail, channels } = await notify('sms');
    await report(smsEvent(type, text, reference));
    expect(await detail()).toMatchObject({ state: 'delivered', reason: null });
    expect(await channels()).toMatchObject([{ undeliverableDate: null }]);
  });

  test('an SMS event changes nothing while the network is still retrying', async () => {
    const { reference, detail } = await notify('sms');
    await report({ ...smsEvent('TEXT_UNREACHABLE', 'Phone is off', reference), isFinal: false });
    expect(await detail()).toMatchObject({ state: 'delivered' });
    await report(smsEvent('TEXT_UNREACHABLE', 'Phone is off', reference));
    expect(await detail()).toMatchObject({ state: 'failed', reason: 'undeliverable' });
  });
});

describe('an undeliverable notification', () => {
  test('keeps at most 200 characters of the reason why a notification was undeliverable', async () => {
    const { reference, detail, channels } = await notify('sms');
    const text = `Line\n\u0007one ${mailbox} ${phone} ${'x'.repeat(300)}\ud800`;
    await report(smsEvent('TEXT_BLOCKED', text, reference));
    const reason = `TEXT_BLOCKED: Line one … … ${'x'.repeat(300)}`.slice(0, 200);
    expect(await detail()).toMatchObject({ attemptLog: [{ responseBody: reason }] });
    expect(await channels()).toMatchObject([{ undeliverableReason: reason }]);
  });

  test('an undeliverable notification is reported only once, however often the event arrives', async () => {
    const { home, reference, detail, channels } = await notify('sms');
    const managers = { username: `boss-${home.customerId}`, email: `boss-${home.customerId}@example.com` };
    await home.admin.ok('POST', '/users', {
      ...managers,
      customerId: home.customerId,
      password: 'a-long-password',
      firstName: 'A',
      lastName: 'B',
      permissions: ['manage_rules'],
    });
    const counted = world.valuesOf('Undeliverable').length;
    const event = smsEvent('TEXT_INVALID', 'The number is invalid', reference);
    await report(event, event, event);
    const first = await channels();
    await world.pass(HOUR);
    await report(event);
    expect(await channels()).toEqual(first);
    expect(world.valuesOf('Undeliverable')).toHaveLength(counted + 1);
    expect(await detail()).toMatchObject({ state: 'failed', attemptLog: [{ error: 'undeliverable' }] });
    const mails = world.sentMessages.filter(({ to }) => to === managers.email).map(({ text }) => text.split('\n')[0]);
    expect(mails).toEqual([
      expect.stringMatching(/^Fall alert not delivered: Sensor/),
      expect.stringMatching(/^Nobody was notified: Fall detected, Sensor/),
      expect.stringMatching(/^Still open: 1 alarm without a response/),
    ]);
    const [page] = await home.client.ok<{ data: object[] }[]>('GET', `/sensors/${home.sensorId}/events`);
    const failures = page?.data.filter((event) => JSON.stringify(event).includes('"action":"failed"'));
    expect(failures).toHaveLength(1);
  });

  test('an undeliverable notification does not affect the hit if a redelivery was accepted', async () => {
    const { home, reference, delivery, detail } = await notify('sms');
    await world.pass(60_000);
    await home.client.ok('POST', `${home.at}/${delivery.id}/redeliver`);
    await world.idle();
    await report(smsEvent('TEXT_TTL_EXPIRED', 'Expired', reference));
    expect(await detail()).toMatchObject({ state: 'failed', reason: 'undeliverable' });
    expect(await home.hits()).toMatchObject([{ allSend: true }]);
  });

  test('does not mark a channel as undeliverable if it was verified after the notification', async () => {
    const { home, user, reference, channels, detail } = await notify('sms');
    await world.pass(1_000);
    await home.prove(user.id, 'sms', '+4915100000000');
    await report(smsEvent('TEXT_INVALID', 'The number is invalid', reference));
    expect(await detail()).toMatchObject({ state: 'failed', reason: 'undeliverable' });
    expect(await channels()).toMatchObject([{ address: '+4915100000000', undeliverableDate: null }]);
  });

  test('an event about an earlier attempt does not end the delivery', async () => {
    const home = await world.furnish();
    const user = await home.hire('anna', { email: mailbox });
    await home.rule([{ userId: user.id, by: 'email' }]);
    let calls = 0;
    world.answerWith(() => {
      if (++calls === 1) throw Object.assign(new Error('no answer'), { name: 'TimeoutError' });
    });
    await home.fall();
    await world.pass(15_000);
    world.answerWith(() => {});
    const [delivery] = await home.sent();
    expect(delivery).toMatchObject({ state: 'delivered', attempts: 2 });
    if (!delivery) return;
    await report(mailEvent('permanentBounce', { ...referenceTo(home, delivery), attempt: 1 }));
    expect((await home.sent())[0]).toMatchObject({ state: 'delivered' });
    await report(mailEvent('permanentBounce', referenceTo(home, delivery)));
    expect((await home.sent())[0]).toMatchObject({ state: 'failed', reason: 'undeliverable' });
  });
});

describe('an event for an unknown delivery', () => {
  const quarantined = () => ('queues' in world.waiting ? world.waiting.queues.quarantine.receive(10).length : -1);

  test('an event changes nothing if it is malformed or its delivery is unknown', async () => {
    const { reference, detail } = await notify('sms');
    const other = await notify('sms');
    const about = (more: Partial<NotificationReference>) =>
      smsEvent('TEXT_INVALID', 'The number is invalid', { ...reference, ...more });
    await report(
      about({ deliveryId: '0'.repeat(26) }),
      about({ customerId: other.home.customerId }),
      about({ customerId: 0 }),
      about({ attempt: 2 }),
      { ...about({}), context: { customerId: '1 OR 1', deliveryId: '../..', attempt: '-1' } },
      { ...about({}), context: null },
      { eventType: 'Bounce', mail: {} },
      { eventType: 'Bounce' },
      [],
      'null',
      'Successfully validated SNS topic for Amazon SES event publishing.',
    );
    for (const { state } of [await detail(), await other.detail()]) expect(state).toBe('delivered');
    expect(quarantined()).toBe(0);
  });

  test('quarantines an event that was not sent by SNS', async () => {
    await world.queues.send('undeliverable', [{ body: 'no JSON', groupId: 'any', delaySeconds: 0 }]);
    await world.idle();
    expect(quarantined()).toBe(1);
  });
});

describe('an event batch', () => {
  test('retries only events that arrive before their attempt is recorded', async () => {
    const first = await notify('sms');
    const second = await notify('sms');
    const { customerId, deliveryId } = second.reference;
    const key = items.personDelivery({ customerId, deliveryId });
    await world.table.update(key, changes({ set: { state: 'sending' } }));
    const hidden: unknown[] = [];
    const queues = { ...world.queues, hide: async (...call: unknown[]) => void hidden.push(call) };
    const run = handler.with({ ...world.runtime, queues });
    const context = lambdaContext({ functionName: contract.name, timeoutSeconds: 15, clock: systemClock });
    const Records = [first, second].map(({ reference }, at) => ({
      messageId: `m${at}`,
      receiptHandle: `r${at}`,
      body: JSON.stringify(snsNotification(smsEvent('TEXT_INVALID', 'The number is invalid', reference))),
      messageAttributes: {},
      attributes: { ApproximateReceiveCount: '1' },
      eventSourceARN: 'arn:aws:sqs:eu-central-1:000000000000:undeliverable',
    }));
    const answer = await run({ Records } as never, context);
    expect(answer).toEqual({ batchItemFailures: [{ itemIdentifier: 'm1' }] });
    expect(hidden).toHaveLength(1);
    expect(await first.detail()).toMatchObject({ state: 'failed', reason: 'undeliverable' });
  });
});
