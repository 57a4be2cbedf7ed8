import { describe, expect, test } from 'vitest';
import { deliveries as german } from '#lib/console/texts/deliveries-de.ts';
import { deliveries as english } from '#lib/console/texts/deliveries-en.ts';

// Imported through paths the compiler cannot see, because the console has separate compiler settings.
const folder = new URL('../../../lib/console/deliveries/', import.meta.url).pathname;
type Filter = { state: string | null; days: number | null; since: number | null; until: number | null; page: number };
type More = { sensor: string | null; event: string | null; delivery: string | null };
const { filterOf, paramsOf, queryOf, isNarrowed } = (await import(`${folder}filter.ts`)) as {
  filterOf: (params: URLSearchParams) => Filter & More;
  paramsOf: (filter: Filter & More) => Record<string, string>;
  queryOf: (filter: Filter & More, now: number) => object;
  isNarrowed: (filter: Filter & More) => boolean;
};
const { deliveryKey, deliveryAt } = (await import(`${folder}delivery-key.ts`)) as {
  deliveryKey: (delivery: { webhookId: string | null; id: string }) => string;
  deliveryAt: (key: string, customerId: number) => object;
};
const { partsOf, durationText } = (await import(`${folder}durations.ts`)) as {
  partsOf: (attempt: object) => { name: string; ms: number }[];
  durationText: (ms: number, formatNumber: (value: number) => string) => string;
};
const { resultText: resultOf, noteOf } = (await import(`${folder}result.ts`)) as {
  resultText: (delivery: object, now: number, texts: object, formatNumber: (value: number) => string) => string;
  noteOf: (delivery: object, now: number, texts: object) => [string, string] | null;
};

const HOUR = 3_600_000;
const NOW = 1_795_240_000_000;
const filter = (search = '') => filterOf(new URLSearchParams(search));

test('the delivery filter covers the last day by default', () => {
  expect(filter()).toMatchObject({ state: null, days: 1, since: null, page: 0 });
  expect(filter('sensor=a').days).toBe(30);
  expect(filter('event=b&since=5')).toMatchObject({ event: 'b', days: null, since: 5 });
});

test.each([
  '',
  'state=failed',
  'days=7',
  'days=30&page=2',
  'since=5&until=60000',
  'sensor=a',
  'days=7&sensor=a',
  'since=5&event=b',
  'delivery=people%2Fc',
])('the delivery filter survives a round trip through the URL: %s', (search) => {
  expect(new URLSearchParams(paramsOf(filter(search))).toString()).toBe(search);
});

test('the delivery filter ignores invalid states, periods and numbers', () => {
  expect(filter('state=lost&days=2&since=x&page=-1')).toEqual(filter());
});

test('the delivery filter drops a custom period when a number of days is chosen', () => {
  expect(paramsOf({ ...filter('since=5&until=6'), days: 7 })).toEqual({ days: '7' });
});

test('the delivery filter requests whole hours, so the request stays the same for an hour', () => {
  const since = Math.floor((NOW - 24 * HOUR) / HOUR) * HOUR;
  expect(queryOf(filter(), NOW)).toEqual({ page: 0, since });
  expect(queryOf(filter(), since + 25 * HOUR - 1)).toEqual({ page: 0, since });
});

test('the delivery filter requests everything stored, or a custom period including the last minute', () => {
  expect(queryOf(filter('days=30'), NOW)).toEqual({ page: 0 });
  expect(queryOf(filter('until=60000&state=held'), NOW)).toEqual({ page: 0, state: 'held', until: 119_999 });
  expect(queryOf(filter('sensor=a&event=b'), NOW)).toEqual({ page: 0, sensorId: 'a', eventUuid: 'b' });
});

test('only a state or a custom period narrows the delivery list', () => {
  expect(['', 'days=7', 'state=held', 'since=5'].map((search) => isNarrowed(filter(search)))).toEqual([
    false,
    false,
    true,
    true,
  ]);
});

test('a delivery to a webhook or a person is found by key', () => {
  for (const webhookId of ['hook', null]) {
    const key = deliveryKey({ webhookId, id: 'x' });
    expect(deliveryAt(key, 3)).toEqual({ webhookId, customerId: 3, deliveryId: 'x' });
  }
});

test('the phases of an attempt add up to its duration', () => {
  const timings = { dns: 2, connect: 21, tls: null, firstByte: 900 };
  expect(partsOf({ timings, durationMs: 1_000 })).toEqual([
    { name: 'dns', ms: 2 },
    { name: 'connect', ms: 21 },
    { name: 'firstByte', ms: 900 },
    { name: 'rest', ms: 77 },
  ]);
  expect(partsOf({ timings, durationMs: 923 }).map(({ name }) => name)).toEqual(['dns', 'connect', 'firstByte']);
});

test('durations under a second are shown in milliseconds', () => {
  const german = (value: number) => value.toLocaleString('de');
  expect([999, 1_000, 4_949].map((ms) => durationText(ms, german))).toEqual(['999 ms', '1 s', '4,9 s']);
});

const delivery = (more: object) => ({
  reason: null,
  nextAttempt: null,
  replayOf: null,
  attempts: 3,
  lastAttempt: null,
  ...more,
});
const attempt = (more: object) => ({ durationMs: 88, status: null, error: null, outbox: false, ...more });
const resultText = (row: object, now: number, texts: object) => resultOf(row, now, texts, String);

describe.each([
  ['English', english],
  ['German', german],
] as const)('in %s', (_, texts) => {
  test('a delivery being retried shows when the next attempt is due', () => {
    const retried = delivery({ state: 'retrying', nextAttempt: NOW + 3_700_000 });
    expect(resultText(retried, NOW, texts)).toBe(texts.retryIn('1:01:40'));
    expect(resultText(retried, NOW + 3_700_000, texts)).toBe(texts.retryDue);
    expect(noteOf(retried, NOW, texts)).toEqual([texts.notes.retrying('1:01:40'), texts.notes.attempts(3)]);
    expect(texts.notes.attempts(1)).not.toContain('1 attempts');
  });

  test('an unsent delivery shows why, and what happens next', () => {
    const failed = delivery({ state: 'failed', reason: 'exhausted' });
    expect(resultText(failed, NOW, texts)).toBe(texts.reasons.exhausted);
    expect(noteOf(failed, NOW, texts)).toEqual([
      texts.notes.failed(texts.reasons.exhausted ?? ''),
      texts.notes.failedEffect,
    ]);
    const held = delivery({ state: 'held', reason: 'webhook_disabled' });
    expect(noteOf(held, NOW, texts)?.[1]).toBe(texts.notes.heldEffect);
    // A reason unknown to this version is shown as is.
    expect(resultText(delivery({ state: 'failed', reason: 'new_reason' }), NOW, texts)).toBe('new_reason');
  });

  test('a successful delivery shows the response and how long it took', () => {
    const arrived = (last: object, replayOf: string | null = null) =>
      resultText(delivery({ state: 'delivered', replayOf, lastAttempt: attempt(last) }), NOW, texts);
    expect(arrived({ status: 204 })).toBe(`${texts.status(204)} in 88 ms`);
    expect(arrived({ status: 200, durationMs: 5_000 })).toBe(`${texts.status(200)} in 5 s`);
    expect(arrived({})).toBe(`${texts.accepted} in 88 ms`);
    expect(arrived({ outbox: true })).toBe(texts.inOutbox);
    expect(arrived({ status: 204 }, 'x')).toBe(`${texts.resent}, ${texts.status(204)} in 88 ms`);
  });

  test('a failed delivery shows why its last attempt failed', () => {
    const failed = (last: object) =>
      resultText(delivery({ state: 'failed', reason: 'exhausted', lastAttempt: attempt(last) }), NOW, texts);
    expect(failed({ status: 503 })).toBe(`${texts.status(503)}, ${texts.reasons.exhausted}`);
    expect(failed({ error: 'timeout' })).toBe(`${texts.errors.timeout}, ${texts.reasons.exhausted}`);
    expect(failed({ error: 'status_429' })).toBe(`${texts.status(429)}, ${texts.reasons.exhausted}`);
    expect(failed({ error: 'new_error' })).toBe(`new_error, ${texts.reasons.exhausted}`);
  });

  test('a delivery that is queued, being sent or delivered needs no explanation', () => {
    for (const state of ['pending', 'sending', 'delivered']) {
      expect(resultText(delivery({ state }), NOW, texts)).toBe('');
      expect(noteOf(delivery({ state }), NOW, texts)).toBeNull();
    }
    expect(resultText(delivery({ state: 'delivered', replayOf: 'x' }), NOW, texts)).toBe(texts.resent);
  });
});
