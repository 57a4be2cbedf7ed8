import { afterEach, beforeEach, expect, test } from 'vitest';
import { isSigned, type Received, type Receiver, startReceiver } from '#lib/home/receiver.ts';
import { signatureHeaders } from '#shared/delivery/sign.ts';

const SECRET = 'a-secret-of-16-or-more';
const BODY = '{"text":"Anna Müller fell"}';

let receiver: Receiver;
beforeEach(async () => {
  receiver = await startReceiver();
});
afterEach(() => receiver.stop());

/** Sends a request signed `ago` seconds ago, with changed headers. Returns the request as received. */
const received = async (change: (headers: Record<string, string>) => void, ago = 0): Promise<Received> => {
  const timestampSeconds = Math.floor(Date.now() / 1_000) - ago;
  const headers = signatureHeaders({ id: 'del_1', timestampSeconds, body: BODY, secrets: [SECRET], primary: SECRET });
  change(headers);
  expect((await fetch(receiver.url, { method: 'POST', headers, body: BODY })).status).toBe(200);
  return receiver.received[0] ?? expect.unreachable();
};

test('isSigned accepts a request if both signatures match the secret and the body', async () => {
  const request = await received(() => {});
  expect(request.body).toBe(BODY);
  expect(await isSigned(request, SECRET)).toBe(true);
  expect(await isSigned(request, `${SECRET}x`)).toBe(false);
  expect(await isSigned({ ...request, body: `${BODY} ` }, SECRET)).toBe(false);
});

test.each(['webhook-id', 'webhook-timestamp', 'webhook-signature', 'X-Service-Cloud-Signature'])(
  'isSigned rejects a request without %s',
  async (name) => {
    const request = await received((headers) => {
      delete headers[name];
    });
    expect(await isSigned(request, SECRET)).toBe(false);
  },
);

test('isSigned rejects a request signed more than five minutes ago', async () => {
  expect(await isSigned(await received(() => {}, 310), SECRET)).toBe(false);
});

test('a receiver responds with 500 when the behavior throws, and keeps running', async () => {
  const failing = await startReceiver(({ body }) => {
    throw new Error(body);
  });
  const post = async () => (await fetch(failing.url, { method: 'POST', body: 'x' })).status;
  expect([await post(), await post()]).toEqual([500, 500]);
  expect(await failing.until(2)).toHaveLength(2);
  await failing.stop();
});
