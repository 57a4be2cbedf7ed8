import { describe, expect, test } from 'vitest';
import { CODE_TRIES } from '#shared/domain/people/channel.ts';
import { items } from '#shared/store/table.ts';
import { memoryStore } from '#test/fixtures/memory-store.ts';
import { now, pushed } from '#test/fixtures/store-items.ts';

const user = { customerId: 3, userId: 7 };
const sms = { by: 'sms', address: '+491701234567', provenDate: null } as const;
const code = { hash: 'c1', expires: now + 1_000 };

const createWorld = async () => {
  const { its, table } = memoryStore();
  await table.write({ put: { ...items.user(user), id: 7 } });
  return { its, table, channels: its.channels };
};

test('a channel belongs to a user, and cannot be added to a deleted user', async () => {
  const { channels, table } = await createWorld();
  expect(await channels.put(user, sms, code)).toBe(true);
  expect(await channels.list(user)).toEqual([sms]);
  for (const other of [
    { ...user, userId: 8 },
    { ...user, customerId: 4 },
    { customerId: null, userId: 7 },
  ]) {
    expect(await channels.list(other)).toEqual([]);
    expect(await channels.put(other, sms, code)).toBe(false);
  }
  await table.write({ remove: items.user(user) });
  expect(await channels.put(user, { ...sms, address: '+49' }, code)).toBe(false);
  expect(await channels.list(user)).toEqual([sms]);
});

test('a channel for a user without a customer does not belong to a customer either', async () => {
  const { channels, table } = await createWorld();
  const nobodys = { customerId: null, userId: 9 };
  await table.write({ put: { ...items.user({ customerId: 0, userId: 9 }) } });
  expect(await channels.put(nobodys, sms, null)).toBe(true);
  expect(await channels.list(nobodys)).toEqual([sms]);
});

test('a channel is used only after verification', async () => {
  const { channels } = await createWorld();
  await channels.put(user, sms, code);
  expect(await channels.verifiedOf(user)).toEqual([]);
  expect(await channels.verify(user, 'sms', 'another', now)).toBe(false);
  expect(await channels.verify(user, 'sms', 'c1', now)).toBe(true);
  expect(await channels.verifiedOf(user)).toEqual([{ by: 'sms', address: sms.address }]);
  expect(await channels.verify(user, 'sms', 'c1', now + 1)).toBe(false);
  expect(await channels.list(user)).toEqual([{ ...sms, provenDate: now }]);
});

test('a push channel needs the push service key', async () => {
  const { channels, its } = await createWorld();
  await channels.put(user, pushed, null);
  expect(await channels.verifiedOf(user)).toEqual([]);
  await its.pushKeys.keep({ publicKey: 'p', sealed: 's' });
  const key = { publicKey: 'p', sealed: 's' };
  expect(await channels.verifiedOf(user)).toEqual([{ by: 'push', subscription: pushed.subscription, key }]);
});

test('a channel can be removed only once', async () => {
  const { channels } = await createWorld();
  await channels.put(user, sms, code);
  expect([await channels.remove(user, 'email'), await channels.remove(user, 'sms')]).toEqual([false, true]);
  expect(await channels.remove(user, 'sms')).toBe(false);
});

test('a channel code can be tried five times until it expires', async () => {
  const { channels } = await createWorld();
  await channels.put(user, sms, code);
  expect(await channels.tryCode(user, 'sms', now + 1_000)).toBeNull();
  expect(await channels.tryCode(user, 'sms', now + 999)).toMatchObject({ codeHash: 'c1', tries: 1 });
  for (let n = 1; n < CODE_TRIES; n++) expect(await channels.tryCode(user, 'sms', now)).not.toBeNull();
  expect(await channels.tryCode(user, 'sms', now)).toBeNull();
  await channels.put(user, sms, { ...code, hash: 'c2' });
  expect(await channels.tryCode(user, 'sms', now)).toMatchObject({ codeHash: 'c2', tries: 1 });
});

test('a channel code cannot be tried after verification or without a channel', async () => {
  const { channels } = await createWorld();
  expect(await channels.tryCode(user, 'sms', now)).toBeNull();
  await channels.put(user, sms, code);
  await channels.verify(user, 'sms', 'c1', now);
  expect(await channels.tryCode(user, 'sms', now)).toBeNull();
  expect(await channels.list(user)).toHaveLength(1);
});

describe('undeliverable channels', () => {
  const report = { sentAt: now, date: now + 5, reason: 'unknown' };
  const verified = async (provenDate: number | null) => {
    const world = await createWorld();
    await world.channels.put(user, { ...sms, provenDate }, null);
    return world.channels;
  };
  test('an undeliverable channel is marked if it was verified before the message failed', async () => {
    const marked = await verified(now);
    expect(await marked.markUndeliverable(user, 'sms', report)).toBe(true);
    const undeliverable = { undeliverableDate: now + 5, undeliverableReason: 'unknown' };
    expect(await marked.list(user)).toEqual([{ ...sms, provenDate: now, ...undeliverable }]);
    expect(await marked.verifiedOf(user)).toEqual([{ by: 'sms', address: sms.address, undeliverableDate: now + 5 }]);
    expect(await (await verified(now + 1)).markUndeliverable(user, 'sms', report)).toBe(false);
    expect(await (await createWorld()).channels.markUndeliverable(user, 'sms', report)).toBe(false);
  });

  test('an undeliverable channel is unmarked once a message arrives or the channel is verified again', async () => {
    const reached = await verified(now);
    await reached.markUndeliverable(user, 'sms', report);
    expect(await reached.recordReached(user, 'sms', { from: 'another', to: 'new' })).toBe(false);
    expect(await reached.recordReached(user, 'sms', { from: sms.address, to: 'new' })).toBe(true);
    expect(await reached.list(user)).toEqual([{ ...sms, address: 'new', provenDate: now }]);
    const again = await verified(now);
    await again.markUndeliverable(user, 'sms', report);
    await again.put(user, { ...sms, provenDate: null, undeliverableDate: now } as never, code);
    await again.verify(user, 'sms', 'c1', now + 9);
    expect(await again.list(user)).toEqual([{ ...sms, provenDate: now + 9 }]);
  });
});

test('the push message key is stored only once and then cached', async () => {
  const commands: string[] = [];
  const { pushKeys } = memoryStore((command) => void commands.push(command)).its;
  expect(await pushKeys.get()).toBeNull();
  await pushKeys.keep({ publicKey: 'p1', sealed: 's1' });
  await pushKeys.keep({ publicKey: 'p2', sealed: 's2' });
  expect(await pushKeys.get()).toMatchObject({ publicKey: 'p1', sealed: 's1' });
  commands.length = 0;
  expect(await pushKeys.get()).toMatchObject({ publicKey: 'p1' });
  expect(commands).toEqual([]);
});

describe('people to notify', () => {
  const put = async (customerId: number, fields: object = {}) => {
    const world = memoryStore();
    await world.table.write({ put: { ...items.user({ customerId, userId: 7 }), id: 7, isAdmin: false, ...fields } });
    await world.table.write({ put: { ...items.owner({ kind: 'user', id: 7 }), customerId } });
    return world.its.recipients;
  };
  test('a person to notify must be a user of the customer or a system admin', async () => {
    expect(await (await put(3)).person(3, 7)).toMatchObject({ id: 7 });
    expect(await (await put(4)).person(3, 7)).toBeNull();
    expect(await (await put(4, { isAdmin: true })).person(3, 7)).toMatchObject({ id: 7 });
    expect(await (await put(0, { isAdmin: true })).person(3, 7)).toMatchObject({ id: 7 });
    expect(await (await put(3)).person(3, 8)).toBeNull();
  });

  test("only the customer's own webhooks and bots can be recipients", async () => {
    const { its, table } = memoryStore();
    for (const customerId of [3, 4]) {
      await table.write({ put: { ...items.webhook({ customerId, webhookId: 'w' }), id: 'w', customerId } });
      await table.write({ put: { ...items.bot({ customerId, botId: 1 }), id: 1, customerId } });
    }
    const { webhooks, bots } = await its.recipients.webhooks(3, new Set(['w', 'x']), new Set([1, 2]));
    expect([...webhooks.keys(), ...bots.keys()]).toEqual(['w', 1]);
    expect([webhooks.get('w'), bots.get(1)]).toMatchObject([{ customerId: 3 }, { customerId: 3 }]);
  });
});
