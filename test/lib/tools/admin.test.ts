import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Cloud } from '#lib/local/cloud.ts';
import { createAdminWithPassword } from '#lib/tools/admin.ts';
import { clientOf, logIn } from '#test/fixtures/client.ts';
import { startTestCloud } from '#test/fixtures/cloud.ts';

let cloud: Cloud;
beforeAll(async () => {
  cloud = await startTestCloud();
});
afterAll(() => cloud.stop());

test('creates a system admin who can log in with the printed password', async () => {
  const password = await createAdminWithPassword(cloud.runtime.table, 'second');
  const client = await logIn(clientOf(cloud.url), 'second', password);
  expect(await client.ok('GET', '/users/me')).toMatchObject({ username: 'second', isAdmin: true });
});

test('rejects a taken username and leaves the password unchanged', async () => {
  const password = await createAdminWithPassword(cloud.runtime.table, 'third');
  await expect(createAdminWithPassword(cloud.runtime.table, 'THIRD')).rejects.toThrow(
    /^The username THIRD is taken: choose another/,
  );
  await logIn(clientOf(cloud.url), 'third', password);
});
