import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Cloud } from '../../../../lib/local/cloud.ts';
import { type Client, clientOf } from '../../../fixtures/client.ts';
import { startTestCloud } from '../../../fixtures/cloud.ts';
import { adminOf, createHome, hireFor } from '../../../fixtures/home.ts';
import { beginOidc, type IssuerHere, startIssuer, walk, withCookie } from '../../../fixtures/issuer.ts';

const homes = ['maple', 'elm', 'oak'];
let issuer: IssuerHere;
let cloud: Cloud;
let anybody: Client;
let admin: Client;
beforeAll(async () => {
  issuer = await startIssuer();
  const rules = homes.map((value, at) => ({ claim: 'groups', value, customerId: at + 1 }));
  cloud = await startTestCloud({ environment: issuer.environment(rules) });
  anybody = clientOf(cloud.url);
  admin = await adminOf(cloud.url);
  for (const home of homes) await createHome(admin, home, []);
});
afterAll(() => Promise.all([cloud.stop(), issuer.stop()]));

const login = async (name: string, group: string) => {
  issuer.people.set(name, { groups: [group] });
  const { url, cookie } = await beginOidc(anybody);
  const { search } = await walk(url, name);
  const { status, body } = await withCookie(anybody, cookie).call('POST', '/users/login/oidc/answer', {
    query: search,
  });
  return { status, user: body as { id: number; username: string; customerId: number } };
};

test('somebody can move through any number of customers, under names that nobody else has', async () => {
  await hireFor(admin, 1, 'emil');
  const users = [];
  for (const home of homes) users.push(await login('emil', home));
  expect(users.map(({ status }) => status)).toEqual([200, 200, 200]);
  expect(new Set(users.map(({ user }) => user.username)).size).toBe(3);
});
