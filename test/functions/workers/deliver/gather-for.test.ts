import { describe, expect, test } from 'vitest';
import { updateChannels } from '#functions/workers/deliver/channel-changes.ts';
import { gatherFor } from '#functions/workers/deliver/gather.ts';
import { derivedUlid } from '#shared/domain/ids.ts';
import { some } from '#test/fixtures/alarm-stubs.ts';
import { customerId, deliveryStubs, deliveryTo, snapshotOf, user } from '#test/fixtures/delivery-stubs.ts';
import { NOW } from '#test/fixtures/stub-deps.ts';

const offline = (name: string, more: object = {}, at = NOW - 5_000) => {
  const { sensor, ...others } = snapshotOf('sensor_inactive');
  const snapshot = { ...others, sensor: { ...sensor, id: `sensor ${name}` } };
  return deliveryTo('email', { id: derivedUlid(at, name), snapshot, ...more });
};
const telegram = (userId: number) => ({ person: { userId, by: 'telegram', name: '' } });

type AttemptWorld = {
  due?: object[];
  indexed?: readonly string[];
  chats?: Record<number, string>;
  unclaimed?: readonly string[];
  hits?: Record<number, object>;
};
const gather = async (
  delivery: ReturnType<typeof offline>,
  { due = [], indexed = [], chats = {}, unclaimed = [], hits = {} }: AttemptWorld,
  channel: object | null = null,
) => {
  const asked: unknown[][] = [];
  const claims: unknown[][] = [];
  const found = due.map((one) => ({ delivery: one, isIndexed: indexed.includes((one as { id: string }).id) }));
  const stubs = deliveryStubs({
    hits,
    users: Object.fromEntries([21, 22, 23].map((id) => [id, { ...user, id }])),
    more: {
      deliveries: {
        dueToPeople: async (...args: unknown[]) => {
          asked.push(args);
          return found;
        },
      },
      channels: {
        verifiedOf: async ({ userId }: { userId: number }) =>
          chats[userId] === undefined ? [] : [{ by: 'telegram', address: chats[userId] }],
      },
      attempts: {
        claim: async (...args: [{ id: string }, ...unknown[]]) => {
          claims.push(args);
          return unclaimed.includes(args[0].id) ? null : args[0];
        },
        recordResult: async () => {},
      },
    },
  });
  const gathered = await gatherFor(stubs.deps, delivery, channel && some(channel));
  return { ...stubs, asked, claims, gathered: gathered.map(({ id }) => id) };
};

describe('gathered messages', () => {
  test("a combined message replaces all due deliveries on one person's channel", async () => {
    const first = offline('a');
    const [b, c] = [offline('b'), offline('c', { person: { userId: 22, by: 'email', name: '' } })];
    const sms = offline('d', { person: { userId: 21, by: 'sms', name: '' } });
    const alarm = deliveryTo('email', { id: derivedUlid(NOW, 'e') });
    const { gathered, asked, claims, enqueued } = await gather(first, { due: [first, b, c, sms, alarm] });
    expect(gathered).toEqual([b.id]);
    // A power cut affects all sensors at the same time, up to a minute earlier.
    expect(asked).toEqual([[customerId, [NOW - 65_000, NOW], NOW, 5_000]]);
    expect(claims).toMatchObject([[{ id: b.id }, NOW, expect.any(String), { aloneSince: 5 }]]);
    expect(enqueued).toEqual([]);
  });

  test('deliveries about a single sensor are not combined', async () => {
    const first = offline('a');
    const again = { ...offline('b'), snapshot: first.snapshot };
    const { gathered, claims } = await gather(first, { due: [again] });
    expect([gathered, claims]).toEqual([[], []]);
  });

  test('a combined message omits deliveries claimed by another task', async () => {
    const [b, c] = [offline('b'), offline('c')];
    expect((await gather(offline('a'), { due: [b, c], unclaimed: [b.id] })).gathered).toEqual([c.id]);
  });

  test('a combined message omits escalation steps if the alarm is acknowledged', async () => {
    const [b, c] = [offline('b', { isStep: true }), offline('c')];
    const hits = { 11: { acknowledgement: { name: 'Ben' } } };
    expect((await gather(offline('a'), { due: [b, c], hits })).gathered).toEqual([c.id]);
  });

  test('enqueues a task for deliveries without one, in case this process dies', async () => {
    const [b, c] = [offline('b'), offline('c')];
    const { enqueued } = await gather(offline('a'), { due: [b, c], indexed: [c.id] });
    expect(enqueued).toMatchObject([[[{ type: 'deliver', deliveryId: c.id, isRetry: true }], 30]]);
    expect(enqueued[0]?.[0]).toHaveLength(1);
  });

  test('a combined message replaces up to 500 deliveries', async () => {
    const due = Array.from({ length: 510 }, (_, at) => offline(`s${at}`));
    expect((await gather(offline('a'), { due })).gathered).toHaveLength(499);
  });

  test('a combined message includes deliveries created before the clock was set back', async () => {
    const { asked } = await gather(offline('a', {}, NOW + 90_000), {});
    expect(asked).toEqual([[customerId, [NOW - 60_000, NOW + 90_000], NOW, 5_000]]);
  });

  test('one message covers deliveries to all users in a Telegram chat', async () => {
    const first = offline('a', telegram(21));
    const due = [offline('b', telegram(22)), offline('c', telegram(23)), offline('d', telegram(21)), offline('e')];
    const channel = { by: 'telegram', address: '-100' };
    const chats = { 21: '-100', 22: '-100', 23: '-200' };
    const { gathered } = await gather(first, { due, chats }, channel);
    expect(gathered).toEqual([due[0]?.id, due[2]?.id]);
    // The person cannot be reached, so nothing is known about the chat.
    expect((await gather(first, { due, chats }, null)).gathered).toEqual([due[2]?.id]);
    const mailed = await gather(offline('a'), {
      due: [offline('b', { person: { userId: 22, by: 'email', name: '' } })],
    });
    expect(mailed.gathered).toEqual([]);
  });
});

describe('a Telegram chat report', () => {
  const channel = { by: 'telegram', address: '-100' };
  const update = async (outcome: unknown, of: object = channel, deliveries = [deliveryTo('telegram')]) => {
    const { deps, calls, logged } = deliveryStubs({ users: { 21: user, 22: { ...user, id: 22, customerId: null } } });
    await updateChannels(deps, deliveries, some(of), some(outcome as object));
    return { calls, logged };
  };

  test('a refusal by Telegram marks the channel of each user in the chat as undeliverable', async () => {
    const deliveries = [21, 22, 22, 23].map((userId) => deliveryTo('telegram', telegram(userId)));
    const { calls, logged } = await update({ refused: 'Forbidden', answer: 'blocked' }, channel, deliveries);
    const mark = { sentAt: NOW, date: NOW, reason: 'blocked' };
    expect(calls).toEqual([
      ['markUndeliverable', { customerId, userId: 21 }, 'telegram', mark],
      ['markUndeliverable', { customerId: null, userId: 22 }, 'telegram', mark],
    ]);
    expect(logged).toMatchObject([
      ['info', expect.any(String), { userId: 21, reason: 'blocked', isMoved: false }],
      ['info', expect.any(String), { userId: 22 }],
    ]);
  });

  test("a Telegram response that reports a group's new id updates the channel", async () => {
    const moved = await update({ movedTo: '-200' });
    expect(moved.calls).toEqual([
      ['recordReached', { customerId, userId: 21 }, 'telegram', { from: '-100', to: '-200' }],
    ]);
    expect(moved.logged).toMatchObject([['info', expect.any(String), { reason: null, isMoved: true }]]);
    const again = await update('accepted', { ...channel, undeliverableDate: 5 });
    expect(again.calls).toMatchObject([['recordReached', {}, 'telegram', { from: '-100', to: '-100' }]]);
  });

  test.each([
    ['a message was accepted as usual', 'accepted', channel],
    ['the message is to be retried', { retry: 'Busy' }, { ...channel, undeliverableDate: 5 }],
    ['the chat is gone', 'gone', channel],
    ['another service refused a message', { refused: 'x', answer: 'y' }, { by: 'sms', address: '+49' }],
  ])('a Telegram response changes nothing if %s', async (_, outcome, of) => {
    expect((await update(outcome, of)).calls).toEqual([]);
  });
});
