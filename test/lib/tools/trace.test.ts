import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Receiver, startReceiver } from '#lib/home/receiver.ts';
import type { Cloud } from '#lib/local/cloud.ts';
import { createTrace, formatTrace, type TraceSubject } from '#lib/tools/trace/trace.ts';
import { store } from '#shared/store/store.ts';
import type { Client } from '#test/fixtures/client.ts';
import { startTestCloud } from '#test/fixtures/cloud.ts';
import { ALL_PERMISSIONS, adminOf, createAlarm, createHome, fallMessage, linkSensor } from '#test/fixtures/home.ts';

let cloud: Cloud;
let receiver: Receiver;
let admin: Client;
/** The receiver responds to the first request with an error. */
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

const trace = (kind: TraceSubject['kind'], id: string, known: TraceSubject['known'] = {}) =>
  createTrace(cloud.runtime.table, { kind, id, known }, Date.now());
type Traced = Awaited<ReturnType<typeof trace>>;
const textsOf = ({ steps }: Traced, name: string) => steps.filter(({ step }) => step === name).map(({ says }) => says);

/** Creates a customer with different rules. Its sensor reported a fall that was delivered on the second attempt. */
const createFall = async (name: string) => {
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
let fall: Awaited<ReturnType<typeof createFall>>;
beforeAll(async () => {
  fall = await createFall('trace');
});

test('traces an event from acceptance to the receiver, with the delay of each step', async () => {
  const traced = await trace('event', fall.event);
  expect(traced).toMatchObject({
    sensorId: fall.sensor.sensorId,
    customerId: fall.home.customerId,
    manufacturer: 'maker_a',
  });
  const names = traced.steps.map(({ step }) => step).filter((name) => !name.startsWith('rule'));
  expect(names).toEqual(['accepted', 'decoded', 'event', 'evaluated', 'hit', 'delivery', 'attempt', 'attempt']);
  expect(textsOf(traced, 'decoded')).toEqual(['fall: calling']);
  expect(textsOf(traced, 'hit')[0]).toContain(`of rule ${fall.rules.fired}: 1 of 1 messages were sent`);
  expect(textsOf(traced, 'delivery')[0]).toContain(`to webhook ${fall.webhook.id}`);
  expect(textsOf(traced, 'attempt')).toEqual([
    expect.stringMatching(/^1: 503 in/),
    expect.stringMatching(/^2: 200 in/),
  ]);
  for (const step of traced.steps.slice(-4)) expect(step.after).toBeGreaterThanOrEqual(0);
});

test('shows when an event was evaluated, after its acceptance and before its deliveries', async () => {
  const { steps } = await trace('event', fall.event);
  const at = (name: string) => steps.find(({ step }) => step === name)?.at ?? Number.NaN;
  expect(at('evaluated')).toBeGreaterThanOrEqual(at('accepted'));
  expect(at('evaluated')).toBeLessThanOrEqual(at('attempt'));
  expect(steps.find(({ step }) => step === 'evaluated')?.after).toBe(at('evaluated') - at('accepted'));
});

test('shows where to find the evaluation time of an event without hits or deliveries', async () => {
  const { steps } = await trace('message', fall.event);
  const active = steps.findIndex(({ says }) => says.startsWith('sensor/active'));
  expect(steps[active + 1]).toMatchObject({
    step: 'evaluated',
    at: null,
    says: expect.stringContaining('The logs have it'),
  });
});

test('explains why each rule for the situation did or did not fire', async () => {
  const verdicts = textsOf(await trace('event', fall.event), 'rule');
  const why = (id: number) => verdicts.find((says) => says.startsWith(`${id} `));
  expect(why(fall.rules.fired)).toMatch(/ fired$/);
  expect(why(fall.rules.off)).toMatch(/ did not fire: it is disabled$/);
  expect(why(fall.rules.scheduled)).toMatch(
    / did not fire: its schedule is 00:00 to 00:00 on days \d, but it was \w+day /,
  );
  expect(why(fall.rules.other)).toBeUndefined();
  expect(textsOf(await trace('event', fall.event), 'rules')).toEqual([
    '1 more for other situations, sensors or groups',
  ]);
});

test('prints a line for each step, without receiver responses', async () => {
  const text = formatTrace(await trace('event', fall.event));
  expect(text).toMatch(/\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{3}Z +\+\d+ ms {2}attempt {7}2: 200 in/);
  expect(text).not.toContain('a secret answer');
});

test('traces a message with all its events, and a delivery with its event', async () => {
  const message = await trace('message', fall.event);
  expect(textsOf(message, 'event').map((says) => says.split(',')[0])).toEqual(
    expect.arrayContaining(['fall/fall_detected', 'sensor/active']),
  );
  const id = textsOf(await trace('event', fall.event), 'delivery')[0]?.split(' ')[0] ?? '';
  for (const known of [{}, { customerId: fall.home.customerId, webhookId: fall.webhook.id }]) {
    const delivery = await trace('delivery', id, known);
    expect(delivery.steps).toEqual((await trace('event', fall.event)).steps);
  }
});

test('traces a replay with the original delivery', async () => {
  const id = textsOf(await trace('event', fall.event), 'delivery')[0]?.split(' ')[0] ?? '';
  const { deliveryId } = await fall.client.ok<{ deliveryId: string }>(
    'POST',
    `/webhooks/${fall.webhook.id}/deliveries/${id}/redeliver`,
  );
  await cloud.idle();
  for (const traced of [await trace('event', fall.event), await trace('delivery', deliveryId)])
    expect(textsOf(traced, 'delivery').map((says) => says.replace(/ to webhook.*, /, ' '))).toEqual([
      expect.stringMatching(new RegExp(`^${id} for hit \\d+: delivered`)),
      expect.stringMatching(new RegExp(`^${deliveryId} replay of ${id}: delivered`)),
    ]);
});

test('shows a rule change made after the event', async () => {
  const { client, sensor, home } = fall;
  const start = Date.now();
  await sensor.device.ok('POST', `/devices/${sensor.sensorId}/messages`, fallMessage('finished', start - 1));
  await sensor.device.ok('POST', `/devices/${sensor.sensorId}/messages`, fallMessage('calling', start));
  await cloud.idle();
  const rule = await client.ok<Record<string, unknown>>('GET', `/rules/${fall.rules.off}`);
  const { id, createDate: _, updateDate: __, customerId: ___, ...body } = rule;
  await client.ok('PUT', `/rules/${id}`, { ...body, isEnabled: true });
  const verdicts = textsOf(await trace('event', fall.event, { sensorId: sensor.sensorId }), 'rule');
  expect(verdicts.find((says) => says.startsWith(`${id} `))).toMatch(
    /did not fire: its current version would fire; it was changed at \S+Z, after the event$/,
  );
  const earlier = await trace('event', fall.event, { customerId: home.customerId });
  expect(earlier.notes).toEqual([expect.stringMatching(/^The decision is no longer stored, /)]);
});

test('traces a test delivery without an event', async () => {
  const { deliveryId } = await fall.client.ok<{ deliveryId: string }>('POST', `/webhooks/${fall.webhook.id}/test`);
  await cloud.idle();
  const traced = await trace('delivery', deliveryId);
  expect(traced.steps.map(({ step }) => step)).toEqual(['delivery', 'attempt']);
  expect(traced.notes).toEqual(['This is a test of the webhook, without an event.']);
});

test('rejects an unknown id and suggests where else to search', async () => {
  const nowhere = '00000000-0000-4000-8000-000000000009';
  await expect(trace('event', nowhere)).rejects.toThrow(/^Nothing is stored under the uuid .* logs/);
  await expect(trace('delivery', '0'.repeat(26))).rejects.toThrow(/^No existing webhook .* kept for 30 days/);
});

test('never writes to the table', async () => {
  const refuse = async () => {
    throw new Error('a trace wrote');
  };
  const readOnly = { ...cloud.runtime.table, update: refuse, write: refuse };
  expect((await createTrace(readOnly, { kind: 'message', id: fall.event, known: {} }, Date.now())).steps).not.toEqual(
    [],
  );
});
