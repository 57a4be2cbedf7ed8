import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { store } from '#shared/store/store.ts';
import { channelsOf, nextNumber, proveChannel, setChannel, startWithChannels } from '#test/fixtures/channels.ts';

let place: Awaited<ReturnType<typeof startWithChannels>>;
beforeAll(async () => {
  place = await startWithChannels();
});
afterAll(() => place.cloud.stop());

const wrongFor = (code: string): string => (code === '123456' ? '654321' : '123456');

describe('a verification code', () => {
  test('a code expires after five attempts, even concurrent ones', async () => {
    const { client } = await place.hire();
    const address = nextNumber();
    await setChannel(client, 'sms', { address });
    const code = place.codeFor(address);
    const wrong = await Promise.all(Array.from({ length: 50 }, () => proveChannel(client, 'sms', wrongFor(code))));
    expect(new Set(wrong.map(({ status, text }) => `${status} ${text}`)).size).toBe(1);
    expect((await proveChannel(client, 'sms', code)).text).toBe(wrong[0]?.text);
    expect(await channelsOf(client)).toEqual([
      { by: 'sms', address, provenDate: null, undeliverableDate: null, undeliverableReason: null },
    ]);
  });

  test('a code submitted in 50 concurrent requests works only once', async () => {
    const { client } = await place.hire();
    const address = nextNumber();
    await setChannel(client, 'sms', { address });
    const all = await Promise.all(
      Array.from({ length: 50 }, () => proveChannel(client, 'sms', place.codeFor(address))),
    );
    expect(all.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(all.filter(({ status }) => status === 400)).toHaveLength(49);
  });

  test('a code expires after ten minutes', async () => {
    const { client } = await place.hire();
    const address = nextNumber();
    await setChannel(client, 'sms', { address });
    place.setAhead(10 * 60_000 + 1);
    expect((await proveChannel(client, 'sms', place.codeFor(address))).status).toBe(400);
  });

  test('requesting a new code invalidates the previous one', async () => {
    const { client } = await place.hire();
    const address = nextNumber();
    await setChannel(client, 'sms', { address });
    const first = place.codeFor(address);
    await setChannel(client, 'sms', { address });
    const second = place.codeFor(address);
    if (first !== second) expect((await proveChannel(client, 'sms', first)).status).toBe(400);
    expect((await proveChannel(client, 'sms', second)).status).toBe(200);
  });

  test('every malformed code returns 400', async () => {
    const { client } = await place.hire();
    await setChannel(client, 'sms', { address: nextNumber() });
    for (const code of ['', '12345', '１２３４５６', '\ud800', '__proto__', 'x'.repeat(65), 123_456, null, ['1'], {}])
      expect([code, (await proveChannel(client, 'sms', code)).status]).toEqual([code, 400]);
  });

  test('codes appear neither in the table nor in responses', async () => {
    const { client, id } = await place.hire();
    const address = nextNumber();
    const { text } = await setChannel(client, 'sms', { address });
    const ids = { customerId: place.home.customerId, userId: id };
    const kept = await store(place.cloud.runtime.table).channels.tryCode(ids, 'sms', place.now());
    expect(JSON.stringify(kept)).toContain(address);
    expect(JSON.stringify(kept) + text + JSON.stringify(await channelsOf(client))).not.toContain(
      place.codeFor(address),
    );
  });

  test('a user gets at most five codes an hour, even with concurrent requests', async () => {
    const { client } = await place.hire();
    const before = place.said.length;
    const all = await Promise.all(
      Array.from({ length: 50 }, (_, at) => setChannel(client, 'email', { address: `anna${at}@example.com` })),
    );
    expect(all.filter(({ status }) => status === 200)).toHaveLength(5);
    expect(place.said.length - before).toBe(5);
    const refused = all.filter(({ status }) => status === 429);
    expect(refused).toHaveLength(45);
    expect(Number(refused[0]?.headers.get('retry-after'))).toBeGreaterThan(3_000);
    place.setAhead(3_600_000);
    expect((await setChannel(client, 'email', { address: 'anna@example.com' })).status).toBe(200);
  });

  test('an address gets at most five codes an hour, across users and spellings', async () => {
    const statuses: number[] = [];
    for (const address of ['Victim@example.com', ...Array<string>(5).fill('victim@example.com')])
      statuses.push((await setChannel((await place.hire()).client, 'email', { address })).status);
    expect(statuses).toEqual([200, 200, 200, 200, 200, 429]);
  });

  test('a user gets at most five codes a day by SMS', async () => {
    const { client } = await place.hire();
    const request = () => setChannel(client, 'sms', { address: nextNumber() });
    for (let code = 0; code < 5; code++) expect((await request()).status).toBe(200);
    place.setAhead(3_600_000);
    const refused = await request();
    expect(refused.status).toBe(429);
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(80_000);
    expect((await setChannel(client, 'telegram', { address: '4711' })).status).toBe(200);
  });
});
