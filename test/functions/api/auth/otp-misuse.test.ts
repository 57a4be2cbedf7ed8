import { afterAll, beforeAll, expect, test } from 'vitest';
import { systemClock } from '../../../../lib/local/clock.ts';
import type { Cloud } from '../../../../lib/local/cloud.ts';
import type { Client } from '../../../fixtures/client.ts';
import { startTestCloud, unscheduled } from '../../../fixtures/cloud.ts';
import { adminOf, createHome, hireFor } from '../../../fixtures/home.ts';

// The clock stands still: a code is that of one time step.
const time = systemClock.now();
let cloud: Cloud;
let admin: Client;
let customerId: number;
beforeAll(async () => {
  cloud = await startTestCloud({ clock: { now: () => time, after: unscheduled.after } });
  admin = await adminOf(cloud.url);
  ({ customerId } = await createHome(admin, 'home', []));
});
afterAll(() => cloud.stop());

test('a second factor is not switched on by what is no code at all: that is answered 400, never 500', async () => {
  const { client } = await hireFor(admin, customerId, 'stumbling');
  await client.ok('POST', '/users/me/otp');
  const digits = ['12345', '1234567', '+12345', '-12345', '１２３４５６', '٣٣٣٣٣٣', '1e5', '0x1234'];
  for (const otp of ['', ' ', 'abcdef', '\0', '\ud800', 'ß'.repeat(64), ...digits])
    expect([otp, (await client.call('PUT', '/users/me/otp', { otp })).status]).toEqual([otp, 400]);
  expect(await client.ok('GET', '/users/me')).toMatchObject({ hasOtp: false });
});
