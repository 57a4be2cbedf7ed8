import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Cloud } from '#lib/local/cloud.ts';
import type { Key } from '#shared/store/key.ts';
import { items } from '#shared/store/table.ts';
import { type Client, clientOf } from '#test/fixtures/client.ts';
import { startTestCloud } from '#test/fixtures/cloud.ts';
import { adminOf, createHome, hireFor } from '#test/fixtures/home.ts';

/** Calls `run` once, before the next read of an item for which `isOf` returns true. */
let beforeRead: { isOf: (key: Key) => boolean; run: () => Promise<unknown> } | null = null;
let cloud: Cloud;
let admin: Client;
let customerId: number;
beforeAll(async () => {
  cloud = await startTestCloud({
    wrap: ({ table, ...runtime }) => {
      const get: typeof table.get = async (key, ...more) => {
        const due = beforeRead?.isOf(key) ? beforeRead : null;
        if (due) beforeRead = null;
        await due?.run();
        return table.get(key, ...more);
      };
      return { ...runtime, table: { ...table, get } };
    },
  });
  admin = await adminOf(cloud.url);
  ({ customerId } = await createHome(admin, 'home', []));
});
afterAll(() => cloud.stop());

test.each(['account', 'password'] as const)(
  'rejects the old password if it changes before the login reads the %s item',
  async (item) => {
    const { username, password, id } = await hireFor(admin, customerId, `changer-of-${item}`);
    const change = () => admin.ok('PUT', `/users/${id}/password`, { newPassword: 'a-new-long-password' });
    const anybody = clientOf(cloud.url);
    beforeRead = {
      isOf: (key) => items[item].read(key) !== null,
      run: async () => {
        // Leaves time for the login's concurrent reads to finish.
        await pause(50);
        await change();
      },
    };
    const answer = await anybody.call('POST', '/users/login', { username, password });
    expect(beforeRead).toBeNull();
    expect((await anybody.as(answer.headers.get('token') ?? '').call('GET', '/users/me')).status).toBe(401);
  },
);
