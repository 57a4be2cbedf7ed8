import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { systemClock } from '#lib/local/clock.ts';
import type { Cloud } from '#lib/local/cloud.ts';
import { createLedger } from '#test/bench/meter.ts';
import { type Answer, type Client, clientOf, logIn } from '#test/fixtures/client.ts';
import { hurried, startTestCloud, unscheduled } from '#test/fixtures/cloud.ts';
import { adminOf, createHome } from '#test/fixtures/home.ts';

// The clock stands still but for what a test adds: how long something takes here makes no wait shorter.
let time = systemClock.now();
const seconds = (count: number) => {
  time += count * 1_000;
};
let cloud: Cloud;
let admin: Client;
let customerId: number;
/** Calls of the table. */
const ledger = createLedger();
/** What the check of a password waits for, by the password. */
const held = new Map<string, Promise<void>>();
/** The mail that was sent last. */
let mailed = '';
const HOP = 'the-secret-of-the-hop';
beforeAll(async () => {
  cloud = await startTestCloud({
    clock: { now: () => time, after: unscheduled.after },
    environment: {
      TRUSTED_PROXY_HEADER: 'X-Viewer',
      TRUSTED_PROXY_SECRET_HEADER: 'X-Hop',
      TRUSTED_PROXY_SECRET: HOP,
      MAIL_SENDER: 'cloud@example.com',
    },
    meter: ledger.meter,
    wrap: (runtime) => ({
      ...ledger.wrap(hurried(runtime)),
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
const login = (viewer: string, username: string, password = WRONG): Promise<Answer> =>
  clientOf(cloud.url).call('POST', '/users/login', { username, password }, { 'x-viewer': viewer, 'x-hop': HOP });
const times = <T>(count: number, act: (at: number) => Promise<T>): Promise<T[]> =>
  Promise.all(Array.from({ length: count }, (_, at) => act(at)));
const tally = (answers: readonly Answer[]): Record<number, number> => {
  const sum: Record<number, number> = {};
  for (const { status } of answers) sum[status] = (sum[status] ?? 0) + 1;
  return sum;
};
/** The status, and the seconds to wait of a 429. */
const told = ({ status, headers }: Answer) => [status, headers.get('retry-after')];
/** Holds what asks for the check of that password back, until all the others are answered. */
const atLast = async (password: string, attempt: () => Promise<Answer>, others: () => Promise<Answer[]>) => {
  const released = Promise.withResolvers<void>();
  held.set(password, released.promise);
  const last = attempt();
  const before = await others();
  held.delete(password);
  released.resolve();
  return [tally(before), told(await last)];
};

describe('an address that logged in before', () => {
  const HOME = '192.0.2.1';
  const settle = async (name: string) => {
    const user = await hire(name);
    expect((await login(HOME, name, user.password)).status).toBe(200);
    return user;
  };

  test('waits from its tenth failure in a row on: 1 s, doubling, 60 s at most, with the right password too', async () => {
    const { username, password } = await settle('forgetful');
    for (let at = 0; at < 9; at++) expect(told(await login(HOME, username))).toEqual([401, null]);
    // In a row: time alone forgives nothing.
    seconds(3_600);
    for (const wait of [1, 2, 4, 8, 16, 32, 60, 60]) {
      expect(told(await login(HOME, username))).toEqual([401, null]);
      expect(told(await login(HOME, username, password))).toEqual([429, String(wait)]);
      seconds(wait);
    }
    expect((await login(HOME, username, password)).status).toBe(200);
    expect(tally(await times(10, () => login(HOME, username)))).toEqual({ 401: 10 });
  });

  test('gets exactly as many tries when they come at the same time', async () => {
    const { username } = await settle('hasty');
    expect(tally(await times(50, () => login(HOME, username)))).toEqual({ 401: 10, 429: 40 });
    seconds(1);
    expect(tally(await times(10, () => login(HOME, username)))).toEqual({ 401: 1, 429: 9 });
  });

  test('does not hear that the password was right when it came with too many wrong ones', async () => {
    const { username, password } = await settle('crowded');
    const wrong = () => times(20, () => login(HOME, username));
    const answers = await atLast(password, () => login(HOME, username, password), wrong);
    expect(answers).toEqual([{ 401: 10, 429: 10 }, [429, '1']]);
    seconds(1);
    expect((await login(HOME, username, password)).status).toBe(200);
  });

  test('never waits for what others did, there or elsewhere: it alone has used up its tries', async () => {
    const { username, password } = await settle('neighbour');
    const names = await times(105, (at) => login(HOME, `nobody-${at}`));
    expect(tally(names)).toEqual({ 401: 100, 429: 5 });
    expect(tally(await times(12, () => login('192.0.2.99', username)))).toEqual({ 401: 10, 429: 2 });
    expect((await login(HOME, username, password)).status).toBe(200);
    // One that never logged in from there is locked out with them.
    const stranger = await hire('stranger');
    expect((await login(HOME, stranger.username, stranger.password)).status).toBe(429);
    seconds(15 * 60);
    expect((await login(HOME, stranger.username, stranger.password)).status).toBe(200);
  });
});

test('a current password that came with too many wrong ones is not told to be right', async () => {
  const { username, password } = await hire('changer');
  const client = await logIn(clientOf(cloud.url), username, password);
  const change = (currentPassword: string) =>
    client.call('PUT', '/users/me/password', { currentPassword, newPassword: 'another-long-password' });
  const wrong = () => times(12, () => change(WRONG));
  const answers = await atLast(password, () => change(password), wrong);
  expect(answers).toEqual([{ 400: 10, 429: 2 }, [429, '900']]);
});

test('many addresses together guess an account 50 times, then slower and slower; whom it knows logs in', async () => {
  const { username, password } = await hire('sought');
  expect((await login('198.51.100.1', username, password)).status).toBe(200);
  const crowd = await times(6, (from) => times(10, () => login(`203.0.113.${from}`, username)));
  expect(tally(crowd.flat())).toEqual({ 401: 50, 429: 10 });
  let fresh = 0;
  const guess = () => login(`100.64.1.${fresh++}`, username);
  for (const wait of [1, 2]) {
    expect(told(await login('198.18.0.1', username, password))).toEqual([429, String(wait)]);
    seconds(wait);
    expect(tally(await times(5, guess))).toEqual({ 401: 1, 429: 4 });
    expect((await login('198.51.100.1', username, password)).status).toBe(200);
  }
  seconds(4);
  // Whoever has the password ends it.
  expect((await login('198.18.0.1', username, password)).status).toBe(200);
  expect(tally(await times(5, guess))).toEqual({ 401: 5 });
});

test('whoever sets a new password by mail logs in from there at once, however many addresses guess meanwhile', async () => {
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

test('a name that nobody has is answered as one that somebody has, by as many calls of the table', async () => {
  const { username, password } = await hire('somebody');
  await login('192.0.2.7', username, password);
  const costOf = async (viewer: string, name: string) => {
    ledger.clear();
    expect((await login(viewer, name)).status).toBe(401);
    return Object.entries(ledger.lines()).map(([name, { calls }]) => `${calls} x ${name}`);
  };
  for (let at = 0; at < 3; at++) {
    const known = await costOf('192.0.2.7', username);
    expect(known.length).toBeGreaterThan(5);
    expect(await costOf('192.0.2.8', username)).toEqual(known);
    expect(await costOf('192.0.2.9', 'nobody-at-all')).toEqual(known);
  }
});
