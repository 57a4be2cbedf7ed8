import { afterAll, beforeAll, expect, test } from 'vitest';
import { createDeliveryWorld } from '#test/fixtures/deliveries.ts';
import { fallMessage } from '#test/fixtures/home.ts';

let world: Awaited<ReturnType<typeof createDeliveryWorld>>;
beforeAll(async () => {
  world = await createDeliveryWorld();
});
afterAll(() => world.stop());

const hook = { format: 'full', isCustomerHook: true } as const;

/** Creates a home with customer webhooks and their filters. `receivedBy` returns what a given webhook received. */
const furnish = async (filters: Readonly<Record<string, object>>) => {
  const home = await world.furnish();
  const { client, receiver } = home;
  for (const [name, filter] of Object.entries(filters))
    await client.ok('POST', '/webhooks', { ...hook, ...filter, name, url: receiver.url });
  /** Returns the distinct event actions that a webhook received. */
  const receivedBy = (name: string): string[] => {
    const bodies = receiver.received.map(({ body }) => JSON.parse(body));
    const own = bodies.filter(({ webhook }) => webhook.name === name);
    return [...new Set<string>(own.map(({ event }) => event.action))].toSorted();
  };
  return { ...home, receivedBy };
};

test('a customer webhook receives only events that match every filter', async () => {
  const { say, receivedBy } = await furnish({
    all: {},
    situations: { situations: ['fall_confirmed', 'fall_finished'] },
    types: { eventTypes: [1, 8] },
    both: { eventTypes: [1], situations: ['fall_finished'] },
    nulls: { eventTypes: null, situations: null, sensorGroupId: null },
  });
  const start = world.now();
  for (const status of ['fall_detected', 'fall_confirmed', 'calling', 'finished'])
    await say(fallMessage(status, start));
  const all = receivedBy('all');
  expect(all).toContain('fall_detected');
  expect(all).toContain('confirmed');
  expect(receivedBy('nulls')).toEqual(all);
  expect(receivedBy('situations')).toEqual(all.filter((kind) => ['confirmed', 'finished'].includes(kind)));
  expect(receivedBy('types')).toEqual(all.filter((kind) => ['fall_detected', 'active'].includes(kind)));
  expect(receivedBy('both')).toEqual([]);
});

test('a group filter covers the sensors in the group at the time of the event', async () => {
  const { client, receiver, sensorId, fall, receivedBy } = await furnish({});
  const group = await client.ok<{ id: number }>('POST', '/sensor-groups', { name: 'ward', sensorIds: [] });
  const ward = { ...hook, name: 'ward', sensorGroupId: group.id, url: receiver.url };
  await client.ok('POST', '/webhooks', ward);
  await fall();
  expect(receivedBy('ward')).toEqual([]);
  await client.ok('PUT', `/sensor-groups/${group.id}`, { name: 'ward', sensorIds: [sensorId] });
  await fall();
  expect(receivedBy('ward')).toEqual(['fall_detected']);
});

test('rejects filters with invalid values or for bot webhooks', async () => {
  const { client, receiver } = await furnish({});
  const bot = await client.ok<{ id: number }>('POST', '/bots', { name: 'b' });
  const base = { ...hook, name: 'n', url: receiver.url };
  const errorsOf = async (more: object) => {
    const { status, body } = await client.call('POST', '/webhooks', { ...base, ...more });
    return [status, ...((body as { errors?: { path: string }[] }).errors ?? []).map(({ path }) => path)];
  };
  const ofBot = { isCustomerHook: false, botId: bot.id };
  expect(await errorsOf({ ...ofBot, eventTypes: [1], situations: ['apnea'], sensorGroupId: 1 })).toEqual([
    400,
    'eventTypes',
    'situations',
    'sensorGroupId',
  ]);
  expect(await errorsOf({ eventTypes: [] })).toEqual([400, 'eventTypes']);
  expect(await errorsOf({ eventTypes: [3] })).toEqual([400, 'eventTypes.0']);
  expect(await errorsOf({ situations: ['nothing'] })).toEqual([400, 'situations.0']);
  expect(await errorsOf({ sensorGroupId: 987_654_321 })).toEqual([400, 'sensorGroupId']);
  const created = await client.ok<{ id: string }>('POST', '/webhooks', { ...base, situations: ['apnea'] });
  expect(created).toMatchObject({ situations: ['apnea'], eventTypes: null, sensorGroupId: null });
  expect(await client.ok('PUT', `/webhooks/${created.id}`, base)).toMatchObject({ situations: null });
});
