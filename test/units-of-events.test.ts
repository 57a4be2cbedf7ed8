import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { store } from '../shared/store/store.ts';
import { linkSensor } from './fixtures/home.ts';
import { a, room } from './fixtures/messages.ts';
import { createMetered, type Metered } from './fixtures/metered.ts';

let metered: Metered;
beforeAll(async () => {
  metered = await createMetered();
});
afterAll(() => metered.stop());

const text = () => metered.ledger.text();
const lines = () => metered.ledger.lines();

/** Creates a sensor with a webhook and rules that do not match falls, so that matching is all a fall costs. */
const prepare = async (name: string, maker: 'maker_a' | 'maker_b' = 'maker_a') => {
  const home = await metered.furnish(name, maker);
  const webhookId = await home.addWebhook();
  return { ...home, addRules: (count: number, more: object) => home.addRules(count, [webhookId], more) };
};
const call = () => a.fall('calling', metered.now());

describe('a fall without a matching rule', () => {
  test('a fall without a matching rule costs at most 5 write units, however many rules there are', async () => {
    const { client, addRules, say } = await prepare('maple');
    const other = await linkSensor(client);
    await addRules(1, { sensorId: other.sensorId });
    expect(await say(call()), text()).toMatchObject({ write: 5 });
    const units = await say(call());
    expect(units, text()).toEqual({ read: 6.5, write: 4 });
    await addRules(9, { sensorId: other.sensorId });
    expect(await say(call()), text()).toEqual(units);
    await addRules(490, { sensorId: other.sensorId });
    await addRules(500, { situation: 'empty_room' });
    expect(await say(call()), text()).toEqual(units);
  });

  test('a fall costs 1 read unit for each 4 KB of rules for the situation', async () => {
    const { addRules, say } = await prepare('birch');
    await say(call());
    await addRules(10, { isEnabled: false });
    const ten = await say(call());
    await addRules(90, { isEnabled: false });
    const hundred = await say(call());
    expect(hundred.write).toBe(ten.write);
    expect(hundred.read - ten.read).toBeGreaterThan(0);
    expect(hundred.read - ten.read, text()).toBeLessThanOrEqual(10);
  });
});

describe('another sensor message', () => {
  test('an unchanged room or configuration costs no read units', async () => {
    const { client, sensorId, say } = await prepare('cedar');
    await client.ok('PUT', `/sensors/${sensorId}/room`, room);
    await say(a.presence(true, { presenceRegionMap: { 0: 0, 1: 0 } }));
    await say(a.presence(true, { presenceRegionMap: { 0: 0, 1: 0 } }));
    expect(text()).not.toMatch(/room|config|rule/i);
    await say(a.presence(true, { presenceRegionMap: { 0: 1, 1: 0 } }));
    expect(lines()).toMatchObject({ 'get room': { calls: 1, read: 1 } });
    expect(text()).not.toMatch(/config/);
  });

  test('the sensor state costs 1 write unit and stays below 1 KB over a day of falls', async () => {
    const { customerId, sensorId, say } = await prepare('rowan');
    for (let at = 0; at < 10; at++) {
      const start = metered.now();
      for (const status of ['fall_detected', 'fall_confirmed', 'calling', 'finished']) await say(a.fall(status, start));
    }
    await say(call());
    for (let at = 0; at < 10; at++) {
      await say(call());
      expect(lines()['write sensorState'], text()).toMatchObject({ calls: 1, write: 1 });
    }
    expect((await store(metered.cloud.runtime.table).states.get(customerId, sensorId))?.falls).toHaveLength(6);
  });

  test('a suspected fall costs 1 read unit at the start, and no write units for timers or reports', async () => {
    const { say } = await prepare('alder');
    await say(call());
    const called = await say(call());
    const begun = await say(a.fall('fall_detected', metered.now()));
    expect(begun, text()).toEqual({ read: called.read + 1, write: called.write - 1 });
  });

  test('a 200 KiB message with 64 events costs 201 write units, plus 2 for each additional event', async () => {
    const { client, sensorId, say } = await prepare('hazel', 'maker_b');
    const moves = Array.from({ length: 64 }, (_, at) => ({ 'track-id': at, event: 3, area_type: 4, area_id: at }));
    const message = { cmd: 'event', type: 1, data: moves, filler: '' };
    const filler = 'x'.repeat(200 * 1_024 - Buffer.byteLength(JSON.stringify(message)));
    await say({ cmd: 'event', type: 5, data: { status: 0 } });
    await say({ ...message, filler });
    const { 'write message': bytes, 'write event': events, 'write sensorState': state } = lines();
    // The 63 additional units are for references from the other events.
    expect(bytes, text()).toMatchObject({ calls: 64, write: 201 + 63 });
    expect(events, text()).toMatchObject({ calls: 64, write: 64 });
    expect(state, text()).toMatchObject({ calls: 1, write: 18 });
    const path = `/sensors/${sensorId}/events?perPage=200`;
    metered.ledger.clear();
    const [page] = await client.ok<{ data: { type: string; raw: unknown }[] }[]>('GET', path);
    expect(page?.data.filter(({ type, raw }) => type === 'door' && raw === null)).toHaveLength(64);
    // A list reads the events in one query, without the long message.
    expect(metered.ledger.total().read, text()).toBeLessThanOrEqual(6);
  });
});

describe('a hit acknowledgement', () => {
  const prepareHit = async (name: string) => {
    const home = await metered.furnish(name);
    await home.addRules(1, [await home.addWebhook()]);
    await home.say(call());
    const list = `/customers/${home.customerId}/rule-hits`;
    const open = async () => {
      await home.say(call());
      const [page] = await home.client.ok<{ data: { id: number }[] }[]>('GET', `${list}?perPage=1`);
      return `${list}/${page?.data[0]?.id}/acknowledgement`;
    };
    return { ...home, open };
  };

  test('a hit acknowledgement by a user costs 17.5 read and 16 write units, and 5 and 1 when repeated', async () => {
    const { client, open } = await prepareHit('linden');
    const path = await open();
    const put = () => metered.costOf(60_000, () => client.ok('PUT', path, {}));
    expect(await put(), text()).toEqual({ read: 17.5, write: 16 });
    expect(await put(), text()).toEqual({ read: 5, write: 1 });
  });

  test('a hit acknowledgement in a response costs 10.5 read and 14 write units beyond the fall', async () => {
    const { say, answered } = await prepareHit('willow');
    expect(await say(call(), 3_600_000), text()).toEqual({ read: 10.5, write: 10 });
    answered['X-Acknowledged-By'] = 'Schwester Anna';
    expect(await say(call(), 3_600_000), text()).toEqual({ read: 10.5 + 10.5, write: 10 + 14 });
  });
});
