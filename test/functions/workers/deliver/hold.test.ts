import { describe, expect, test } from 'vitest';
import type { DeliverDeps } from '#functions/workers/deliver/deps.ts';
import { disableWebhook } from '#functions/workers/deliver/disable-webhook.ts';
import { checkFeed, enterFeed } from '#functions/workers/deliver/feed.ts';
import { hold, releaseHeld } from '#functions/workers/deliver/hold.ts';
import type { Delivery } from '#shared/domain/delivery/delivery.ts';
import { some } from '#test/fixtures/alarm-stubs.ts';
import { customerId, deliveryTo, snapshotOf } from '#test/fixtures/delivery-stubs.ts';
import { recordedCalls } from '#test/fixtures/recorded-calls.ts';
import { NOW, stubDeps } from '#test/fixtures/stub-deps.ts';

const DAY = 86_400_000;
const webhook = { id: 'w1', customerId, name: 'Feed', botId: null, url: null, isEnabled: true, updateDate: NOW - DAY };
const toWebhook = (more: object = {}): Delivery => {
  const { person: _, ...others } = deliveryTo('email', { webhookId: 'w1', format: 'full', hit: null, ...more });
  return others;
};
const about = (id: string, action: string): Delivery =>
  toWebhook({ id, snapshot: snapshotOf(action, { event: { ...snapshotOf().event, action } }) });
const key = { customerId, webhookId: 'w1', id: toWebhook().id };

type AttemptWorld = {
  isHeld?: boolean;
  delivery?: object | null;
  isEnded?: boolean;
  reserved?: object | null;
  ids?: string[];
  all?: Delivery[];
  released?: readonly boolean[];
  isMoved?: boolean;
  isNoFetch?: boolean;
  raw?: string | null;
  managers?: object[];
  sensors?: object[];
  isDisabled?: boolean;
};
const world = ({
  isHeld = false,
  delivery = null,
  isEnded = true,
  reserved = { from: NOW + 50, count: 3 },
  ids = [],
  all = ids.map((id) => toWebhook({ id, state: 'pending', nextAttempt: NOW })),
  released = [],
  isMoved = true,
  isNoFetch = true,
  raw = 'a message',
  managers = [],
  sensors = [],
  isDisabled = true,
}: AttemptWorld = {}) => {
  const { calls, recorded, named, names } = recordedCalls();
  const results = [...released];
  const store = {
    held: {
      hold: recorded('hold', () => isHeld),
      end: recorded('endHeld', () => isEnded),
      reserveReleases: recorded('reserve', () => reserved),
      ids: recorded('heldIds', () => ids),
      correctCount: recorded('correctCount'),
      release: recorded('release', () => results.shift() ?? true),
    },
    deliveries: {
      get: recorded('delivery', () => delivery),
      getAll: recorded('deliveries', () => all),
      getQueued: recorded('queued', () => ({ delivery, until: null })),
    },
    feeds: {
      end: recorded('endFeed', () => isEnded),
      moveToFeed: recorded('toFeed', () => isMoved),
      moveToPost: recorded('toPost', () => results.shift() ?? true),
      pendingIds: async () => ids,
      idsToPost: recorded('feedIds', () => ids),
      recordNoFetch: recorded('noFetch', () => isNoFetch),
    },
    events: { storeNotice: recorded('storeNotice'), bytes: recorded('bytes', () => raw) },
    hitReports: { report: recorded('report') },
    limits: { take: async () => true },
    users: { list: async () => managers },
    sensors: { list: async () => sensors },
    health: { disable: recorded('disable', () => isDisabled) },
  };
  const mails: string[][] = [];
  const stubs = stubDeps<DeliverDeps>(store, { quotas: {}, mail: async (...mail: string[]) => void mails.push(mail) });
  Object.assign(stubs.deps.settings, { RETRY_SCHEDULE: [], MAIL_SENDER: 'cloud@example.org' });
  return { ...stubs, calls, named, mails, names };
};
const boss = { canLogin: true, isAdmin: true, permissions: [], email: 'boss@example.org', locale: 'en' };

describe('disabled webhooks', () => {
  const held = toWebhook({ state: 'held', heldUntil: NOW + 1 });

  test('a delivery to a disabled webhook is held', async () => {
    const delivery = toWebhook({ state: 'pending' });
    const { deps, named } = world({ isHeld: true, delivery });
    expect(await hold(deps, { ...key, requestId: 'r' }, some(webhook))).toBe('held');
    expect(named('hold')).toEqual([[{ ...delivery, requestId: 'r' }, NOW]]);
  });

  test('a delivery stays held until it expires', async () => {
    const waiting = world({ delivery: held });
    expect(await hold(waiting.deps, key, some(webhook))).toBe('held');
    expect(waiting.named('endHeld')).toEqual([]);
    const over = world({ delivery: { ...held, heldUntil: NOW } });
    expect(await hold(over.deps, key, some(webhook))).toBe('failed');
    expect(over.named('endHeld')).toMatchObject([[{ ...key, state: 'held' }, 'expired', NOW]]);
    expect(over.named('storeNotice')).toHaveLength(1);
    expect(over.enqueued.map(([[task]]) => task?.type)).toEqual(['process_notice']);
    const raced = world({ delivery: { ...held, heldUntil: undefined }, isEnded: false });
    expect(await hold(raced.deps, key, some(webhook))).toBe('superseded');
  });

  test('a delivery that another task has changed is not held', async () => {
    const { deps, names } = world({ delivery: toWebhook({ state: 'failed' }) });
    expect(await hold(deps, key, some(webhook))).toBe('failed');
    expect(names()).toEqual(['delivery', 'hold', 'queued']);
  });
});

describe('releasing held deliveries', () => {
  const release = async (given: AttemptWorld, left = 20_000) => {
    const stubs = world(given);
    await releaseHeld(stubs.deps, some(webhook), () => left);
    return stubs;
  };

  test("an enabled webhook's held deliveries are released at a rate of ten a second", async () => {
    const { named, enqueued } = await release({ ids: ['a', 'b', 'c'], released: [true, false, true] });
    expect(named('reserve')).toEqual([[webhook, NOW]]);
    expect(named('heldIds')).toEqual([[webhook, 3]]);
    expect(named('deliveries')).toEqual([[customerId, 'w1', ['a', 'b', 'c']]]);
    expect(named('release').map(([, time, now]) => [time, now])).toEqual([
      [NOW + 50, NOW],
      [NOW + 150, NOW],
      [NOW + 250, NOW],
    ]);
    expect(enqueued).toMatchObject([
      [[{ deliveryId: 'a', notBefore: NOW + 50 }], 0],
      [[{ deliveryId: 'c', notBefore: NOW + 250 }], 0],
    ]);
  });

  test('held alarms about people are released before any older deliveries', async () => {
    const all = [
      about('a', 'standing_up'),
      about('b', 'fall_detected'),
      about('c', 'standing_up'),
      about('d', 'fall_detected'),
    ];
    const { named } = await release({ all, ids: ['b', 'd', 'a', 'c'] });
    expect(named('release').map(([delivery]) => (delivery as Delivery).id)).toEqual(['b', 'd', 'a', 'c']);
  });

  test("only one task at a time releases a webhook's held deliveries", async () => {
    expect((await release({ reserved: null, ids: ['a'] })).names()).toEqual(['reserve']);
    const none = await release({});
    expect(none.named('correctCount')).toEqual([[webhook, NOW]]);
    expect(none.named('deliveries')).toEqual([]);
  });

  test('held deliveries are left to the next task when time runs out', async () => {
    expect((await release({ ids: ['a'] }, 4_999)).named('release')).toEqual([]);
    expect((await release({ ids: ['a'] }, 5_000)).named('release')).toHaveLength(1);
  });
});

describe('a delivery to a webhook without a URL', () => {
  const enter = async (delivery: object | null, given: AttemptWorld = {}) => {
    const stubs = world({ delivery, ...given });
    const outcome = await enterFeed(stubs.deps, some(key), some(webhook));
    return { ...stubs, outcome };
  };
  const pending = (more: object = {}) => toWebhook({ state: 'pending', nextAttempt: NOW, ...more });

  test('a delivery enters the feed, where it waits to be fetched', async () => {
    const { outcome, named } = await enter(pending());
    expect(outcome).toBe('pending');
    expect(named('delivery')).toEqual([[customerId, 'w1', key.id]]);
    expect(named('toFeed')).toEqual([[pending(), NOW]]);
    const raced = await enter(pending(), { isMoved: false });
    expect(raced.named('queued')).toHaveLength(1);
    const sending = await enter(pending({ state: 'sending', createDate: NOW - 90 * DAY }));
    expect(sending.named('toFeed')).toHaveLength(1);
  });

  test('a delivery that has ended or is held does not enter the feed', async () => {
    const ended = await enter(pending({ state: 'delivered' }));
    expect([ended.outcome, ended.named('toFeed')]).toEqual(['delivered', []]);
    const held = await enter(pending({ state: 'held', heldUntil: NOW + 5 }));
    expect([held.outcome, held.named('toFeed')]).toEqual(['held', []]);
    const expired = await enter(pending({ state: 'held', heldUntil: NOW }));
    expect([expired.outcome, expired.named('endHeld')]).toMatchObject(['failed', [[{}, 'expired', NOW]]]);
    await expect(enter(null)).rejects.toThrow('the table has no such delivery');
  });

  test('a delivery expires after waiting too long in the feed', async () => {
    const old = pending({ createDate: NOW - 90 * DAY });
    const { outcome, named } = await enter(old);
    expect(outcome).toBe('failed');
    expect(named('endFeed')).toEqual([[old, 'expired', NOW]]);
    expect(named('storeNotice')).toHaveLength(1);
    expect((await enter(old, { isEnded: false })).outcome).toBe('superseded');
  });

  test('a feed delivery ends if its message is lost', async () => {
    const { event, ...others } = toWebhook().snapshot;
    const raw = { format: 'raw', snapshot: { ...others, event: { ...event, source: 'm1' } } };
    const lost = await enter(pending({ ...raw, nextAttempt: null }), { raw: null });
    expect(lost.named('endFeed')).toMatchObject([[{}, 'exhausted', NOW]]);
    expect(lost.measured).toContainEqual(['TasksFailed', 1, { worker: 'deliver', kind: 'missing' }]);
    expect((await enter(pending({ ...raw, nextAttempt: null }))).named('toFeed')).toHaveLength(1);
    expect((await enter(pending(raw), { raw: null })).named('toFeed')).toHaveLength(1);
  });
});

describe('checking a feed', () => {
  const check = async (of: object, given: AttemptWorld = {}, left = 20_000) => {
    const stubs = world(given);
    const state = await checkFeed(stubs.deps, some({ ...webhook, ...of }), () => left);
    return { ...stubs, state };
  };
  const unfetched = { lastSuccess: NOW - 600_000 };

  test('a feed that no one fetches is reported only once', async () => {
    const { state, measured, named, mails } = await check(unfetched, { managers: [boss] });
    expect(state).toBe('in_use');
    expect(named('noFetch')).toHaveLength(1);
    expect(measured).toEqual([['FeedsNotFetched']]);
    expect(mails.map(([to]) => to)).toEqual(['boss@example.org']);
    const again = await check(unfetched, { isNoFetch: false });
    expect([again.measured, again.mails]).toEqual([[], []]);
    const fetched = await check({ lastSuccess: NOW - 599_999 }, { managers: [boss] });
    expect(fetched.calls).toEqual([]);
  });

  test('deliveries that nobody fetches expire, unless time runs out', async () => {
    const old = toWebhook({ id: 'a', state: 'pending', createDate: NOW - 90 * DAY });
    const all = [old, toWebhook({ id: 'b', state: 'pending' }), { ...old, id: 'c' }];
    const { named } = await check(unfetched, { all }, 5_000);
    expect(named('deliveries')).toEqual([[customerId, 'w1', []]]);
    expect(named('endFeed')).toEqual([
      [old, 'expired', NOW],
      [{ ...old, id: 'c' }, 'expired', NOW],
    ]);
    expect((await check(unfetched, { all }, 4_999)).named('endFeed')).toEqual([]);
  });

  test("a feed's deliveries are posted once the webhook has a URL", async () => {
    const url = { url: 'https://example.org/' };
    const { state, named, enqueued } = await check(url, { ids: ['a', 'b'], released: [true, false] });
    expect(state).toBe('in_use');
    expect(named('feedIds')).toMatchObject([[{ id: 'w1' }, 500]]);
    expect(named('toPost').map(([, time, now]) => [time, now])).toEqual([
      [NOW, NOW],
      [NOW + 100, NOW],
    ]);
    expect(enqueued).toMatchObject([[[{ deliveryId: 'a', notBefore: NOW }], 0]]);
    expect((await check(url, { ids: ['a'] }, 4_999)).named('toPost')).toEqual([]);
  });

  test("a feed's alarms about people are posted first", async () => {
    const all = [about('a', 'standing_up'), about('b', 'fall_detected')];
    const { named } = await check({ url: 'https://example.org/' }, { all, ids: ['b', 'a'] });
    expect(named('toPost').map(([delivery]) => (delivery as Delivery).id)).toEqual(['b', 'a']);
  });

  test('a feed is no longer checked once it stays empty', async () => {
    const url = { url: 'https://example.org/' };
    expect((await check(url)).state).toBe('empty');
    expect((await check({ ...url, updateDate: NOW - 60_000 })).state).toBe('in_use');
    expect((await check({ ...url, updateDate: NOW - 60_001 })).state).toBe('empty');
  });
});

describe('reports about disabled webhooks', () => {
  const disable = async (delivery: Delivery, given: AttemptWorld = {}) => {
    const stubs = world({ managers: [boss], ...given });
    await disableWebhook(stubs.deps, some({ ...webhook, url: 'https://example.org/' }), delivery, 'gone');
    return stubs;
  };

  test('a disabled webhook is reported with a metric, a notice and an email', async () => {
    const { named, measured, enqueued, mails } = await disable(toWebhook());
    expect(named('disable')).toEqual([[expect.objectContaining({ id: 'w1' }), NOW, 'gone', expect.anything()]]);
    expect(measured).toEqual([['WebhooksDisabled']]);
    expect(enqueued).toMatchObject([[[{ type: 'process_notice', sensorId: 's1', receiveDate: NOW }], 0]]);
    expect(mails.map(([to]) => to)).toEqual(['boss@example.org']);
  });

  test('a disabled webhook is reported only by the process that disabled it', async () => {
    const { measured, enqueued, mails } = await disable(toWebhook(), { isDisabled: false });
    expect([measured, enqueued, mails]).toEqual([[], [], []]);
  });

  test("a failed test that disables a webhook is reported for the customer's first sensor", async () => {
    const test = await disable(toWebhook({ isTest: true }), { sensors: [{ id: 's7' }, { id: 's8' }] });
    expect(test.enqueued).toMatchObject([[[{ sensorId: 's7' }], 0]]);
    const none = await disable(toWebhook({ isTest: true }));
    expect(none.enqueued).toEqual([]);
    expect(none.named('disable')).toEqual([[expect.anything(), NOW, 'gone', null]]);
    expect(none.mails).toHaveLength(1);
  });
});
