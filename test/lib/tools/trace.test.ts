import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Receiver, startReceiver } from '#lib/home/receiver.ts';
import type { Cloud } from '#lib/local/cloud.ts';
import { traceOf, traceText, type Wanted } from '#lib/tools/trace/trace.ts';
import { store } from '#shared/store/store.ts';
import type { Client } from '#test/fixtures/client.ts';
import { startTestCloud } from '#test/fixtures/cloud.ts';
import { ALL_PERMISSIONS, adminOf, createAlarm, createHome, fallMessage, linkSensor } from '#test/fixtures/home.ts';

let cloud: Cloud;
let receiver: Receiver;
let admin: Client;
/** The receiver answers its first request with an error. */
beforeAll(async () => {
  [cloud, receiver] = await Promise.all([
    startTestCloud({ environment: { RETRY_SCHEDULE: '0,0' } }),
    startReceiver((_, response, count) => void response.writeHead(count === 1 ? 503 : 200).end('a secret answer')),
  ]);
  admin = await adminOf(cloud.url);
});
afterAll(async () => {
  await Promise.all([cloud.stop(), receiver.stop()]);
});

const trace = (kind: Wanted['kind'], id: string, known: Wanted['known'] = {}) =>
  traceOf(cloud.runtime.table, { kind, id, known }, Date.now());
type Traced = Awaited<ReturnType<typeof trace>>;
const of = ({ steps }: Traced, name: string) => steps.filter(({ step }) => step === name).map(({ says }) => says);

/** A customer with rules of all kinds, whose sensor told of a fall that reached its webhook with the second attempt. */
const fallen = async (name: string) => {
  const home = await createHome(admin, name, ALL_PERMISSIONS);
  const { client } = home;
  const sensor = await linkSensor(client);
  const { rule, webhook } = await createAlarm(client, receiver.url);
  const {
    id: _,
    createDate: __,
    updateDate: ___,
    customerId: ____,
    ...body
  } = await client.ok<Record<string, unknown>>('GET', `/rules/${rule.id}`);
  const more = async (change: object) => (await client.ok<{ id: number }>('POST', '/rules', { ...body, ...change })).id;
  const sunday = { days: [7], from: '00:00', to: '00:00', timeZone: 'UTC' };
  const monday = { ...sunday, days: [1] };
  const isSunday = new Date().getUTCDay() === 0;
  const rules = {
    fired: rule.id,
    off: await more({ isEnabled: false }),
    scheduled: await more({ schedule: isSunday ? monday : sunday }),
    other: await more({ situation: 'bed_left' }),
  };
  const before = receiver.received.length;
  await sensor.device.ok('POST', `/devices/${sensor.sensorId}/messages`, fallMessage('calling', Date.now()));
  await receiver.until(before + 1);
  await cloud.idle();
  const { data } = await store(cloud.runtime.table).events.list(home.customerId, sensor.sensorId, Date.now(), {
    page: 0,
    perPage: 10,
  });
  return {
    home,
    sensor,
    rules,
    webhook,
    client,
    event: data.find(({ action }) => action === 'fall_detected')?.uuid ?? '',
  };
};
type Fallen = Awaited<ReturnType<typeof fallen>>;
let it: Fallen;
beforeAll(async () => {
  it = await fallen('trace');
});

test('an event is traced from its acceptance to the receiver, each step with the time since the step before', async () => {
  const told = await trace('event', it.event);
  expect(told).toMatchObject({ sensorId: it.sensor.sensorId, customerId: it.home.customerId, manufacturer: 'maker_a' });
  const names = told.steps.map(({ step }) => step).filter((name) => !name.startsWith('rule'));
  expect(names).toEqual(['accepted', 'decoded', 'event', 'judged', 'hit', 'delivery', 'attempt', 'attempt']);
  expect(of(told, 'decoded')).toEqual(['fall: calling']);
  expect(of(told, 'hit')[0]).toContain(`of rule ${it.rules.fired}: 1 of 1 messages were sent`);
  expect(of(told, 'delivery')[0]).toContain(`to webhook ${it.webhook.id}`);
  expect(of(told, 'attempt')).toEqual([expect.stringMatching(/^1: 503 in/), expect.stringMatching(/^2: 200 in/)]);
  for (const step of told.steps.slice(-4)) expect(step.after).toBeGreaterThanOrEqual(0);
});

test('a trace says when an event was evaluated, which is after its acceptance and before its deliveries', async () => {
  const { steps } = await trace('event', it.event);
  const at = (name: string) => steps.find(({ step }) => step === name)?.at ?? Number.NaN;
  expect(at('judged')).toBeGreaterThanOrEqual(at('accepted'));
  expect(at('judged')).toBeLessThanOrEqual(at('attempt'));
  expect(steps.find(({ step }) => step === 'judged')?.after).toBe(at('judged') - at('accepted'));
});

test('a trace of an event without hits and deliveries says where the time of its evaluation can be found', async () => {
  const { steps } = await trace('message', it.event);
  const active = steps.findIndex(({ says }) => says.startsWith('sensor/active'));
  expect(steps[active + 1]).toMatchObject({
    step: 'judged',
    at: null,
    says: expect.stringContaining('The logs have it'),
  });
});

test('each rule that watches the situation says whether it fired, and why not', async () => {
  const verdicts = of(await trace('event', it.event), 'rule');
  const why = (id: number) => verdicts.find((says) => says.startsWith(`${id} `));
  expect(why(it.rules.fired)).toMatch(/ fired$/);
  expect(why(it.rules.off)).toMatch(/ did not fire: it is switched off$/);
  expect(why(it.rules.scheduled)).toMatch(
    / did not fire: its schedule is 00:00 to 00:00 on days \d, and it was \w+day /,
  );
  expect(why(it.rules.other)).toBeUndefined();
  expect(of(await trace('event', it.event), 'rules')).toEqual(['1 more watch other situations, sensors or groups']);
});

test('the text of a trace has a line for each step, and no answers of receivers', async () => {
  const text = traceText(await trace('event', it.event));
  expect(text).toMatch(/\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{3}Z +\+\d+ ms {2}attempt {3}2: 200 in/);
  expect(text).not.toContain('a secret answer');
});

test('a message is traced with all of its events, a delivery with its event', async () => {
  const message = await trace('message', it.event);
  expect(of(message, 'event').map((says) => says.split(',')[0])).toEqual(
    expect.arrayContaining(['fall/fall_detected', 'sensor/active']),
  );
  const id = of(await trace('event', it.event), 'delivery')[0]?.split(' ')[0] ?? '';
  for (const known of [{}, { customerId: it.home.customerId, webhookId: it.webhook.id }]) {
    const delivery = await trace('delivery', id, known);
    expect(delivery.steps).toEqual((await trace('event', it.event)).steps);
  }
});

test('a replayed delivery is traced with the one that it repeats', async () => {
  const id = of(await trace('event', it.event), 'delivery')[0]?.split(' ')[0] ?? '';
  const { deliveryId } = await it.client.ok<{ deliveryId: string }>(
    'POST',
    `/webhooks/${it.webhook.id}/deliveries/${id}/redeliver`,
  );
  await cloud.idle();
  for (const told of [await trace('event', it.event), await trace('delivery', deliveryId)])
    expect(of(told, 'delivery').map((says) => says.replace(/ to webhook.*, /, ' '))).toEqual([
      expect.stringMatching(new RegExp(`^${id} for hit \\d+: delivered`)),
      expect.stringMatching(new RegExp(`^${deliveryId} repeats ${id}: delivered`)),
    ]);
});

test('a trace says when a rule was changed after the event, and after a further decision a note says what is unknown', async () => {
  const { client, sensor, home } = it;
  const start = Date.now();
  await sensor.device.ok('POST', `/devices/${sensor.sensorId}/messages`, fallMessage('finished', start - 1));
  await sensor.device.ok('POST', `/devices/${sensor.sensorId}/messages`, fallMessage('calling', start));
  await cloud.idle();
  const rule = await client.ok<Record<string, unknown>>('GET', `/rules/${it.rules.off}`);
  const { id, createDate: _, updateDate: __, customerId: ___, ...body } = rule;
  await client.ok('PUT', `/rules/${id}`, { ...body, isEnabled: true });
  const told = of(await trace('event', it.event, { sensorId: sensor.sensorId }), 'rule');
  expect(told.find((says) => says.startsWith(`${id} `))).toMatch(
    /did not fire: as it is now it would fire; it was changed at \S+Z, after the event$/,
  );
  const earlier = await trace('event', it.event, { customerId: home.customerId });
  expect(earlier.notes).toEqual([expect.stringMatching(/^The decision is kept no more: /)]);
});

test('a test delivery of a webhook is traced without an event', async () => {
  const { deliveryId } = await it.client.ok<{ deliveryId: string }>('POST', `/webhooks/${it.webhook.id}/test`);
  await cloud.idle();
  const told = await trace('delivery', deliveryId);
  expect(told.steps.map(({ step }) => step)).toEqual(['delivery', 'attempt']);
  expect(told.notes).toEqual(['It is a test of the webhook: there is no event.']);
});

test('an unknown id is refused with a sentence that says where else to look', async () => {
  const nowhere = '00000000-0000-4000-8000-000000000009';
  await expect(trace('event', nowhere)).rejects.toThrow(/^No sensor keeps anything under the uuid .* logs/);
  await expect(trace('delivery', '0'.repeat(26))).rejects.toThrow(/^No webhook .* kept for 30 days/);
});

test('a trace only reads', async () => {
  const refuse = async () => {
    throw new Error('a trace wrote');
  };
  const readOnly = { ...cloud.runtime.table, update: refuse, write: refuse };
  expect((await traceOf(readOnly, { kind: 'message', id: it.event, known: {} }, Date.now())).steps).not.toEqual([]);
});
