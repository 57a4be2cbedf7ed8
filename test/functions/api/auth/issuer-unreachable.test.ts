import { expect, test } from 'vitest';
import { clientOf } from '#test/fixtures/client.ts';
import { startTestCloud } from '#test/fixtures/cloud.ts';
import { startIssuer } from '#test/fixtures/issuer.ts';

test('returns 409 for OpenID Connect logins if no issuer is configured', async () => {
  const cloud = await startTestCloud();
  const client = clientOf(cloud.url);
  expect(await client.ok('GET', '/users/login/oidc')).toEqual({ name: null });
  expect((await client.call('POST', '/users/login/oidc')).status).toBe(409);
  expect((await client.call('POST', '/users/login/oidc/answer', { query: '' })).status).toBe(409);
  await cloud.stop();
});

test('returns 503 if the issuer is unreachable, and retries on the next login', async () => {
  const issuer = await startIssuer();
  const cloud = await startTestCloud({
    environment: issuer.environment([{ claim: 'groups', value: 'maple', customerId: 1 }]),
    log: () => {},
  });
  const client = clientOf(cloud.url);
  const { url } = issuer;
  await issuer.stop();
  expect(url).toMatch(/^http/);
  expect((await client.call('POST', '/users/login/oidc')).status).toBe(503);
  expect((await client.call('POST', '/users/login/oidc')).status).toBe(503);
  await cloud.stop();
});
