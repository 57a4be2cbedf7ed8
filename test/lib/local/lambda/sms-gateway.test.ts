import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { createSmsGateway } from '#lib/local/lambda/sms-gateway.ts';
import { startSmsGateway } from '#test/fixtures/sms-gateway.ts';

let gateway: Awaited<ReturnType<typeof startSmsGateway>>;
beforeAll(async () => {
  gateway = await startSmsGateway();
});
afterAll(() => gateway.stop());
beforeEach(() => {
  gateway.received.length = 0;
});

const send = (token: string | null = 'a-token') =>
  createSmsGateway({ url: gateway.url, token }, { deadlineMs: 500 })('+491701234567', 'Fall in room 7');

test('posts the number and text as JSON with the bearer token', async () => {
  expect(await send()).toBe('accepted');
  expect(gateway.received).toEqual([
    {
      method: 'POST',
      url: '/send',
      headers: expect.objectContaining({ 'content-type': 'application/json', authorization: 'Bearer a-token' }),
      body: { to: '+491701234567', text: 'Fall in room 7' },
    },
  ]);
});

test('posts without authentication if there is no token', async () => {
  await send(null);
  expect(gateway.received[0]?.headers).not.toHaveProperty('authorization');
});

test.each([
  [200, 'accepted'],
  [202, 'accepted'],
  [400, 'gone'],
  [422, 'gone'],
  [302, { retry: 'status_302' }],
  [401, { retry: 'status_401' }],
  [403, { retry: 'status_403' }],
  [404, { retry: 'status_404' }],
  [429, { retry: 'status_429' }],
  [500, { retry: 'status_500' }],
  [503, { retry: 'status_503' }],
  [null, { retry: 'timeout' }],
])('an SMS for which the gateway responds with %s ends as %j', async (status, outcome) => {
  gateway.answerWith(status);
  expect(await send()).toEqual(outcome);
  expect(gateway.received).toHaveLength(1);
});

test('retries an SMS later if no gateway is listening', async () => {
  const closed = await startSmsGateway();
  await closed.stop();
  const sendThere = createSmsGateway({ url: closed.url, token: null }, { deadlineMs: 500 });
  expect(await sendThere('+491701234567', 'x')).toEqual({ retry: 'connect_refused' });
});
