import { describe, expect, test } from 'vitest';
import {
  checkRate,
  countAccount,
  countAddress,
  countAnonymous,
  countDevice,
  countSessionRead,
  countUnrouted,
} from '#shared/api/middleware/rate-limit.ts';
import { defaultQuotas } from '#shared/domain/identity/quota.ts';
import { bearer, codeOf, createGuard, exchangeOf, newToken, operationWith } from '#test/fixtures/guard.ts';

const OF_ADDRESS = 'address:192.0.2.1';
const OF_PUBLISHED = 'published:192.0.2.1';
const unlimited = { RATE_LIMIT_PER_SECOND: 0 };
const off = { limit: 0, remaining: 0, reset: 0, isExceeded: false };

describe('account rate limit', () => {
  test('an account may make requests up to the limit per second, and the remaining count drops to 0', async () => {
    const { guard, clock } = createGuard({ RATE_LIMIT_PER_SECOND: 2 });
    const rates = [];
    for (let n = 0; n < 3; n++) rates.push((await countAccount(guard, 'a')).rate);
    expect(rates).toEqual([
      { limit: 2, remaining: 1, reset: 1, isExceeded: false },
      { limit: 2, remaining: 0, reset: 1, isExceeded: false },
      { limit: 2, remaining: 0, reset: 1, isExceeded: true },
    ]);
    expect((await countAccount(guard, 'b')).rate.remaining).toBe(1);
    clock.time += 1_000;
    expect((await countAccount(guard, 'a')).rate.remaining).toBe(1);
  });

  test('a refund applies to the second in which the request was counted', async () => {
    const { guard, clock, counted } = createGuard();
    const { giveBack } = await countAccount(guard, 'a');
    const { time } = clock;
    clock.time += 1_000;
    await giveBack();
    expect(await counted('account:a')).toBe(0);
    clock.time = time;
    expect(await counted('account:a')).toBe(0);
  });

  test('a request can be refunded even at the limit', async () => {
    const { guard, counted } = createGuard({ RATE_LIMIT_PER_SECOND: 1 });
    await (await countAccount(guard, 'a')).giveBack();
    expect(await counted('account:a')).toBe(0);
  });

  test('account requests are not counted if there is no limit', async () => {
    const { guard, counted } = createGuard(unlimited);
    const { rate, giveBack } = await countAccount(guard, 'a');
    await giveBack();
    expect(rate).toEqual(off);
    expect(await counted('account:a')).toBe(0);
  });

  test('session reads are counted only in memory', async () => {
    const { guard, counted } = createGuard({ RATE_LIMIT_PER_SECOND: 1 });
    expect(await countSessionRead(guard, 'a')).toEqual({ limit: 1, remaining: 0, reset: 1, isExceeded: false });
    expect(await countSessionRead(guard, 'a')).toEqual({ limit: 1, remaining: 0, reset: 1, isExceeded: true });
    expect((await countSessionRead(guard, 'b')).isExceeded).toBe(false);
    expect(await counted('account:a')).toBe(0);
  });

  test('requests counted in memory are never rejected if there is no limit', async () => {
    const { guard } = createGuard(unlimited);
    await countSessionRead(guard, 'a');
    expect(await countSessionRead(guard, 'a')).toEqual(off);
  });
});

describe('device rate limit', () => {
  const messages = (count: number, fields = {}) =>
    exchangeOf(operationWith({ auth: 'device', method: 'POST', bodyKind: 'messages', ...fields }), {
      body: JSON.stringify(Array(count).fill({})),
    });
  const quotas = (messagesPerSecond: number) => ({ QUOTAS: { ...defaultQuotas, messagesPerSecond } });
  test('a device may make 20 requests a second', () => {
    const { guard, clock } = createGuard();
    const rates = Array.from({ length: 21 }, () => countDevice(guard, 'd', messages(1)));
    expect(rates[0]).toEqual({ limit: 20, remaining: 19, reset: 1, isExceeded: false });
    expect(rates[19]).toEqual({ limit: 20, remaining: 0, reset: 1, isExceeded: false });
    expect(rates[20]).toEqual({ limit: 20, remaining: 0, reset: 1, isExceeded: true });
    expect(countDevice(guard, 'other', messages(1)).isExceeded).toBe(false);
    clock.time += 1_000;
    expect(countDevice(guard, 'd', messages(1)).isExceeded).toBe(false);
  });

  test('a device may send as many messages a second as its quota allows', () => {
    const { guard } = createGuard(quotas(10));
    expect(countDevice(guard, 'd', messages(6)).isExceeded).toBe(false);
    expect(countDevice(guard, 'd', messages(4)).isExceeded).toBe(false);
    expect(countDevice(guard, 'd', messages(1)).isExceeded).toBe(true);
  });

  test('a device may still make requests without messages after sending too many', () => {
    const { guard } = createGuard(quotas(10));
    countDevice(guard, 'd', messages(11));
    const config = exchangeOf(operationWith({ auth: 'device' }), { body: '[1,2,3]' });
    expect(countDevice(guard, 'd', config).isExceeded).toBe(false);
    countDevice(guard, 'e', messages(11, { bodyKind: undefined }));
    expect(countDevice(guard, 'e', messages(1)).isExceeded).toBe(false);
    for (let n = 0; n < 5; n++) countDevice(guard, 'f', config);
    expect(countDevice(guard, 'f', messages(10)).isExceeded).toBe(false);
  });

  test('a device may make any number of requests if there is no rate limit', () => {
    const { guard } = createGuard({ ...unlimited, ...quotas(0) });
    const rates = Array.from({ length: 25 }, () => countDevice(guard, 'd', messages(50)));
    expect(rates.at(-1)).toEqual(off);
  });
});

describe('address rate limit', () => {
  const exchange = () => exchangeOf(operationWith());
  test('an address is counted in the table for apps, and in memory for devices', async () => {
    const { guard, counted } = createGuard();
    const app = exchange();
    await countAddress(guard, app, 'apps');
    expect([app.rate.remaining, await counted(OF_ADDRESS)]).toEqual([29, 1]);
    const device = exchange();
    await countAddress(guard, device, 'devices');
    expect([device.rate.remaining, await counted(OF_ADDRESS)]).toEqual([29, 1]);
  });

  test('an address is counted in memory for unmatched requests', async () => {
    const { guard, counted } = createGuard({ RATE_LIMIT_PER_SECOND: 1 });
    const rates = [];
    for (const address of ['192.0.2.1', '192.0.2.1', '192.0.2.2']) {
      const unrouted = exchangeOf(operationWith(), { address });
      await countUnrouted(guard, unrouted);
      rates.push(unrouted.rate.isExceeded);
    }
    expect(rates).toEqual([false, true, false]);
    expect(await counted(OF_ADDRESS)).toBe(0);
  });
});

describe('unknown callers', () => {
  const countedFor = async (fields: object, request = {}, calls = 1) => {
    const { guard, counted } = createGuard();
    let rate: object = {};
    for (let n = 0; n < calls; n++) rate = await countAnonymous(guard, exchangeOf(operationWith(fields), request));
    return { rate, address: await counted(OF_ADDRESS), published: await counted(OF_PUBLISHED) };
  };
  test('an unknown caller is counted by address', async () => {
    const rate = { limit: 30, remaining: 29, reset: 1, isExceeded: false };
    expect(await countedFor({})).toEqual({ rate, address: 1, published: 0 });
  });

  test('an unknown caller may make another 200 requests a second to published operations', async () => {
    const rate = { limit: 200, remaining: 199, reset: 1, isExceeded: false };
    expect(await countedFor({ published: 'immutable' })).toEqual({ rate, address: 0, published: 1 });
  });

  test('an unknown caller is counted in memory if the operation does not need the table', async () => {
    const rate = { limit: 30, remaining: 29, reset: 1, isExceeded: false };
    expect(await countedFor({ withoutTable: true })).toEqual({ rate, address: 0, published: 0 });
  });

  test('unknown callers are counted separately per address', async () => {
    for (const fields of [{}, { withoutTable: true }, { published: 'immutable' }, { auth: 'device' }]) {
      const { guard } = createGuard();
      const remaining: number[] = [];
      for (const address of ['192.0.2.1', '192.0.2.2'])
        remaining.push((await countAnonymous(guard, exchangeOf(operationWith(fields), { address }))).remaining);
      expect(remaining[0]).toBe(remaining[1]);
    }
  });
  const valid = bearer(newToken('device'));
  test.each([
    ['device', valid],
    ['provisioner', bearer('a-key')],
  ])("an unknown caller's first five %s token guesses per second do not cost a write", async (auth, request) => {
    expect(await countedFor({ auth }, request, 5)).toMatchObject({ address: 0, rate: { remaining: 25 } });
    expect(await countedFor({ auth }, request, 6)).toMatchObject({ address: 1, rate: { remaining: 29 } });
    expect(await countedFor({ auth }, request, 8)).toMatchObject({ address: 3 });
  });

  test.each([
    ['device', bearer('dev_garbage')],
    ['device', bearer(newToken('provisioning'))],
    ['device', {}],
    ['provisioner', bearer('')],
    ['provisioner', {}],
  ])('an unknown caller with an impossible %s token never costs a write', async (auth, request) => {
    expect(await countedFor({ auth }, request, 8)).toMatchObject({ address: 0, rate: { remaining: 22 } });
  });

  test('an unknown caller over the limit does not cost further writes', async () => {
    expect(await countedFor({ auth: 'device' }, valid, 40)).toMatchObject({ address: 25, rate: { isExceeded: true } });
  });
});

describe('requests over the limit', () => {
  const over = (reset: number, isExceeded = true) =>
    exchangeOf(operationWith(), {}, { rate: { limit: 30, remaining: 0, reset, isExceeded } });
  test('a request over the limit returns a 429 with the seconds to wait, at least 1', () => {
    expect(() => checkRate(over(3))).toThrow(expect.objectContaining({ code: 'rate_limited', waitSeconds: 3 }));
    expect(() => checkRate(over(0))).toThrow(expect.objectContaining({ waitSeconds: 1 }));
  });

  test('the last allowed request is not rejected', async () => {
    expect(await codeOf(() => checkRate(over(1, false)))).toBeNull();
  });
});
