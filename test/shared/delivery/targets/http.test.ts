import { createHmac } from 'node:crypto';
import { decodeJwt } from 'jose';
import { describe, expect, test } from 'vitest';
import type { PostRequest } from '#shared/delivery/http-client.ts';
import {
  attemptOutcome,
  requestHeaders,
  retryAfterSeconds,
  sendByHttp,
  stableHeaders,
} from '#shared/delivery/targets/http.ts';
import type { WebhookWithUrl } from '#shared/domain/delivery/feed.ts';

const NOW = Date.parse('2030-11-06T08:49:00Z');
const outcome = (status: number | null, more: object = {}) =>
  attemptOutcome({ status, retryAfter: null, ...more }, NOW);
const failed = (seconds = 0) => ({ what: 'failed', retryAfterSeconds: seconds });

test.each([
  ['120', 120],
  ['0', 0],
  ['Wed, 06 Nov 2030 08:49:37 GMT', 37],
  ['Wed, 06 Nov 2030 08:48:59 GMT', 0],
])('Retry-After is read as seconds or a date: %s', (header, seconds) => {
  expect(retryAfterSeconds(header, NOW)).toBe(seconds);
});

test('Retry-After is rounded up to whole seconds', () => {
  expect(retryAfterSeconds('Wed, 06 Nov 2030 08:49:37 GMT', NOW + 1)).toBe(37);
  expect(retryAfterSeconds('Wed, 06 Nov 2030 08:49:37 GMT', NOW - 1)).toBe(38);
});

test.each([null, '', '-5', '1.5', '5 seconds', 'about 5', 'Wed, later', 'not Wed, 06 Nov 2030 08:49:37 GMT'])(
  'Retry-After is ignored if it is malformed or missing: %s',
  (header) => {
    expect(retryAfterSeconds(header, NOW)).toBe(0);
  },
);

test('Retry-After is ignored if the date is in another format', () => {
  for (const header of ['2031-01-01T00:00:00Z', 'Wed Nov  6 08:49:37 2030', '06 Nov 2031 08:49:37 GMT'])
    expect(retryAfterSeconds(header, NOW), header).toBe(0);
});

test('an attempt succeeds after any 2xx response', () => {
  for (const status of [200, 204, 299]) expect(outcome(status)).toEqual({ what: 'accepted' });
  expect(outcome(200, { acknowledgedBy: 'Nurse Anna' })).toEqual({ what: 'accepted', acknowledgedBy: 'Nurse Anna' });
  for (const acknowledgedBy of ['', null]) expect(outcome(200, { acknowledgedBy })).toEqual({ what: 'accepted' });
});

test('only a 410 response ends the delivery at once', () => {
  expect(outcome(410, { acknowledgedBy: 'x' })).toEqual({ what: 'gone' });
  for (const status of [null, 199, 300, 302, 400, 401, 404, 409, 411, 500, 501, 505])
    expect(outcome(status, { acknowledgedBy: 'x' }), String(status)).toEqual(failed());
});

test('Retry-After delays the next attempt only after a 429 or 503 response', () => {
  for (const status of [429, 503]) expect(outcome(status, { retryAfter: '90' })).toEqual(failed(90));
  for (const status of [502, 504]) expect(outcome(status, { retryAfter: '90' })).toEqual(failed());
  expect(outcome(500, { retryAfter: '90' })).toEqual(failed());
  expect(outcome(503, { retryAfter: 'Wed, 06 Nov 2030 08:50:00 GMT' })).toEqual(failed(60));
});

const sender = {
  SERVICE_NAME: 'Sensor Cloud (Ward 2)',
  SERVICE_VERSION: '1.2.3',
  PUBLIC_URL: 'https://cloud.example.org',
};
const payload = {
  body: '{"a":1}',
  mediaType: 'application/json',
  messageId: 'msg_1',
  deliveryId: 'delivery_1',
  isTest: false,
};
const webhook: WebhookWithUrl = {
  id: 'hook_1',
  customerId: 7,
  name: 'Nurse call',
  url: 'https://calls.example.com/hooks/2',
  format: 'full',
  isCustomerHook: true,
  botId: null,
  authMethod: 'bearer',
  token: 'a-token',
  secretKey: 'a new secret of this test',
  previousSecret: 'an old secret of this test',
  retrySchedule: null,
  isEnabled: true,
  disabledReason: null,
  createDate: 0,
  updateDate: 0,
  consecutiveFailures: 0,
};
type Changes = Partial<
  Pick<WebhookWithUrl, 'secretKey' | 'previousSecret' | 'previousUntil' | 'authMethod' | 'isLoopbackDenied'>
>;
const signature = (secret: string, seconds: number) =>
  `v1,${createHmac('sha256', secret).update(`msg_1.${seconds}.{"a":1}`).digest('base64')}`;

describe('stable headers', () => {
  test('stable headers state the type, the service and the message', () => {
    expect(stableHeaders(sender, payload)).toEqual({
      'Content-Type': 'application/json; charset=utf-8',
      'User-Agent': 'Sensor-Cloud--Ward-2-/1.2.3',
      'webhook-id': 'msg_1',
    });
  });

  test('stable headers mark a test delivery as a test', () => {
    expect(stableHeaders(sender, { ...payload, isTest: true })).toMatchObject({ 'X-Service-Cloud-Test': 'true' });
  });
});

describe('request headers', () => {
  const headersOf = (more: Changes) => requestHeaders({ ...webhook, ...more }, payload, sender, NOW + 999);
  const seconds = NOW / 1_000;
  const old = webhook.previousSecret ?? '';
  const current = webhook.secretKey ?? '';

  test('request headers authenticate and sign an attempt, with the time in whole seconds', async () => {
    expect(await headersOf({})).toEqual({
      ...stableHeaders(sender, payload),
      Authorization: 'Bearer a-token',
      'webhook-timestamp': String(seconds),
      'webhook-signature': signature(current, seconds),
      'X-Service-Cloud-Signature': `sha256=${createHmac('sha256', current).update('{"a":1}').digest('hex')}`,
    });
  });

  test('request headers are also signed with the previous secret until it expires', async () => {
    const both = `${signature(current, seconds)} ${signature(old, seconds)}`;
    expect((await headersOf({ previousUntil: NOW + 1_000 }))['webhook-signature']).toBe(both);
    expect((await headersOf({ previousUntil: NOW + 999 }))['webhook-signature']).toBe(signature(current, seconds));
  });

  test('a request is signed only with the previous secret once the current one is removed', async () => {
    const headers = await headersOf({ secretKey: null, previousUntil: NOW + 1_000 });
    expect(headers['webhook-signature']).toBe(signature(old, seconds));
    expect(headers).not.toHaveProperty('X-Service-Cloud-Signature');
  });

  test('request headers do not contain a signature if there is no secret', async () => {
    const { previousSecret: _, ...never } = webhook;
    const gone = { ...never, secretKey: null, previousUntil: NOW + 9_999 };
    for (const record of [gone, { ...gone, previousSecret: null }])
      expect(await requestHeaders(record, payload, sender, NOW)).not.toHaveProperty('webhook-signature');
  });

  test('request headers include webhook, target and delivery in a JWT from the service', async () => {
    const { Authorization = '' } = await headersOf({ authMethod: 'jwt' });
    expect(decodeJwt(Authorization.replace('Bearer ', ''))).toEqual({
      iss: 'https://cloud.example.org',
      sub: 'hook_1',
      aud: 'https://calls.example.com',
      iat: seconds,
      exp: seconds + 300,
      jti: 'delivery_1',
    });
  });
});

describe('webhook requests', () => {
  const attempt = {
    error: null,
    responseBody: 'ok',
    durationMs: 5,
    timings: { dns: null, connect: null, tls: null, firstByte: 4 },
  };
  const send = async (answer: { status: number; retryAfter?: string }, more: Changes = {}) => {
    const posted: (PostRequest & { isLoopbackDenied?: boolean })[] = [];
    let time = NOW;
    const client = {
      post: async (request: PostRequest) => {
        posted.push(request);
        time += 30_000;
        return { ...attempt, retryAfter: null, acknowledgedBy: 'Anna', ...answer };
      },
    };
    const sent = await sendByHttp(client, { ...webhook, ...more }, payload, { settings: sender, now: () => time });
    return { ...sent, posted };
  };

  test('a webhook receives the signed body at its URL', async () => {
    const { result, outcome, posted } = await send({ status: 200 });
    expect(posted).toEqual([
      {
        url: webhook.url,
        isLoopbackDenied: false,
        headers: await requestHeaders(webhook, payload, sender, NOW),
        body: '{"a":1}',
      },
    ]);
    expect(result).toEqual({ ...attempt, status: 200 });
    expect(outcome).toEqual({ what: 'accepted', acknowledgedBy: 'Anna' });
  });

  test('a webhook saved on a shared host is not called at a loopback address', async () => {
    const { posted } = await send({ status: 200 }, { isLoopbackDenied: true });
    expect(posted[0]?.isLoopbackDenied).toBe(true);
  });

  test('a webhook is called again after the Retry-After delay, counted from the response', async () => {
    const { outcome } = await send({ status: 503, retryAfter: 'Wed, 06 Nov 2030 08:50:00 GMT' });
    expect(outcome).toEqual(failed(30));
  });
});
