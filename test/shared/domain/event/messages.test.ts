import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isAboutReceivers, kindsWithoutRules, noticeEvent } from '#shared/domain/event/event.ts';
import { type Feedback, isForMaker, NewFeedback, newFeedback } from '#shared/domain/event/feedback.ts';
import { FeedbackPayload, newFeedbackDelivery } from '#shared/domain/event/feedback-delivery.ts';
import {
  type DecodedMessage,
  DUPLICATE_WINDOW,
  messageUuid,
  stateReports,
  uuidInMessage,
  withReusedUuid,
} from '#shared/domain/event/message.ts';
import { countMessages, fittingPage, splitMessages } from '#shared/domain/event/raw.ts';
import { withTrustedTimes } from '#shared/domain/makers/decoders.ts';

const now = 1_800_000_000_000;
const uuid = (n: number) => `00000000-0000-4000-8000-00000000000${n}`;

describe('splitting messages', () => {
  const json = fc.json({ maxDepth: 4 });
  test('splitMessages returns array elements byte for byte, regardless of content', () => {
    const spaced = fc.array(fc.tuple(json, fc.constantFrom('', ' ', '\n\t')), { minLength: 1, maxLength: 6 });
    fc.assert(
      fc.property(spaced, fc.constantFrom('', ' '), (elements, space) => {
        const text = `${space}[${elements.map(([element, around]) => around + element + around).join(',')}]${space}`;
        expect(splitMessages(text)).toEqual(elements.map(([element]) => element.trim()));
        expect(countMessages(text)).toBe(elements.length);
      }),
    );
  });

  test('splitMessages returns one message for anything except an array', () => {
    for (const text of ['{"a":[1,2]}', '"[1,2]"', '7'])
      expect([splitMessages(` ${text} `), countMessages(text)]).toEqual([[text], 1]);
    expect(splitMessages('[ ]')).toEqual([]);
    expect(splitMessages('["a,\\"b],", {"c":[1,{"d":2}]}]')).toEqual(['"a,\\"b],"', '{"c":[1,{"d":2}]}']);
  });

  test('countMessages works for text that is not valid JSON', () => {
    expect(['{"a":1,"b":2}', '[1],[2,3]', ' [1 ,2] ,'].map(countMessages)).toEqual([1, 1, 2]);
    expect(['', ' ', '[', '[1', '[1,', '[1,2', '["a', '[1]]', '[[1,2],3'].map(countMessages)).toEqual([
      1, 1, 1, 1, 2, 2, 1, 1, 2,
    ]);
  });

  test('a page contains messages up to the size limit', () => {
    const megabyte = 'x'.repeat(1_024 * 1_024);
    expect(
      fittingPage([megabyte, null, megabyte, megabyte, megabyte, megabyte, 'x']).map((raw) => raw?.length ?? null),
    ).toEqual([megabyte.length, null, megabyte.length, megabyte.length, megabyte.length, megabyte.length, null]);
    expect(fittingPage(['"'.repeat(3 * 1_024 * 1_024), 'x'])).toEqual([null, null]);
  });
});

test('processing a duplicate is harmless only for state reports', () => {
  expect([...stateReports]).toEqual(['presence', 'people', 'postures', 'vital', 'online', 'state']);
  expect(DUPLICATE_WINDOW).toBe(120_000);
});

describe('message UUIDs', () => {
  const decoded: DecodedMessage = {
    signal: { kind: 'unknown' },
    deviceTime: null,
    uuid: null,
    identity: null,
    wrong: [],
  };
  test('a message UUID can be at the top level or in the payload, under either name', () => {
    expect(uuidInMessage({ uuid: uuid(1), sensorEventId: uuid(2) }, { uuid: uuid(3) })).toBe(uuid(1));
    expect(uuidInMessage({ sensorEventId: uuid(2) }, { uuid: uuid(3) })).toBe(uuid(2));
    expect(uuidInMessage({ uuid: 'no' }, { uuid: uuid(3), sensorEventId: uuid(4) })).toBe(uuid(3));
    expect(uuidInMessage({}, { sensorEventId: uuid(4) })).toBe(uuid(4));
    expect(uuidInMessage(null, undefined)).toBeNull();
  });

  test('a message without a UUID gets a UUID derived from its identity, or from its bytes', () => {
    expect(messageUuid('s', { ...decoded, uuid: uuid(1) }, 'raw', [1])).toBe(uuid(1));
    const identified = { ...decoded, identity: [1, 'a'] };
    expect(messageUuid('s', identified, 'raw', [1])).toBe(messageUuid('s', identified, 'other', [2]));
    // A newer version can receive the same message again.
    expect(messageUuid('s', identified, 'raw', [1])).toBe('eac8d3d3-ed1e-5e98-ba24-943b2a8ac066');
    expect(messageUuid('s', decoded, 'raw', [1, 0])).toBe('b89d9fa5-b328-5536-9638-1d559a02cec4');
    const ids = [
      messageUuid('s', identified, 'raw', [1]),
      messageUuid('t', identified, 'raw', [1]),
      messageUuid('s', decoded, 'raw', [1]),
      messageUuid('s', decoded, 'raw', [2]),
      messageUuid('s', decoded, 'other', [1]),
      messageUuid('t', decoded, 'raw', [1]),
    ];
    expect(new Set(ids).size).toBe(6);
  });

  test('a UUID that was already used for different bytes is replaced', () => {
    const trusted = withTrustedTimes({ ...decoded, uuid: uuid(1) }, now);
    const [one, other] = ['a', 'b'].map((raw) => withReusedUuid(trusted, uuid(1), raw));
    expect(one).toMatchObject({ isUuidReused: true });
    expect(new Set([uuid(1), one?.uuid, other?.uuid]).size).toBe(3);
  });
});

test('only disabled webhooks and failed deliveries cause events about receivers', () => {
  const about = Object.values(kindsWithoutRules).filter(isAboutReceivers);
  expect(about.map(({ type, action }) => `${type}/${action}`)).toEqual(['webhook/disabled', 'delivery/failed']);
  expect(noticeEvent('webhook_disabled', { webhookId: 'w' })).toMatchObject({
    situation: null,
    type: 'webhook',
    notTo: 'w',
  });
  expect(noticeEvent('registered', {})).not.toHaveProperty('notTo');
  expect(noticeEvent('registered', {})).not.toHaveProperty('acknowledgement');
});

describe('feedback', () => {
  const request = NewFeedback.parse({ referenceDate: 5, reason: 'dog', classification: 'FALSE_POSITIVE' });
  const sensor = { id: 's', manufacturer: 'maker_a', optimizationEnabled: true } as const;
  const feedback: Feedback = newFeedback(request, sensor, 12, { id: 9, now, forwardToMakerA: true });
  test('feedback needs no hit, event or description', () => {
    expect(request).toEqual({
      referenceDate: 5,
      reason: 'dog',
      classification: 'FALSE_POSITIVE',
      description: '',
      ruleHitId: null,
      eventId: null,
    });
    for (const more of [
      { reason: '' },
      { reason: 'r'.repeat(129) },
      { description: 'd'.repeat(257) },
      { classification: 'MAYBE' },
    ])
      expect(NewFeedback.safeParse({ ...request, ...more }).success).toBe(false);
    expect(NewFeedback.safeParse({ ...request, reason: 'r'.repeat(128), description: 'd'.repeat(256) }).success).toBe(
      true,
    );
  });

  test('feedback goes to the manufacturer only if the sensor and the manufacturer allow it', () => {
    expect(isForMaker(sensor)).toBe(true);
    expect(isForMaker({ ...sensor, optimizationEnabled: false })).toBe(false);
    expect(isForMaker({ ...sensor, manufacturer: 'maker_b' })).toBe(false);
  });

  test("feedback reaches the manufacturer's webhook as one delivery with the event", () => {
    expect(feedback).toEqual({
      ...request,
      id: 9,
      createDate: now,
      updateDate: now,
      sensorId: 's',
      accountId: 12,
      forwardToMakerA: true,
    });
    const service = { name: 'Elm', url: 'https://elm.example', version: '1' };
    const event = { id: 3, uuid: uuid(3), createDate: 1, receiveDate: 2, type: 'fall', action: 'fall_detected' };
    const sensor = { id: 's', hardwareId: 'h', name: 'Room 1', groupId: 4 };
    const context = { customerId: 5, service, sensor, event };
    const delivery = newFeedbackDelivery({ customerId: 1, id: 'w', name: 'maker' }, feedback, context);
    expect(delivery).toMatchObject({
      customerId: 1,
      webhookId: 'w',
      createDate: now,
      updateDate: now,
      state: 'pending',
      attempts: 0,
      nextAttempt: now,
      hit: null,
      sendTryTimes: [],
      snapshot: {
        service,
        webhook: { name: 'maker' },
        event: {
          id: 9,
          createDate: now,
          type: 'feedback',
          action: 'given',
          code: null,
          text: 'Feedback',
          source: null,
        },
        sensor: { id: 's', name: 'Room 1', groupId: 4 },
        customer: null,
        rule: null,
        acknowledgeUntil: 0,
      },
      feedbackFrom: { customerId: 5, userId: 12 },
    });
    const body = FeedbackPayload.parse(JSON.parse(delivery.body ?? ''));
    expect(body).toEqual({
      service,
      feedback,
      sensor: { id: 's', deviceId: delivery.snapshot.sensor.deviceId },
      event,
    });
    const bare = newFeedbackDelivery({ customerId: 1, id: 'w', name: 'maker' }, feedback, { ...context, event: null });
    expect(JSON.parse(bare.body ?? '')).toMatchObject({ event: null });
    expect(bare.id).toBe(delivery.id);
    expect(bare.id).toBe('01mcc5rm009szax8vzbmv0wxwe');
    expect(newFeedbackDelivery({ customerId: 1, id: 'w', name: 'm' }, { ...feedback, id: 8 }, context).id).not.toBe(
      delivery.id,
    );
  });
});
