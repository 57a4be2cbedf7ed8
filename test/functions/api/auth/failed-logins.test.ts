import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { systemClock } from '#lib/local/clock.ts';
import type { Cloud } from '#lib/local/cloud.ts';
import { createLedger } from '#test/bench/meter.ts';
import { type Answer, type Client, clientOf, logIn } from '#test/fixtures/client.ts';
import { startTestCloud, unscheduled, withShortPauses } from '#test/fixtures/cloud.ts';
import { adminOf, createHome } from '#test/fixtures/home.ts';

// The clock moves only when a test moves it, so slow tests do not shorten a wait.
let time = systemClock.now();
const seconds = (count: number) => {
  time += count * 1_000;
};
let cloud: Cloud;
let admin: Client;
let customerId: number;
/** Delays the password check until the promise resolves. */
const held = new Map<string, Promise<void>>();
/** The last email. */
let mailed = '';
const HOP = 'the-secret-of-the-hop';
const throughProxy = {
  TRUSTED_PROXY_HEADER: 'X-Viewer',
  TRUSTED_PROXY_SECRET_HEADER: 'X-Hop',
  TRUSTED_PROXY_SECRET: HOP,
};
beforeAll(async () => {
  cloud = await startTestCloud({
    clock: { now: () => time, after: unscheduled.after },
    environment: { ...throughProxy, MAIL_SENDER: 'cloud@example.com' },
    wrap: (runtime) => ({
      ...withShortPauses(runtime),
      mail: async (_to, _subject, text) => {
        mailed = text;
      },
      passwords: async () => {
        const passwords = await runtime.passwords();
        const verify = async (password: string, hash: string | null) => {
          await held.get(password);
          return passwords.verify(password, hash);
        };
        return { ...passwords, verify };
      },
    }),
  });
  admin = await adminOf(cloud.url);
  ({ customerId } = await createHome(admin, 'home', []));
});
afterAll(async () => {
  await cloud.stop();
});

const WRONG = 'a-wrong-password';
const hire = async (username: string, email = '') => {
  const password = `${username}-long-password`;
  await admin.ok('POST', '/users', { customerId, username, password, firstName: '', lastName: '', email });
  return { username, password };
};
const login = (viewer: string, username: string, password = WRONG, { url } = cloud): Promise<Answer> =>
  clientOf(url).call('POST', '/users/login', { username, password }, { 'x-viewer': viewer, 'x-hop': HOP });
const times = <T>(count: number, act: (at: number) => Promise<T>): Promise<T[]> =>
  Promise.all(Array.from({ length: count }, (_, at) => act(at)));
const tally = (answers: readonly Answer[]): Record<number, number> => {
  const sum: Record<number, number> = {};
  for (const { status } of answers) sum[status] = (sum[status] ?? 0) + 1;
  return sum;
};
/** The status, plus Retry-After (s) for a 429 response. */
const resultOf = ({ status, headers }: Answer) => [status, headers.get('retry-after')];
/** Delays the login attempt with that password until all other attempts have finished. */
const afterOthers = async (password: string, attempt: () => Promise<Answer>, others: () => Promise<Answer[]>) => {
  const released = Promise.withResolvers<void>();
  held.set(password, released.promise);
  const last = attempt();
  const before = await others();
  held.delete(password);
  released.resolve();
  return [tally(before), resultOf(await last)];
};

describe('logins from a known address', () => {
  const HOME = '192.0.2.1';
  const settle = async (name: string) => {
    const user = await hire(name);
    expect((await login(HOME, name, user.password)).status).toBe(200);
    return user;
  };

  test('each failure after the ninth causes a wait, even for the correct password', async () => {
    const { username, password } = await settle('forgetful');
    for (let at = 0; at < 9; at++) expect(resultOf(await login(HOME, username))).toEqual([401, null]);
    // Time alone does not reset the count of consecutive failures.
    seconds(3_600);
    for (const wait of [1, 2, 4, 8, 16, 32, 60, 60]) {
      expect(resultOf(await login(HOME, username))).toEqual([401, null]);
      expect(resultOf(await login(HOME, username, password))).toEqual([429, String(wait)]);
      seconds(wait);
    }
    expect((await login(HOME, username, password)).status).toBe(200);
    expect(tally(await times(10, () => login(HOME, username)))).toEqual({ 401: 10 });
  });

  test('concurrent logins do not get extra attempts', async () => {
    const { username } = await settle('hasty');
    expect(tally(await times(50, () => login(HOME, username)))).toEqual({ 401: 10, 429: 40 });
    seconds(1);
    expect(tally(await times(10, () => login(HOME, username)))).toEqual({ 401: 1, 429: 9 });
  });

  test('returns 429 for a correct password after too many concurrent wrong ones', async () => {
    const { username, password } = await settle('crowded');
    const wrong = () => times(20, () => login(HOME, username));
    const answers = await afterOthers(password, () => login(HOME, username, password), wrong);
    expect(answers).toEqual([{ 401: 10, 429: 10 }, [429, '1']]);
    seconds(1);
    expect((await login(HOME, username, password)).status).toBe(200);
  });

  test('failed logins do not delay logins to other accounts or from other addresses', async () => {
    const { username, password } = await settle('neighbour');
    const names = await times(105, (at) => login(HOME, `nobody-${at}`));
    expect(tally(names)).toEqual({ 401: 100, 429: 5 });
    expect(tally(await times(12, () => login('192.0.2.99', username)))).toEqual({ 401: 10, 429: 2 });
    expect((await login(HOME, username, password)).status).toBe(200);
    // A user who has never logged in from that address has to wait as well.
    const stranger = await hire('stranger');
    expect((await login(HOME, stranger.username, stranger.password)).status).toBe(429);
    seconds(15 * 60);
    expect((await login(HOME, stranger.username, stranger.password)).status).toBe(200);
  });
});

test('returns 429 for a password change after too many wrong passwords', async () => {
  const { username, password } = await hire('changer');
  const client = await logIn(clientOf(cloud.url), username, password);
  const change = (currentPassword: string) =>
    client.call('PUT', '/users/me/password', { currentPassword, newPassword: 'another-long-password' });
  const wrong = () => times(12, () => change(WRONG));
  const answers = await afterOthers(password, () => change(password), wrong);
  expect(answers).toEqual([{ 400: 10, 429: 2 }, [429, '900']]);
});

test('slows down guesses from many addresses, but not logins from known addresses', async () => {
  const { username, password } = await hire('sought');
  expect((await login('198.51.100.1', username, password)).status).toBe(200);
  const crowd = await times(6, (from) => times(10, () => login(`203.0.113.${from}`, username)));
  expect(tally(crowd.flat())).toEqual({ 401: 50, 429: 10 });
  let fresh = 0;
  const guess = () => login(`100.64.1.${fresh++}`, username);
  for (const wait of [1, 2]) {
    expect(resultOf(await login('198.18.0.1', username, password))).toEqual([429, String(wait)]);
    seconds(wait);
    expect(tally(await times(5, guess))).toEqual({ 401: 1, 429: 4 });
    expect((await login('198.51.100.1', username, password)).status).toBe(200);
  }
  seconds(4);
  // A login with the correct password resets the waits.
  expect((await login('198.18.0.1', username, password)).status).toBe(200);
  expect(tally(await times(5, guess))).toEqual({ 401: 5 });
});

test('users can log in from the address of a password reset while others guess passwords', async () => {
  const { username } = await hire('besieged', 'besieged@example.com');
  const OWNER = '198.51.100.77';
  const password = 'a-password-after-the-reset';
  const guess = (at: number) => login(`100.64.2.${at}`, username);
  await times(10, (at) => times(6, () => guess(at)));
  const anybody = clientOf(cloud.url);
  const from = { 'x-viewer': OWNER, 'x-hop': HOP };
  expect((await anybody.call('POST', '/users/password-reset', { username }, from)).status).toBe(202);
  const [code] = /^[\w-]{32}$/m.exec(mailed) ?? [];
  const confirm = { code, newPassword: password };
  expect((await anybody.call('POST', '/users/password-reset/confirm', confirm, from)).status).toBe(200);
  await times(10, guess);
  expect((await login('198.51.100.78', username, password)).status).toBe(429);
  expect((await login(OWNER, username, password)).status).toBe(200);
});

test('unknown usernames cause the same table calls as known ones', async () => {
  const ledger = createLedger();
  const counted = await startTestCloud({ environment: throughProxy, meter: ledger.meter, wrap: ledger.wrap });
  onTestFinished(() => counted.stop());
  const { username, password } = await createHome(await adminOf(counted.url), 'home', []);
  await login('192.0.2.7', username, password, counted);
  const costOf = async (viewer: string, name: string) => {
    ledger.clear();
    expect((await login(viewer, name, WRONG, counted)).status).toBe(401);
    return Object.entries(ledger.lines()).map(([name, { calls }]) => `${calls} x ${name}`);
  };
  for (let at = 0; at < 3; at++) {
    const known = await costOf('192.0.2.7', username);
    expect(known.length).toBeGreaterThan(5);
    expect(await costOf('192.0.2.8', username)).toEqual(known);
    expect(await costOf('192.0.2.9', 'nobody-at-all')).toEqual(known);
  }
});
