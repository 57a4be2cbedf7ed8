import { describe, expect, test } from 'vitest';
import {
  type Delivery,
  deliveryId,
  heldUntil,
  messageUuidOf,
  receiverKey,
  webhookOfReceiver,
} from '#shared/domain/delivery/delivery.ts';
import { DeliveryDetail, DeliveryView, deliveryIdText, deliveryView } from '#shared/domain/delivery/delivery-view.ts';
import {
  type EventContext,
  firstDeliveryId,
  idInRound,
  newDelivery,
  readerOf,
  serviceFrom,
  snapshotOf,
  webhookSnapshot,
} from '#shared/domain/delivery/snapshot.ts';
import { NO_SENSOR_ID, testDelivery } from '#shared/domain/delivery/test-delivery.ts';
import type { WebhookRecord } from '#shared/domain/delivery/webhook.ts';
import { eventOf } from '#shared/domain/event/event.ts';
import { timeOfUlid } from '#shared/domain/ids.ts';
import { NewRule, type Rule } from '#shared/domain/rule/rule.ts';

const now = 1_800_000_000_000;
const DAY = 86_400_000;
const uuid = '00000000-0000-4000-8000-000000000000';
const service = serviceFrom({ SERVICE_NAME: 'Elm', PUBLIC_URL: 'https://elm.example', SERVICE_VERSION: '1.2' });
const happening = eventOf('fall_detected', { point: { x: 0, y: 0 }, region: { id: 'r', index: 3, name: 'Bed' } });
const eventContext: EventContext = {
  service,
  event: { id: 7, uuid, receiveDate: now, source: 'message', createDate: now, happening, rules: [] },
  sensor: { id: 's', hardwareId: 'h', name: 'Room 1', groupId: 9 },
  customer: { id: 3, name: 'Maple', location: 'Ward 2', timeZone: 'Europe/Berlin' },
};
const ruleWith = (more: object = {}): Rule => ({
  ...NewRule.parse({
    name: 'Falls',
    title: '{situation}: {sensor}',
    message: '{region}, {location}, {time}',
    situation: 'fall_detected',
    recipients: [{ botId: 1, webhookId: uuid }],
    ...more,
  }),
  id: 4,
  createDate: 5,
  updateDate: 6,
  customerId: 3,
});
const text = 'Fall';

describe('snapshots', () => {
  test('a snapshot contains all values that a payload may need', () => {
    const { snapshot, rule } = {
      snapshot: snapshotOf(eventContext, { name: 'hook' }, ruleWith(), { text }),
      rule: ruleWith(),
    };
    expect(service).toEqual({ name: 'Elm', url: 'https://elm.example', version: '1.2' });
    expect(snapshot).toEqual({
      service,
      webhook: { name: 'hook' },
      event: {
        id: 7,
        uuid,
        createDate: now,
        type: happening.type,
        action: happening.action,
        code: happening.code,
        coordinates: { x: 0.5, y: 30 / 380, z: 0 },
        text,
        source: 'message',
      },
      sensor: { id: 's', deviceId: expect.any(String), name: 'Room 1', groupId: 9 },
      customer: { id: 3, name: 'Maple', location: 'Ward 2' },
      rule: {
        id: rule.id,
        createDate: 5,
        name: 'Falls',
        title: 'Fall: Room 1',
        message: 'Bed, Ward 2, 2027-01-15 09:00',
        groupId: 0,
        situation: 'fall_detected',
        hasRegion: true,
        regionIndex: 3,
        regionName: 'Bed',
      },
      acknowledgeUntil: 0,
    });
  });

  test('a snapshot omits a missing customer, region, position or rule', () => {
    const bare = {
      ...eventContext,
      customer: null,
      event: { ...eventContext.event, happening: eventOf('fall_detected') },
    };
    const snapshot = snapshotOf(bare, undefined, ruleWith({ message: '{region}{location}', sensorGroupId: 8 }), {
      text,
    });
    expect(snapshot).toMatchObject({ customer: null, event: { coordinates: null } });
    // Texts are never empty.
    expect(snapshot.rule).toMatchObject({
      message: text,
      groupId: 8,
      hasRegion: false,
      regionIndex: -1,
      regionName: '',
    });
    expect(snapshotOf(bare, undefined, null, { text }).rule).toBeNull();
    for (const field of ['webhook', 'reader', 'acknowledgement']) expect(snapshot).not.toHaveProperty(field);
  });

  test('a snapshot includes the acknowledgement for an acknowledgement event', () => {
    const acknowledgement = { ruleHitId: 1, userId: 2, name: 'Anna', date: 3 };
    const event = { ...eventContext.event, happening: { ...happening, acknowledgement } };
    expect(snapshotOf({ ...eventContext, event }, undefined, null, { text })).toMatchObject({ acknowledgement });
  });

  test("local time uses the rule's time zone, then the customer's, then UTC", () => {
    const schedule = { days: [1], from: '00:00', to: '00:00', timeZone: 'Asia/Tokyo' };
    const timeOf = (context: EventContext, rule: Rule) => readerOf(context, rule, 'de-AT').time;
    expect(timeOf(eventContext, ruleWith({ schedule }))).toBe('2027-01-15 17:00 Asia/Tokyo');
    expect(timeOf(eventContext, ruleWith())).toBe('2027-01-15 09:00 Europe/Berlin');
    expect(timeOf({ ...eventContext, customer: null }, ruleWith())).toBe('2027-01-15 08:00 UTC');
    expect(readerOf(eventContext, ruleWith(), 'de-AT')).toMatchObject({ language: 'de', hasPlainNames: true });
  });

  test('names do not become links in messages to people', () => {
    const context = { ...eventContext, sensor: { ...eventContext.sensor, name: 'evil.example' } };
    const rule = ruleWith({ title: '{sensor}{sensor}' });
    const reader = readerOf(context, rule, 'en');
    expect(snapshotOf(context, undefined, rule, { text }).rule?.title).toBe('evil.exampleevil.example');
    const forPeople = snapshotOf(context, undefined, rule, { text, reader });
    expect(forPeople.rule?.title).toBe('evil.\u200bexample\u200bevil.\u200bexample');
    expect(forPeople.reader).toEqual(reader);
    expect(
      snapshotOf(context, undefined, ruleWith({ title: '{region}{location}' }), { text, reader }).rule?.title,
    ).not.toBe(text);
    const nowhere = { ...context, customer: null, event: { ...context.event, happening: eventOf('fall_detected') } };
    expect(
      snapshotOf(nowhere, undefined, ruleWith({ title: '{region}{location}' }), { text, reader }).rule?.title,
    ).toBe(text);
  });

  test('a snapshot shows whether the webhook belongs to a customer', () => {
    expect(webhookSnapshot({ name: 'n', isCustomerHook: true })).toEqual({ name: 'n', isCustomerHook: true });
    expect(webhookSnapshot({ name: 'n', isCustomerHook: false })).toEqual({ name: 'n' });
  });
});

describe('new deliveries', () => {
  const snapshot = snapshotOf(eventContext, undefined, null, { text });
  const base = { customerId: 3, hit: { id: 1, message: 0 }, ruleId: 4 };
  const person = { userId: 2, by: 'sms' as const, name: 'Anna' };
  test('a new delivery is due at once, and the link is valid for one day', () => {
    const delivery = newDelivery(eventContext, { ...base, webhookId: uuid, format: 'full' }, snapshot, now + 500);
    expect(delivery).toEqual({
      id: firstDeliveryId({ ...eventContext.event, sensorId: 's' }, 4, uuid, 'full'),
      customerId: 3,
      webhookId: uuid,
      createDate: now + 500,
      updateDate: now + 500,
      state: 'pending',
      reason: null,
      attempts: 0,
      nextAttempt: now + 500,
      hit: { id: 1, message: 0 },
      sendTryTimes: [],
      format: 'full',
      snapshot: { ...snapshot, acknowledgeUntil: now / 1_000 + 86_400 },
    });
  });

  test("a new Raw delivery contains the fall's message if the event has no message", () => {
    const raw = { ...base, webhookId: uuid, format: 'raw' as const };
    expect(newDelivery(eventContext, raw, snapshot, now).id).toBe(
      firstDeliveryId({ ...eventContext.event, sensorId: 's' }, 4, uuid, 'raw'),
    );
    const moved = { ...eventContext, event: { ...eventContext.event, source: null, fallMessage: 'of the fall' } };
    const sourceIn = (to: Parameters<typeof newDelivery>[1]) =>
      newDelivery(moved, to, { ...snapshot, event: { ...snapshot.event, source: null } }, now).snapshot.event.source;
    expect(sourceIn(raw)).toBe('of the fall');
    expect(sourceIn({ ...raw, format: 'full' })).toBe(null);
    expect(sourceIn({ ...base, person })).toBe(null);
  });

  test('a new delivery without an alarm does not contain a link', () => {
    expect(newDelivery(eventContext, { ...base, hit: null, person }, snapshot, now)).toMatchObject({
      webhookId: null,
      person,
      snapshot: { acknowledgeUntil: 0 },
    });
  });

  test('a new delivery counts as a step only if the hit escalates', () => {
    const round = { round: 2, at: now + 60_000 };
    const step = newDelivery(eventContext, { ...base, person, round }, snapshot, now);
    expect(step).toMatchObject({ isStep: true, id: idInRound({ uuid, sensorId: 's', ruleId: 4 }, round, '2 sms') });
    expect(timeOfUlid(step.id)).toBe(now + 60_000);
    const contact = newDelivery(eventContext, { ...base, hit: null, person, round }, snapshot, now);
    expect(contact).not.toHaveProperty('isStep');
    expect(contact.snapshot.acknowledgeUntil).toBeGreaterThan(0);
    expect(newDelivery(eventContext, { ...base, person }, snapshot, now)).not.toHaveProperty('isStep');
  });

  test('a new delivery carries the id of the request that caused it, if any', () => {
    const to = { ...base, person };
    expect(newDelivery(eventContext, to, snapshot, now)).not.toHaveProperty('requestId');
    const caused = { ...eventContext, event: { ...eventContext.event, requestId: 'r' } };
    expect(newDelivery(caused, to, snapshot, now)).toMatchObject({ requestId: 'r' });
  });
});

describe('first delivery ids', () => {
  const event = { uuid, source: 'message', receiveDate: now, sensorId: 's' };
  test('a first delivery id is the same in every version', () => {
    expect(firstDeliveryId(event, 4, 'w', 'full')).toBe('01mcc5rm000g4r5q55qjfh0y26');
    expect(firstDeliveryId(event, 4, 'w', 'raw')).toBe('01mcc5rm00dv6bqjvbb9nje8g6');
    const step = { round: 2, at: now + 60_000 };
    expect(idInRound({ uuid, sensorId: 's', ruleId: 4 }, step, '2 sms')).toBe('01mcc5tek0jgx7fhm5hxtk9snq');
  });

  test('a Raw delivery id depends only on the message, other ids on event and rule', () => {
    const other = { ...event, uuid: 'other' };
    expect(firstDeliveryId(event, 1, 'w', 'full')).not.toBe(firstDeliveryId(other, 1, 'w', 'full'));
    expect(firstDeliveryId(event, 1, 'w')).not.toBe(firstDeliveryId(event, 2, 'w'));
    expect(firstDeliveryId(event, 1, 'w', 'raw')).toBe(firstDeliveryId(other, 2, 'w', 'raw'));
    expect(firstDeliveryId({ ...event, source: null }, 1, 'w', 'raw')).not.toBe(
      firstDeliveryId({ ...event, source: null }, 2, 'w', 'raw'),
    );
  });
});

test('receiverKey distinguishes webhooks from people', () => {
  const [webhook, person] = [
    receiverKey({ webhookId: uuid }),
    receiverKey({ webhookId: null, person: { userId: 2, by: 'sms', name: 'n' } }),
  ];
  expect([webhook, person]).toEqual([uuid, '2 sms']);
  expect([webhookOfReceiver(webhook), webhookOfReceiver(person)]).toEqual([uuid, null]);
});

test('a delivery is held for 14 days, but not beyond the day before deletion', () => {
  const id = deliveryId({ receiveDate: now, uuid, sensorId: 's' }, 'w', 1);
  expect(heldUntil(id, now + DAY)).toBe(now + 15 * DAY);
  expect(heldUntil(id, now + 20 * DAY)).toBe(now + 29 * DAY);
});

test('a delivery is traced by the message UUID, or by the event UUID if there is no message', () => {
  const snapshot = snapshotOf(eventContext, undefined, null, { text });
  expect(messageUuidOf(snapshot)).toBe('message');
  expect(messageUuidOf({ ...snapshot, event: { ...snapshot.event, source: null } })).toBe(uuid);
});

describe('API deliveries', () => {
  const delivery = newDelivery(
    eventContext,
    { customerId: 3, hit: { id: 1, message: 0 }, ruleId: 4, webhookId: uuid, format: 'full' },
    snapshotOf(eventContext, undefined, ruleWith(), { text }),
    now,
  );
  test('the API view of a delivery names the receiver, event, sensor, rule and hit', () => {
    const view = DeliveryView.parse(deliveryView(delivery));
    expect(view).toEqual({
      id: delivery.id,
      webhookId: uuid,
      userId: null,
      userName: null,
      by: 'webhook',
      eventId: 7,
      eventUuid: uuid,
      event: `${happening.type}/${happening.action}`,
      sensorId: 's',
      sensorName: 'Room 1',
      ruleId: 4,
      ruleName: 'Falls',
      ruleHitId: 1,
      state: 'pending',
      reason: null,
      attempts: 0,
      lastAttempt: null,
      createDate: now,
      updateDate: now,
      nextAttempt: now,
      replayOf: null,
    });
  });

  test('the API view of a delivery includes attempt details', () => {
    const timings = { dns: null, connect: 2, tls: null, firstByte: 3 };
    const attempt = { number: 1, startDate: now, durationMs: 5, status: 200, error: null, responseBody: 'ok', timings };
    const detail = { ...deliveryView(delivery), attemptLog: [{ ...attempt, outbox: false }] };
    expect(DeliveryDetail.parse(detail)).toMatchObject({ id: delivery.id, attemptLog: detail.attemptLog });
  });

  test('the API view of a delivery has a ULID', () => {
    const isId = (text: string) => deliveryIdText.safeParse(text).success;
    expect([isId(delivery.id), isId('z'.repeat(26))]).toEqual([true, true]);
    const others = [
      `${delivery.id}0`,
      ` ${delivery.id}`,
      'z'.repeat(25),
      ...['i', 'l', 'o', 'u', 'A'].map((c) => c.repeat(26)),
    ];
    expect(others.map(isId)).not.toContain(true);
  });

  test('the API view of a delivery names the recipient and omits empty fields', () => {
    const person = { userId: 2, by: 'sms', name: 'Anna' } as const;
    const bare = {
      ...delivery,
      person,
      webhookId: null,
      hit: null,
      replayOf: 'x',
      snapshot: { ...delivery.snapshot, rule: null },
    };
    expect(deliveryView(bare)).toMatchObject({
      userId: 2,
      userName: 'Anna',
      by: 'sms',
      ruleId: null,
      ruleName: null,
      ruleHitId: null,
      replayOf: 'x',
    });
  });

  test.each([
    ['pending', now],
    ['retrying', now],
    ['sending', null],
    ['delivered', null],
    ['held', null],
  ] as const)(
    'the API view of a delivery shows the next attempt only if one is scheduled: %s',
    (state: Delivery['state'], nextAttempt) => {
      expect(deliveryView({ ...delivery, state, reason: 'r' })).toMatchObject({ nextAttempt, reason: 'r' });
    },
  );

  test('the API view of a delivery shows the last attempt that has ended', () => {
    const log: Delivery['log'] = [[1, 12, 503, null, [], '']];
    const first = { durationMs: 12, status: 503, error: null, outbox: false };
    const attempted = { ...delivery, attempts: 1, log };
    expect(deliveryView({ ...attempted, state: 'retrying' }).lastAttempt).toEqual(first);
    expect(deliveryView({ ...attempted, state: 'sending' }).lastAttempt).toBeNull();
    expect(deliveryView({ ...attempted, attempts: 2, state: 'sending' }).lastAttempt).toEqual(first);
  });
});

test('a webhook test is a delivery without a sensor', () => {
  const webhook = { id: uuid, customerId: 3, format: 'full', name: 'hook', isCustomerHook: true } as WebhookRecord;
  const customer = { id: 3, name: 'Maple', location: 'Ward 2' };
  const context = { service, customer, event: { id: 7, uuid: 'u' } };
  const delivery = testDelivery(webhook, context, now);
  expect(delivery).toMatchObject({
    customerId: 3,
    webhookId: uuid,
    createDate: now,
    updateDate: now,
    state: 'pending',
    reason: null,
    attempts: 0,
    nextAttempt: now,
    hit: null,
    sendTryTimes: [],
    isTest: true,
    format: 'full',
    snapshot: {
      service,
      webhook: { name: 'hook', isCustomerHook: true },
      event: {
        id: 7,
        uuid: 'u',
        type: 'test',
        action: 'ping',
        createDate: now,
        code: 8,
        coordinates: null,
        text: 'Test',
        source: null,
      },
      sensor: { id: NO_SENSOR_ID, deviceId: NO_SENSOR_ID, name: 'Test', groupId: 0 },
      customer,
      rule: null,
      acknowledgeUntil: 0,
    },
  });
  expect(NO_SENSOR_ID).toBe('id_00000000000000000000000');
  expect(delivery.snapshot).not.toHaveProperty('reader');
  const reader = { language: 'de', time: 't' } as const;
  expect(testDelivery(webhook, { ...context, customer: null, reader }, now).snapshot).toMatchObject({
    customer: null,
    reader,
  });
  expect(testDelivery(webhook, { ...context, event: { id: 8, uuid: 'v' } }, now).id).not.toBe(delivery.id);
});
