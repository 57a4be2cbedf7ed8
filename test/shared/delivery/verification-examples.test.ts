import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { type AuthMethod, authHeaders, signatureHeaders } from '#shared/delivery/sign.ts';

const page = readFileSync(new URL('../../../shared/delivery/README.md', import.meta.url), 'utf8');
const code = (language: string): string => page.split(`\`\`\`${language}\n`)[1]?.split('\n```')[0] ?? '';

const token = 'ybndrfg8ejkmcpqxot1uwisza3';
const body = '{"name":"Zimmer 1 – Tür"}';
const origin = 'https://calls.example.com';
const now = 1_800_000_000;
const lower = (headers: Record<string, string>) =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
const auth = async (method: AuthMethod, key = token) =>
  lower(
    await authHeaders({
      method,
      token: key,
      issuer: 'https://cloud.example.com',
      webhookId: 'w',
      deliveryId: 'd',
      targetUrl: `${origin}/hook`,
      nowSeconds: now,
    }),
  );
const signed = (...secrets: string[]) =>
  lower(signatureHeaders({ id: 'd', timestampSeconds: now, body, secrets, primary: secrets[0] ?? null }));

const secret = 'a-secret-of-16-or-more';
const standard = `whsec_${Buffer.from('another secret of ours').toString('base64')}`;

type Case = { check: 'token' | 'jwt' | 'signature' | 'simple'; headers: object; body?: string; secret?: string };
const validCases = async (): Promise<Record<string, Case & { now?: number }>> => ({
  bearer: { check: 'token', headers: await auth('bearer') },
  'api key': { check: 'token', headers: await auth('api_key') },
  basic: { check: 'token', headers: await auth('basic') },
  jwt: { check: 'jwt', headers: await auth('jwt') },
  signature: { check: 'signature', headers: signed(secret) },
  'signature with whsec_': { check: 'signature', headers: signed(standard), secret: standard },
  'signature in a rotation, old secret': { check: 'signature', headers: signed(standard, secret) },
  'simple signature': { check: 'simple', headers: signed(secret) },
});
const invalidCases = async (): Promise<Record<string, Case & { now?: number }>> => ({
  'no header, token': { check: 'token', headers: {} },
  'no header, jwt': { check: 'jwt', headers: {} },
  'no header, signature': { check: 'signature', headers: {} },
  'no header, simple': { check: 'simple', headers: {} },
  'another token': { check: 'token', headers: await auth('bearer', 'another') },
  'a jwt with another key': { check: 'jwt', headers: await auth('jwt', 'another') },
  'an expired jwt': { check: 'jwt', headers: await auth('jwt'), now: now + 301 },
  'another body': { check: 'signature', headers: signed(secret), body: body.toUpperCase() },
  'another body, simple': { check: 'simple', headers: signed(secret), body: body.toUpperCase() },
  'an old signature': { check: 'signature', headers: signed(secret), now: now + 301 },
  'another id': { check: 'signature', headers: { ...signed(secret), 'webhook-id': 'e' } },
});
const complete = (cases: Record<string, Case & { now?: number }>) =>
  Object.values(cases).map((testCase) => ({ body, secret, now, token, origin, ...testCase }));
const allAre = (cases: object, verdict: boolean) => Object.keys(cases).map(() => verdict);

describe('receiver guide', () => {
  test("the receiver guide's Node code accepts the service's deliveries and rejects all others", async () => {
    const example = await import(`data:text/javascript,${encodeURIComponent(code('js'))}`);
    const verdicts = (cases: ReturnType<typeof complete>) =>
      cases.map((testCase) => {
        const bytes = Buffer.from(testCase.body);
        if (testCase.check === 'token') return example.verifyToken(testCase.headers, testCase.token);
        if (testCase.check === 'jwt')
          return example.verifyJwt(testCase.headers, testCase.token, testCase.origin, testCase.now);
        if (testCase.check === 'simple') return example.verifySimpleSignature(testCase.headers, bytes, testCase.secret);
        return example.verifySignature(testCase.headers, bytes, testCase.secret, testCase.now);
      });
    const valid = await validCases();
    const invalid = await invalidCases();
    expect(verdicts(complete(valid))).toEqual(allAre(valid, true));
    expect(verdicts(complete(invalid))).toEqual(allAre(invalid, false));
  });

  const hasPython = spawnSync('python3', ['-c', 'import hmac, sys; assert sys.version_info >= (3, 9)']).status === 0;
  test.skipIf(!hasPython)('the receiver guide contains equivalent Python code', async () => {
    const main = `
import sys
def verdict(c):
    headers, body = c["headers"], c["body"].encode()
    if c["check"] == "token": return verify_token(headers, c["token"])
    if c["check"] == "jwt": return verify_jwt(headers, c["token"], c["origin"], c["now"])
    if c["check"] == "simple": return verify_simple_signature(headers, body, c["secret"])
    return verify_signature(headers, body, c["secret"], c["now"])
print(json.dumps([verdict(c) for c in json.load(sys.stdin)]))`;
    const valid = await validCases();
    const invalid = await invalidCases();
    const input = JSON.stringify([...complete(valid), ...complete(invalid)]);
    const { stdout, stderr } = spawnSync('python3', ['-c', code('python') + main], { input, encoding: 'utf8' });
    expect(stderr).toBe('');
    expect(JSON.parse(stdout)).toEqual([...allAre(valid, true), ...allAre(invalid, false)]);
  });
});
