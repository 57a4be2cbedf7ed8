import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { systemClock } from '../lib/local/clock.ts';
import type { Cloud } from '../lib/local/cloud.ts';
import { type Receiver, startReceiver } from '../lib/local/demo/receiver.ts';
import { kinds, type Situation } from '../shared/domain/event.ts';
import { Custom1Payload, FullPayload, RawPayload } from '../shared/domain/payload.ts';
import { startTestCloud } from './fixtures/cloud.ts';
import { ALL_PERMISSIONS, adminOf, createHome, linkSensor } from './fixtures/home.ts';
import { a, b, room } from './fixtures/messages.ts';
import { type Row, rows } from './fixtures/table-of-events.ts';

// Every row of the table of events, for both makers: messages in; hits and payloads in three formats out.

let ahead = 0;
const now = () => Date.now() + ahead;
let cloud: Cloud;
let home: Awaited<ReturnType<typeof createHome>>;
const receivers = {} as Record<'full' | 'custom1' | 'raw', Receiver>;
const situations = Object.keys(kinds) as Situation[];

beforeAll(async () => {
  cloud = await startTestCloud({ clock: { ...systemClock, now } });
  home = await createHome(await adminOf(cloud.url), 'maple', ALL_PERMISSIONS);
  const { client } = home;
  const bot = await client.ok('POST', '/bots', { name: 'Nurse call' });
  const recipients: Record<string, object> = {};
  for (const format of ['full', 'custom1', 'raw'] as const) {
    receivers[format] = await startReceiver();
    const hook = { name: format, url: receivers[format].url, format, isCustomerHook: false, botId: bot.id };
    recipients[format] = { botId: bot.id, webhookId: (await client.ok('POST', '/webhooks', hook)).id };
  }
  for (const situation of situations) {
    const { custom1, ...others } = recipients;
    const told = Object.values(kinds[situation].code === null ? others : recipients);
    const texts = { name: situation, title: '{region}', message: '{sensor} {situation} {time} {location}' };
    await client.ok('POST', '/rules', { ...texts, situation, rateLimitSeconds: 0, recipients: told });
  }
});
afterAll(async () => {
  await Promise.all([cloud, ...Object.values(receivers)].map((one) => one.stop()));
});

const clear = () => {
  for (const receiver of Object.values(receivers)) receiver.received.length = 0;
};
const hits = async (sensorId: string) => {
  const path = `/customers/${home.customerId}/rule-hits?sensorId=${sensorId}&perPage=200`;
  const [page] = await home.client.ok<{ data: { id: number; situation: string; allSend: boolean }[] }[]>('GET', path);
  return page?.data ?? [];
};

/** Events are processed, then what came of them is delivered. */
const quiet = async () => {
  await cloud.idle();
  await cloud.idle();
};

const say = async (sensor: Awaited<ReturnType<typeof linkSensor>>, message: object): Promise<string> => {
  // Spaces that no JSON writer makes: Raw must have them too.
  const text = JSON.stringify(message).replace('{', '{  ');
  await sensor.device.ok('POST', `/devices/${sensor.sensorId}/messages`, text);
  await quiet();
  return text;
};

const play = async ({ maker, before = [], says, silence = 0, isNew = false }: Row) => {
  const sensor = await linkSensor(home.client, maker);
  await home.client.ok('PUT', `/sensors/${sensor.sensorId}/room`, room);
  const hello = maker === 'maker_a' ? a.state() : b.online(true);
  for (const message of isNew ? [] : [hello, ...before]) await say(sensor, message);
  const known = new Set((await hits(sensor.sensorId)).map(({ id }) => id));
  clear();
  const texts: string[] = [];
  for (const message of says) texts.push(await say(sensor, message));
  for (let minute = 0; minute < silence; minute++) {
    ahead += 60_000;
    await cloud.sweep();
    await quiet();
  }
  const fresh = (await hits(sensor.sensorId)).filter(({ id }) => !known.has(id));
  const { name } = await home.client.ok<{ name: string }>('GET', `/sensors/${sensor.sensorId}`);
  const bodies = (format: keyof typeof receivers) => receivers[format].received.map(({ body }) => body);
  // Silence is that of all sensors.
  const full = bodies('full').filter((body) => JSON.parse(body).sensor.id === sensor.sensorId);
  const custom1 = bodies('custom1').filter((body) => JSON.parse(body).sensorName === name);
  return { sensor, texts, fresh, full, custom1, raw: bodies('raw') };
};

const isByTime = ({ says }: Row) => says.length === 0;

test('the table has a row for every situation', () => {
  expect(Object.keys(rows).toSorted()).toEqual(situations.toSorted());
});

describe.each(Object.entries(rows))('%s', (situation, all) => {
  test.each(all)('of $maker: hits, and payloads as D2 says (%#)', async (row) => {
    const { sensor, texts, fresh, full, custom1, raw } = await play(row);
    expect(fresh.map((hit) => hit.situation).toSorted()).toEqual(row.gives.toSorted());

    expect(full).toHaveLength(row.gives.length);
    for (const body of full) {
      const payload = FullPayload.parse(JSON.parse(body));
      const kind = kinds[payload.rule?.situation ?? 'fall_loop'];
      expect(payload.event).toMatchObject({ type: kind.type, action: kind.action });
      expect(payload.event.raw).toEqual(isByTime(row) ? {} : JSON.parse(texts.at(-1) ?? ''));
      expect(payload.event.normalizedCoordinates !== null).toBe(row.hasPoint ?? false);
      expect(payload.sensor.id).toBe(sensor.sensorId);
      expect(payload.customer?.id).toBe(home.customerId);
      const rule = payload.rule;
      expect(rule).toMatchObject({ hasRegion: row.region !== undefined, regionName: row.region ?? '' });
      // The title is nothing but the name of the region: without one the situation's text stands in.
      expect(rule?.title).toBe(row.region ?? rule?.situationDescription);
    }

    const coded = row.gives.filter((one) => kinds[one].code !== null);
    expect(custom1.map((body) => JSON.parse(body).eventType).toSorted()).toEqual(
      coded.map((one) => kinds[one].code).toSorted(),
    );
    for (const body of custom1) {
      const payload = Custom1Payload.parse(JSON.parse(body));
      expect(payload.sensorId).toMatch(/^id_[\w-]{23}$/);
      expect([1, 2, 5, 6, 7, 8, 10, 11, 20, 21, 30, 31]).toContain(payload.eventType);
      expect(payload.normalizedCoordinates !== undefined).toBe(row.hasPoint ?? false);
    }

    // The message as it was sent, once, however many events came of it; nothing for what the service made.
    expect(raw).toEqual(isByTime(row) ? [] : texts.slice(-1));
    for (const body of raw) expect(RawPayload.safeParse(JSON.parse(body)).success).toBe(true);
    expect(situation in kinds).toBe(true);
  });
});
