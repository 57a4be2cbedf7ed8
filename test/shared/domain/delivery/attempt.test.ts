import { describe, expect, test } from 'vitest';
import {
  attemptLogOf,
  isShortBody,
  lastAttemptOf,
  MAX_ANSWER,
  type PackedAttempt,
  packAttempt,
  resultWithoutRequest,
  withReason,
} from '#shared/domain/delivery/attempt.ts';
import { referenceIn, referenceTags } from '#shared/domain/delivery/notification-reference.ts';

const timings = { dns: 1, connect: 2, tls: null, firstByte: 4 };
const result = { durationMs: 9, status: 503, error: null, responseBody: 'busy', timings };
const none = new Map<number, string>();

describe('attempt results', () => {
  test('packing and unpacking preserves an attempt result', () => {
    expect(attemptLogOf([70], [packAttempt(1, result)], none, false)).toEqual([
      { number: 1, startDate: 70, ...result, outbox: false },
    ]);
    const filed = { ...result, outbox: true as const };
    expect(attemptLogOf([70], [packAttempt(1, filed)], none, false)).toMatchObject([{ outbox: true }]);
    expect(packAttempt(1, result)).toHaveLength(6);
  });

  test('a packed attempt can contain a response body of up to 64 bytes', () => {
    expect([isShortBody('ü'.repeat(32)), isShortBody(`${'ü'.repeat(32)}x`)]).toEqual([true, false]);
    const long = { ...result, responseBody: 'x'.repeat(65) };
    expect(packAttempt(1, long)[5]).toBeNull();
    expect(packAttempt(1, long, true)[5]).toBe(long.responseBody);
    const bodies = new Map([[1, long.responseBody]]);
    expect(attemptLogOf([70], [packAttempt(1, long)], bodies, false)).toMatchObject([
      { responseBody: long.responseBody },
    ]);
    expect(attemptLogOf([70], [packAttempt(1, long)], none, false)).toMatchObject([{ responseBody: '' }]);
  });

  test('an attempt that sent no request has no status or timings', () => {
    expect(resultWithoutRequest('timeout')).toEqual({
      status: null,
      error: 'timeout',
      responseBody: '',
      durationMs: 0,
      timings: { dns: null, connect: null, tls: null, firstByte: null },
    });
    expect(resultWithoutRequest(null, 5, 'x'.repeat(300))).toMatchObject({
      durationMs: 5,
      responseBody: 'x'.repeat(MAX_ANSWER),
    });
    expect(MAX_ANSWER).toBe(200);
  });

  test('an attempt includes a failure reason that the messaging service reports later', () => {
    const accepted: PackedAttempt = [2, 9, null, null, [1], 'queued'];
    expect(withReason(accepted, 'undeliverable', 'mailbox full')).toEqual([
      2,
      9,
      null,
      'undeliverable',
      [1],
      'mailbox full',
    ]);
  });
});

describe('attempt log', () => {
  const entries = [packAttempt(3, result), packAttempt(1, { ...result, status: 500 })];
  test('the attempt log shows an attempt without a result as interrupted', () => {
    expect(attemptLogOf([10, 20, 30], entries, none, false)).toMatchObject([
      { number: 1, startDate: 10, status: 500, error: null },
      { number: 2, startDate: 20, status: null, error: 'interrupted', durationMs: 0, responseBody: '' },
      { number: 3, startDate: 30, status: 503, timings },
    ]);
    expect(attemptLogOf([10], [], none, false)[0]?.timings).toEqual({
      dns: null,
      connect: null,
      tls: null,
      firstByte: null,
    });
  });

  test('the attempt log leaves out the attempt in progress', () => {
    expect(attemptLogOf([10, 20], entries, none, true).map(({ number }) => number)).toEqual([1]);
    expect(attemptLogOf([10, 20, 30], entries, none, true).map(({ number }) => number)).toEqual([1, 2]);
    expect(attemptLogOf([], [], none, true)).toEqual([]);
  });
});

describe('notification references', () => {
  const reference = { customerId: 3, deliveryId: '0'.repeat(26), attempt: 2 };
  test('a notification reference can be restored from message tags', () => {
    expect(referenceTags(reference)).toEqual({ customerId: '3', deliveryId: '0'.repeat(26), attempt: '2' });
    expect(referenceIn(referenceTags(reference))).toEqual(reference);
  });

  test.each<unknown>([
    null,
    {},
    { ...referenceTags(reference), customerId: '0' },
    { ...referenceTags(reference), customerId: 'x3' },
    { ...referenceTags(reference), attempt: '2x' },
    { ...referenceTags(reference), attempt: '1'.repeat(16) },
    { ...referenceTags(reference), deliveryId: '0'.repeat(27) },
    { ...referenceTags(reference), deliveryId: '0'.repeat(25) },
    { ...referenceTags(reference), deliveryId: `${'0'.repeat(25)}_` },
  ])('referenceIn returns null for %j', (tags) => {
    expect(referenceIn(tags)).toBeNull();
  });
});

test('the last attempt is never one in progress, but may be an interrupted one', () => {
  const [first, second] = [packAttempt(1, result), packAttempt(2, { ...result, durationMs: 5, outbox: true })];
  const last = (attempts: number, entries: PackedAttempt[], isSending = false) =>
    lastAttemptOf(attempts, entries, isSending);
  expect(last(0, [])).toBeNull();
  expect(last(1, [], true)).toBeNull();
  expect(last(2, [first], true)).toEqual({ durationMs: 9, status: 503, error: null, outbox: false });
  expect(last(2, [first, second])).toEqual({ durationMs: 5, status: 503, error: null, outbox: true });
  expect(last(2, [first])).toEqual({ durationMs: 0, status: null, error: 'interrupted', outbox: false });
});
