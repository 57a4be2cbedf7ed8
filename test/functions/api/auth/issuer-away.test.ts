import { expect, test } from 'vitest';
import { clientOf } from '#test/fixtures/client.ts';
import { startTestCloud } from '#test/fixtures/cloud.ts';
import { startIssuer } from '#test/fixtures/issuer.ts';

test('a service without an issuer says so, and logs nobody in there', async () => {
  const alone = await startTestCloud();
  const client = clientOf(alone.url);
  expect(await client.ok('GET', '/users/login/oidc')).toEqual({ name: null });
  expect((await client.call('POST', '/users/login/oidc')).status).toBe(409);
  expect((await client.call('POST', '/users/login/oidc/answer', { query: '' })).status).toBe(409);
  await alone.stop();
});

test('an issuer that is away is a 503, and the next login asks it again', async () => {
  const away = await startIssuer();
  const lonely = await startTestCloud({
    environment: away.environment([{ claim: 'groups', value: 'maple', customerId: 1 }]),
    log: () => {},
  });
  const client = clientOf(lonely.url);
  const { url } = away;
  await away.stop();
  expect(url).toMatch(/^http/);
  expect((await client.call('POST', '/users/login/oidc')).status).toBe(503);
  expect((await client.call('POST', '/users/login/oidc')).status).toBe(503);
  await lonely.stop();
});
