import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { store } from '#shared/store/store.ts';
import {
  channelsOf,
  nextNumber,
  pathsOf,
  proveChannel,
  setChannel,
  startWithChannels,
} from '#test/fixtures/channels.ts';
import { logIn } from '#test/fixtures/client.ts';
import { createHome } from '#test/fixtures/home.ts';

let place: Awaited<ReturnType<typeof startWithChannels>>;
beforeAll(async () => {
  place = await startWithChannels();
});
afterAll(() => place.cloud.stop());

/** No message to the channel was undeliverable. */
const works = { undeliverableDate: null, undeliverableReason: null };

describe('a channel', () => {
  test.each([
    ['email', 'anna@example.com'],
    ['sms', '+491601234567'],
    ['telegram', '-1001234567890'],
  ] as const)('a six-digit code verifies the %s channel only once', async (by, address) => {
    const { client } = await place.hire();
    expect((await setChannel(client, by, { address })).body).toEqual({ by, address, provenDate: null, ...works });
    expect(await channelsOf(client)).toEqual([{ by, address, provenDate: null, ...works }]);
    const code = place.codeFor(address);
    expect((await proveChannel(client, by, code)).body).toEqual({
      by,
      address,
      provenDate: expect.any(Number),
      ...works,
    });
    expect(await channelsOf(client)).toEqual([{ by, address, provenDate: expect.any(Number), ...works }]);
    expect((await proveChannel(client, by, code)).status).toBe(400);
    await client.ok('DELETE', `/users/me/channels/${by}`);
    expect(await channelsOf(client)).toEqual([]);
    expect((await client.call('DELETE', `/users/me/channels/${by}`)).status).toBe(404);
  });

  test("the message with a verification code asks for consent in the user's language", async () => {
    const { client } = await place.hire({ locale: 'de' });
    const address = nextNumber();
    await setChannel(client, 'sms', { address });
    expect(place.said.at(-1)).toMatch(/^message to \+\d+: Ihr Code für Sensor Cloud: \d{6}\n.*stimmen Sie zu/);
  });

  test('a channel stays verified unless the address changes', async () => {
    const { client } = await place.hire();
    const address = nextNumber();
    await setChannel(client, 'sms', { address });
    await proveChannel(client, 'sms', place.codeFor(address));
    const before = place.said.length;
    expect((await setChannel(client, 'sms', { address })).body).toMatchObject({ provenDate: expect.any(Number) });
    expect(place.said.length).toBe(before);
    const moved = nextNumber();
    expect((await setChannel(client, 'sms', { address: moved })).body).toMatchObject({
      address: moved,
      provenDate: null,
    });
  });

  test('a channel rejects codes sent to another address or user', async () => {
    const nurse = await place.hire();
    const colleague = await place.hire();
    const first = nextNumber();
    const second = nextNumber();
    await setChannel(nurse.client, 'sms', { address: first });
    const code = place.codeFor(first);
    await setChannel(nurse.client, 'sms', { address: second });
    expect((await proveChannel(nurse.client, 'sms', code)).status).toBe(place.codeFor(second) === code ? 200 : 400);
    await setChannel(colleague.client, 'sms', { address: first });
    expect((await proveChannel(colleague.client, 'sms', code)).status).toBe(place.codeFor(first) === code ? 200 : 400);
  });

  test.each([
    ['email', ['', 'anna', 'a@b', 'anna@example.com\r\nBcc: b@example.com', '\ud800@example.com', 'a'.repeat(255)]],
    ['sms', ['', '0170123456', '+0170123456', '+49 170 1234567', '+491', '+1234567890123456', '+49170123456７', '%00']],
    ['telegram', ['', '@anna', '0', '-', '--1', '1.5', '1e5', '9'.repeat(20), '__proto__']],
    ['push', ['https://push.example.com']],
  ] as const)('returns 400 for invalid %s addresses', async (by, addresses) => {
    const { client } = await place.hire();
    for (const address of [...addresses, 7, null, {}, []]) {
      const answer = await setChannel(client, by, { address });
      expect([address, answer.status]).toEqual([address, 400]);
    }
    expect(pathsOf(await setChannel(client, by, {}))).toEqual([by === 'push' ? 'subscription' : 'address']);
    expect(await channelsOf(client)).toEqual([]);
  });

  test('returns 400 for unknown channel kinds', async () => {
    for (const by of ['fax', 'constructor', '__proto__', 'EMAIL'])
      expect((await setChannel(place.home.client, by, { address: 'a@example.com' })).status).toBe(400);
  });

  test("returns 404 for a colleague's channel, even to system admins", async () => {
    const { id, client } = await place.hire();
    const address = nextNumber();
    await setChannel(client, 'sms', { address });
    for (const stranger of [place.home.client, place.admin, (await place.hire()).client]) {
      const unknown = await stranger.call('DELETE', '/users/987654321/channels/sms');
      const calls = [
        setChannel(stranger, 'sms', { address: nextNumber() }, id),
        proveChannel(stranger, 'sms', place.codeFor(address), id),
        stranger.call('DELETE', `/users/${id}/channels/sms`),
        stranger.call('PUT', `/users/${id}/duty`, { until: place.now() + 1_000 }),
      ];
      for (const { status, text } of await Promise.all(calls)) expect([status, text]).toEqual([404, unknown.text]);
    }
    expect(await channelsOf(client)).toEqual([{ by: 'sms', address, provenDate: null, ...works }]);
  });

  test("manage_users shows other users' channels, but not the addresses", async () => {
    const { id, client } = await place.hire();
    await setChannel(client, 'sms', { address: nextNumber() });
    for (const manager of [place.home.client, place.admin])
      expect(await manager.ok('GET', `/users/${id}/channels`)).toEqual([{ by: 'sms', provenDate: null, ...works }]);
    const colleague = await place.hire();
    expect((await colleague.client.call('GET', `/users/${id}/channels`)).status).toBe(403);
    const elsewhere = await createHome(place.admin, `elsewhere-${id}`, ['manage_users']);
    for (const [stranger, userId] of [[elsewhere.client, id] as const, [place.home.client, 987_654_321] as const])
      expect((await stranger.call('GET', `/users/${userId}/channels`)).status).toBe(404);
  });

  describe('an undeliverable channel', () => {
    const createUndeliverable = async () => {
      const { id: userId, client } = await place.hire();
      const address = nextNumber();
      const ids = { customerId: place.home.customerId, userId };
      const { channels } = store(place.cloud.runtime.table);
      await channels.put(ids, { by: 'sms', address, provenDate: 1 }, null);
      const report = { sentAt: 2, date: 3, reason: 'TEXT_INVALID' };
      expect(await channels.markUndeliverable(ids, 'sms', report)).toBe(true);
      return { ids, client, address, channels, report };
    };
    const broken = { by: 'sms', provenDate: 1, undeliverableDate: 3, undeliverableReason: 'TEXT_INVALID' };

    test('an undeliverable channel stays in use until the user verifies it again', async () => {
      const { ids, client, address, channels, report } = await createUndeliverable();
      expect(await channelsOf(client)).toEqual([{ ...broken, address }]);
      expect((await setChannel(client, 'sms', { address })).body).toEqual({ ...broken, address });
      expect(await channels.verifiedOf(ids)).toEqual([{ by: 'sms', address, undeliverableDate: 3 }]);
      await proveChannel(client, 'sms', place.codeFor(address));
      const proven = [{ by: 'sms', address, provenDate: expect.any(Number), ...works }];
      expect(await channelsOf(client)).toEqual(proven);
      // A report about an earlier message does not affect the channel.
      expect(await channels.markUndeliverable(ids, 'sms', report)).toBe(false);
      expect(await channelsOf(client)).toEqual(proven);
    });

    test('a channel with a new address is no longer marked as undeliverable', async () => {
      const { ids, client, channels, report } = await createUndeliverable();
      const address = nextNumber();
      expect((await setChannel(client, 'sms', { address })).body).toEqual({
        by: 'sms',
        address,
        provenDate: null,
        ...works,
      });
      expect(await channels.markUndeliverable(ids, 'sms', report)).toBe(false);
      expect(await channelsOf(client)).toEqual([{ by: 'sms', address, provenDate: null, ...works }]);
      expect(await channels.markUndeliverable(ids, 'email', report)).toBe(false);
    });
  });

  test('an access token can read a channel, but not change it', async () => {
    const { client } = await place.hire();
    const { token } = await client.ok<{ token: string }>('POST', '/users/me/access-tokens', { name: 'n' });
    const program = client.as(token);
    expect(await channelsOf(program)).toEqual([]);
    expect((await setChannel(program, 'sms', { address: nextNumber() })).status).toBe(403);
    expect((await proveChannel(program, 'sms', '123456')).status).toBe(403);
    expect((await program.call('DELETE', '/users/me/channels/sms')).status).toBe(403);
  });

  test('deleting the user deletes the channels', async () => {
    const { id, client } = await place.hire();
    const { channels, duty } = store(place.cloud.runtime.table);
    const ids = { customerId: place.home.customerId, userId: id };
    await setChannel(client, 'sms', { address: nextNumber() });
    await client.ok('PUT', '/users/me/duty', { until: place.now() + 1_000_000 });
    await place.home.client.ok('DELETE', `/users/${id}`);
    expect([await channels.list(ids), await duty.get(place.home.customerId)]).toEqual([[], { own: [], roster: [] }]);
    expect(await channels.put(ids, { by: 'sms', address: '+49', provenDate: 1 }, null)).toBe(false);
    expect(await duty.begin(place.home.customerId, { userId: id, until: 1 })).toBe(false);
  });
});

test('a user without a customer cannot go on duty', async () => {
  const own = await logIn(place.admin.as(undefined), 'admin', 'correct-horse-battery');
  expect((await setChannel(own, 'sms', { address: nextNumber() })).status).toBe(200);
  expect((await own.call('PUT', '/users/me/duty', { until: place.now() + 1_000 })).status).toBe(409);
  expect((await own.call('DELETE', '/users/me/duty')).status).toBe(409);
});
