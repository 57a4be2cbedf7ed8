import { describe, expect, test } from 'vitest';
import { VerificationError, verify, verifySimple } from '#lib/client/verify.ts';
import { signatureHeaders } from '#shared/delivery/sign.ts';

const SECONDS = 1_795_240_000;
const now = SECONDS * 1_000;
const body = '{"text":"Anna Müller fell"}';
const NEW = 'a-secret-of-the-receiver';
const OLD = `whsec_${Buffer.from('an-older-secret').toString('base64')}`;

const signed = (secrets: readonly string[], more: { timestampSeconds?: number; body?: string } = {}) =>
  signatureHeaders({ id: 'del_1', timestampSeconds: SECONDS, body, secrets, primary: secrets[0] ?? null, ...more });
const reasonOf = (check: Promise<unknown>) =>
  check.then(
    () => 'right',
    (error) => (error instanceof VerificationError ? error.reason : String(error)),
  );

describe('verify', () => {
  test('verify accepts text and bytes, and all types of headers and secrets', async () => {
    const expected = { id: 'del_1', sentAt: now };
    for (const secret of [NEW, OLD, 'whsec_no base64']) {
      const headers = signed([secret]);
      expect(await verify(headers, body, secret, { now })).toEqual(expected);
      expect(await verify(new Headers(headers), Buffer.from(body), secret, { now })).toEqual(expected);
      const ofNode = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), [value]]));
      expect(await verify(ofNode, body, secret, { now })).toEqual(expected);
    }
  });

  test('verify matches the example published by Standard Webhooks', async () => {
    const headers = {
      'webhook-id': 'msg_p5jXN8AQM9LWM0D4loKWxJek',
      'webhook-timestamp': '1614265330',
      'webhook-signature': 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
    };
    const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
    const { id } = await verify(headers, '{"test": 2432232314}', secret, { now: 1_614_265_330_000 });
    expect(id).toBe('msg_p5jXN8AQM9LWM0D4loKWxJek');
  });

  test('verify accepts a rotated secret, whichever side rotates first', async () => {
    for (const secret of [NEW, OLD])
      expect(await reasonOf(verify(signed([NEW, OLD]), body, secret, { now }))).toBe('right');
    expect(await reasonOf(verify(signed([OLD]), body, [NEW, OLD], { now }))).toBe('right');
    expect(await reasonOf(verify(signed([OLD]), body, [NEW, 'third'], { now }))).toBe('wrong');
  });

  test('verify rejects a different body, id, time or secret', async () => {
    const headers = signed([NEW]);
    expect(await reasonOf(verify(headers, `${body} `, NEW, { now }))).toBe('wrong');
    expect(await reasonOf(verify(headers, body, OLD, { now }))).toBe('wrong');
    expect(await reasonOf(verify({ ...headers, 'webhook-id': 'del_2' }, body, NEW, { now }))).toBe('wrong');
    const moved = { ...headers, 'webhook-timestamp': String(SECONDS + 1) };
    expect(await reasonOf(verify(moved, body, NEW, { now }))).toBe('wrong');
  });

  test('verify rejects timestamps more than five minutes, or the given tolerance, from now', async () => {
    const at = (seconds: number, tolerance?: number) =>
      reasonOf(verify(signed([NEW]), body, NEW, { now: now + seconds * 1_000, ...(tolerance && { tolerance }) }));
    expect(await Promise.all([at(300), at(-300), at(301), at(-301), at(301, 400)])).toEqual([
      'right',
      'right',
      'expired',
      'expired',
      'right',
    ]);
  });

  test('verify rejects unsigned requests and malformed signatures', async () => {
    const { 'webhook-signature': _, ...unsigned } = signed([NEW]);
    expect(await reasonOf(verify(unsigned, body, NEW, { now }))).toBe('missing');
    for (const wrong of ['', 'v1,', 'v1,=', 'v2,AAAA', `v1a,${'A'.repeat(43)}=`])
      expect(await reasonOf(verify({ ...unsigned, 'webhook-signature': wrong }, body, NEW, { now }))).toBe('missing');
    for (const wrong of ['', 'now', '1e9', '-1'])
      expect(await reasonOf(verify({ ...signed([NEW]), 'webhook-timestamp': wrong }, body, NEW, { now }))).toBe(
        'missing',
      );
  });

  test('verify throws a TypeError for an empty secret', async () => {
    await expect(verify(signed([NEW]), body, '', { now })).rejects.toThrow(TypeError);
  });
});

describe('verifySimple', () => {
  test('verifySimple accepts the older header signed with the newest secret, and rejects anything else', async () => {
    const headers = signed([NEW, OLD]);
    expect(await reasonOf(verifySimple(headers, body, NEW))).toBe('right');
    expect(await reasonOf(verifySimple(headers, body, [OLD, NEW]))).toBe('right');
    expect(await reasonOf(verifySimple(headers, body, OLD))).toBe('wrong');
    expect(await reasonOf(verifySimple(headers, `${body} `, NEW))).toBe('wrong');
    expect(await reasonOf(verifySimple({}, body, NEW))).toBe('missing');
  });
});
