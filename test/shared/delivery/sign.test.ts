import { createHmac } from 'node:crypto';
import { decodeProtectedHeader, jwtVerify } from 'jose';
import { describe, expect, it } from 'vitest';
import { authHeaders, signatureHeaders } from '#shared/delivery/sign.ts';

const attempt = { id: 'msg_1', timestampSeconds: 1_700_000_000, body: '{"a":"ü"}' };
const hmac = (key: string | Buffer, text: string) => createHmac('sha256', key).update(text);
const standard = (key: string | Buffer) => `v1,${hmac(key, 'msg_1.1700000000.{"a":"ü"}').digest('base64')}`;

describe('signatureHeaders', () => {
  it('signatureHeaders omits all signatures if there is no secret', () => {
    expect(signatureHeaders({ ...attempt, secrets: [], primary: null })).toEqual({
      'webhook-id': 'msg_1',
      'webhook-timestamp': '1700000000',
    });
  });

  it('signatureHeaders matches the published Standard Webhooks example', () => {
    const headers = signatureHeaders({
      id: 'msg_p5jXN8AQM9LWM0D4loKWxJek',
      timestampSeconds: 1_614_265_330,
      body: '{"test": 2432232314}',
      secrets: ['whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'],
      primary: null,
    });
    expect(headers['webhook-signature']).toBe('v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=');
  });

  it('signatureHeaders sends the HMAC-SHA256 as lower-case hex in X-Service-Cloud-Signature', () => {
    const body = 'what do ya want for nothing?';
    const headers = signatureHeaders({ ...attempt, body, secrets: ['Jefe'], primary: 'Jefe' });
    expect(headers['X-Service-Cloud-Signature']).toBe(
      'sha256=5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843',
    );
  });

  it('signatureHeaders signs a string the same way as its UTF-8 bytes', () => {
    const secrets = ['a secret of sixteen'];
    const bytes = new TextEncoder().encode(attempt.body);
    expect(signatureHeaders({ ...attempt, body: bytes, secrets, primary: 'p' })).toEqual(
      signatureHeaders({ ...attempt, secrets, primary: 'p' }),
    );
  });

  it('signatureHeaders has one webhook-signature per secret, newest first', () => {
    const headers = signatureHeaders({ ...attempt, secrets: ['new', 'old'], primary: 'new' });
    expect(headers['webhook-signature']).toBe(`${standard('new')} ${standard('old')}`);
    expect(headers['X-Service-Cloud-Signature']).toBe(`sha256=${hmac('new', attempt.body).digest('hex')}`);
  });

  it('signatureHeaders omits X-Service-Cloud-Signature if only the old secret is left', () => {
    const headers = signatureHeaders({ ...attempt, secrets: ['old'], primary: null });
    expect(headers['webhook-signature']).toBe(standard('old'));
    expect(headers).not.toHaveProperty('X-Service-Cloud-Signature');
  });

  it('signatureHeaders decodes a whsec_ secret only for webhook-signature', () => {
    const secret = `whsec_${Buffer.from('sixteen bytes ok').toString('base64')}`;
    const headers = signatureHeaders({ ...attempt, secrets: [secret], primary: secret });
    expect(headers['webhook-signature']).toBe(standard(Buffer.from('sixteen bytes ok')));
    expect(headers['X-Service-Cloud-Signature']).toBe(`sha256=${hmac(secret, attempt.body).digest('hex')}`);
  });

  it.each([
    ['YWJjZGVmZ2hp', 'abcdefghi'],
    ['YWJjZA==', 'abcd'],
    ['YWJjZA', 'abcd'],
    ['YWJjZGU=', 'abcde'],
    ['YWJjZGU', 'abcde'],
    ['+/+/', Buffer.from([0xfb, 0xff, 0xbf])],
  ])('signatureHeaders decodes the base64 %s with or without padding', (base64, key) => {
    const headers = signatureHeaders({ ...attempt, secrets: [`whsec_${base64}`], primary: null });
    expect(headers['webhook-signature']).toBe(standard(key));
  });

  it('signatureHeaders never decodes a secret without the whsec_ prefix', () => {
    const headers = signatureHeaders({ ...attempt, secrets: ['abcdefYWJjZGVm'], primary: null });
    expect(headers['webhook-signature']).toBe(standard('abcdefYWJjZGVm'));
  });

  it.each([
    'whsec_',
    'whsec_!!!!!!!!!!!!',
    'whsec_abcde',
    'whsec_ab=c',
    'whsec_!YWJj',
    'whsec_YWJj!',
    'whsec_YWJjZA=',
    'whsec_YWJj=',
    'whsec_YWJjZGU==',
    'whsec_YW Jj',
  ])('signatureHeaders signs with the whole secret if the part after whsec_ is not base64: %s', (secret) => {
    const headers = signatureHeaders({ ...attempt, secrets: [secret], primary: null });
    expect(headers['webhook-signature']).toBe(standard(secret));
  });
});

describe('authHeaders', () => {
  const input = {
    token: 'ybndrfg8ejkmcpqxot1uwisza3',
    issuer: 'https://cloud.example.com',
    webhookId: 'hook-1',
    targetUrl: 'https://receiver.example.com:8443/path?q=1',
    deliveryId: 'delivery-1',
    nowSeconds: 1_700_000_000,
  };

  it.each([
    ['bearer', { Authorization: 'Bearer ybndrfg8ejkmcpqxot1uwisza3' }],
    ['api_key', { 'X-Api-Key': 'ybndrfg8ejkmcpqxot1uwisza3' }],
    ['basic', { Authorization: `Basic ${btoa('service-cloud:ybndrfg8ejkmcpqxot1uwisza3')}` }],
    ['none', {}],
  ] as const)('authHeaders sends the token as %s', async (method, headers) => {
    expect(await authHeaders({ ...input, method })).toEqual(headers);
  });

  it('authHeaders sends a JWT with the service as its audience if there is no target', async () => {
    const { Authorization = '' } = await authHeaders({ ...input, targetUrl: null, method: 'jwt' });
    const key = new TextEncoder().encode(input.token);
    const { payload } = await jwtVerify(Authorization.slice('Bearer '.length), key, {
      currentDate: new Date(1_700_000_000_000),
    });
    expect(payload.aud).toBe('https://cloud.example.com');
  });

  it('authHeaders sends a JWT for this target and delivery only, valid for 300 s', async () => {
    const { Authorization = '' } = await authHeaders({ ...input, method: 'jwt' });
    expect(Authorization).toMatch(/^Bearer [\w-]+\.[\w-]+\.[\w-]+$/);
    const token = Authorization.slice('Bearer '.length);
    expect(decodeProtectedHeader(token)).toEqual({ alg: 'HS256', typ: 'JWT' });
    const key = new TextEncoder().encode(input.token);
    const { payload } = await jwtVerify(token, key, { currentDate: new Date(1_700_000_299_000) });
    expect(payload).toEqual({
      iss: 'https://cloud.example.com',
      sub: 'hook-1',
      aud: 'https://receiver.example.com:8443',
      iat: 1_700_000_000,
      exp: 1_700_000_300,
      jti: 'delivery-1',
    });
    await expect(jwtVerify(token, key, { currentDate: new Date(1_700_000_300_000) })).rejects.toThrow('exp');
    await expect(jwtVerify(token, new TextEncoder().encode('another token'))).rejects.toThrow('signature');
  });
});
