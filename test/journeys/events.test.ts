import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Receiver, startReceiver } from '#lib/home/receiver.ts';
import { skippingClock } from '#lib/local/clock.ts';
import type { Cloud } from '#lib/local/cloud.ts';
import { situations as nameOf } from '#shared/api/messages/situations-en.ts';
import type { Custom1Payload } from '#shared/domain/formats/custom-1-payload.ts';
import { Format } from '#shared/domain/formats/format.ts';
import { canExpressSituation, formats } from '#shared/domain/formats/formats.ts';
import type { FullPayload } from '#shared/domain/formats/full-payload.ts';
import { payloads } from '#shared/domain/formats/payloads.ts';
import { kinds, type Situation } from '#shared/domain/kinds.ts';
import { startTestCloud } from '../fixtures/cloud.ts';
import { type Row, rows } from '../fixtures/event-table.ts';
import { ALL_PERMISSIONS, adminOf, createHome, linkSensor } from '../fixtures/home.ts';
import { a, b, room } from '../fixtures/messages.ts';

// Every row in the event table, for both makers: messages in, hits and payloads in every format out. All sensors in the
// table send messages concurrently, each in order. The results are then checked row by row.

const clock = skippingClock(Date.now());
let cloud: Cloud;
let home: Awaited<ReturnType<typeof createHome>>;
const receivers = {} as Record<Format, Receiver>;
const situations = Object.keys(kinds) as Situation[];

const createRules = async () => {
  const { client } = home;
  const bot = await client.ok('POST', '/bots', { name: 'Nurse call' });
  const recipients: Record<string, object> = {};
  for (const format of Format.options) {
    receivers[format] = await startReceiver();
    const hook = { name: format, url: receivers[format].url, format, isCustomerHook: false, botId: bot.id };
    recipients[format] = { botId: bot.id, webhookId: (await client.ok('POST', '/webhooks', hook)).id };
  }
  for (const situation of situations) {
    const able = Format.options
      .filter((format) => canExpressSituation(format, situation))
      .map((format) => recipients[format]);
    const texts = { name: situation, title: '{region}', message: '{sensor} {situation} {time} {location}' };
    await client.ok('POST', '/rules', { ...texts, situation, rateLimitSeconds: 0, recipients: able });
  }
};

type Player = { row: Row; sensor: Awaited<ReturnType<typeof linkSensor>>; name: string; texts: string[] };
const create = async (row: Row): Promise<Player> => {
  const sensor = await linkSensor(home.client, row.maker);
  if (row.region !== undefined) await home.client.ok('PUT', `/sensors/${sensor.sensorId}/room`, room);
  const { name } = await home.client.ok<{ name: string }>('GET', `/sensors/${sensor.sensorId}`);
  return { row, sensor, name, texts: [] };
};

/** Resolves once all events are processed and their deliveries have been sent. */
const settled = async () => {
  await cloud.idle();
  await cloud.idle();
};

const say = async ({ sensor, texts }: Player, message: object): Promise<void> => {
  // Adds spaces that no JSON serializer would write, which Raw must preserve, and content unique to this sensor.
  const text = JSON.stringify({ of: sensor.sensorId, ...message }).replace('{', '{  ');
  await sensor.device.ok('POST', `/devices/${sensor.sensorId}/messages`, text);
  texts.push(text);
};

/** Sends all sensors' messages, round by round. */
const sayAll = async (players: readonly Player[], messagesOf: (row: Row) => readonly object[]) => {
  const rounds = Math.max(...players.map(({ row }) => messagesOf(row).length));
  for (let round = 0; round < rounds; round++) {
    await Promise.all(
      players.map(async (player) => {
        const message = messagesOf(player.row)[round];
        if (message) await say(player, message);
      }),
    );
    await settled();
  }
};

const pass = async (minutes: number) => {
  for (let minute = 0; minute < minutes; minute++) {
    clock.skipTo(clock.now() + 60_000);
    await cloud.sweep();
    await settled();
  }
};

const hits = async () => {
  const path = `/customers/${home.customerId}/rule-hits?perPage=200`;
  const [page] = await home.client.ok<{ data: { sensorId: string; situation: string }[] }[]>('GET', path);
  return page?.data ?? [];
};

/** Whether a payload is about a sensor, judging by the fields in that format. */
const isOf: Record<Format, (body: string, player: Player) => boolean> = {
  full: (body, { sensor }) => JSON.parse(body).sensor.id === sensor.sensorId,
  custom1: (body, { name }) => JSON.parse(body).sensorName === name,
  raw: (body, { sensor }) => JSON.parse(body).of === sensor.sensorId,
  chat: (body, { name }) => body.includes(`"Sensor","value":"${name}"`),
  teams: (body, { name }) => body.includes(`"text":"${name}"`),
};

const outcomeOf = (player: Player, all: Awaited<ReturnType<typeof hits>>) => {
  const { sensor, texts } = player;
  const deliveries = Format.options.map((format) => {
    const bodies = receivers[format].received.map(({ body }) => body);
    return [format, bodies.filter((body) => isOf[format](body, player))] as const;
  });
  return {
    sensor,
    texts,
    delivered: Object.fromEntries(deliveries) as Record<Format, string[]>,
    situations: all.filter(({ sensorId }) => sensorId === sensor.sensorId).map(({ situation }) => situation),
  };
};
const outcomes = new Map<Row, ReturnType<typeof outcomeOf>>();
const recordOutcomes = async (players: readonly Player[]) => {
  const all = await hits();
  for (const player of players) outcomes.set(player.row, outcomeOf(player, all));
};

const hello = ({ maker }: Row) => (maker === 'maker_a' ? a.state() : b.online(true));

beforeAll(async () => {
  cloud = await startTestCloud({ clock });
  home = await createHome(await adminOf(cloud.url), 'maple', ALL_PERMISSIONS);
  const all = await Promise.all(Object.values(rows).flat().map(create));
  // No rule exists yet, so no one is notified.
  await sayAll(all, (row) => (row.isNew ? [] : [hello(row), ...(row.before ?? [])]));
  await createRules();
  await sayAll(all, ({ says }) => says);
  await recordOutcomes(all.filter(({ row }) => !row.silence));
  await pass(7);
  await recordOutcomes(all.filter(({ row }) => row.silence));
});
afterAll(async () => {
  await Promise.all([cloud, ...Object.values(receivers)].map((server) => server.stop()));
});

test('the event table has a row for every situation', () => {
  expect(Object.keys(rows).toSorted()).toEqual(situations.toSorted());
});

describe.each(Object.entries(rows))('%s', (_, all) => {
  const of = (row: Row) => {
    const outcome = outcomes.get(row);
    if (!outcome) throw new Error('the row was not played');
    const isByTime = row.says.length === 0;
    const isInRaw = !isByTime && row.gives.some((situation) => canExpressSituation('raw', situation));
    return { ...outcome, isByTime, isInRaw, hasPoint: row.hasPoint ?? false };
  };

  test.each(all)('$maker: creates one hit per situation (%#)', (row) => {
    expect(of(row).situations.toSorted()).toEqual(row.gives.toSorted());
  });

  test.each(all)('$maker: sends one valid payload per situation in every format that can express it (%#)', (row) => {
    const { delivered, isInRaw } = of(row);
    for (const format of Format.options) {
      const { isOncePerMessage } = formats[format];
      const perMessage = isInRaw ? row.says.length : 0;
      const expected = isOncePerMessage
        ? perMessage
        : row.gives.filter((give) => canExpressSituation(format, give)).length;
      expect([format, delivered[format].length]).toEqual([format, expected]);
      for (const body of delivered[format]) expect(payloads[format].safeParse(JSON.parse(body)).error).toBeUndefined();
    }
  });

  test.each(all)('$maker: sends Full as specified in section D2 (%#)', (row) => {
    const { delivered, isByTime, texts, hasPoint, sensor } = of(row);
    const full: FullPayload[] = delivered.full.map((body) => JSON.parse(body));
    expect(full.map(({ rule }) => rule?.situation).toSorted()).toEqual(row.gives.toSorted());
    for (const { event, rule, ...payload } of full) {
      const { type, action } = kinds[rule?.situation ?? 'fall_loop'];
      expect(event).toMatchObject({ type, action, raw: isByTime ? {} : JSON.parse(texts.at(-1) ?? '') });
      expect(event.normalizedCoordinates !== null).toBe(hasPoint);
      expect(payload).toMatchObject({ sensor: { id: sensor.sensorId }, customer: { id: home.customerId } });
      expect(rule).toMatchObject({ hasRegion: row.region !== undefined, regionName: row.region ?? '' });
      // The rule's title contains only the region. Without a region, the situation text is used.
      expect(rule?.title).toBe(row.region ?? rule?.situationDescription);
    }
  });

  test.each(all)('$maker: sends Custom 1 as specified in section D2 for situations with a code (%#)', (row) => {
    const { delivered, hasPoint } = of(row);
    const custom1: Custom1Payload[] = delivered.custom1.map((body) => JSON.parse(body));
    const codes = row.gives.map((situation) => kinds[situation].code).filter((code) => code !== null);
    expect(custom1.map(({ eventType }) => eventType).toSorted()).toEqual(codes.toSorted());
    for (const payload of custom1) {
      expect(payload.sensorId).toMatch(/^id_[\w-]{23}$/);
      expect([1, 2, 5, 6, 7, 8, 10, 11, 20, 21, 30, 31]).toContain(payload.eventType);
      expect(payload.normalizedCoordinates !== undefined).toBe(hasPoint);
    }
  });

  const forPeople = Format.options.filter((format) => formats[format].isForPeople);
  test.each(all)('$maker: names the situation in human-readable formats, with or without a code (%#)', (row) => {
    const names = row.gives.map((situation) => nameOf[situation]).toSorted();
    for (const format of forPeople) {
      const bodies = of(row).delivered[format];
      expect([format, names.filter((name) => bodies.some((body) => body.includes(name)))]).toEqual([format, names]);
    }
  });

  test.each(all)('$maker: sends each device message unchanged and only once in Raw (%#)', (row) => {
    const { delivered, texts, isInRaw } = of(row);
    expect(delivered.raw).toEqual(isInRaw ? texts.slice(-row.says.length) : []);
  });
});
