import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Receiver, startReceiver } from '#lib/home/receiver.ts';
import { skippingClock } from '#lib/local/clock.ts';
import type { Cloud } from '#lib/local/cloud.ts';
import { situations as nameOf } from '#shared/api/messages/situations-en.ts';
import type { Custom1Payload } from '#shared/domain/formats/custom-1-payload.ts';
import { Format } from '#shared/domain/formats/format.ts';
import { canTell, formats } from '#shared/domain/formats/formats.ts';
import type { FullPayload } from '#shared/domain/formats/full-payload.ts';
import { payloads } from '#shared/domain/formats/payloads.ts';
import { kinds, type Situation } from '#shared/domain/kinds.ts';
import { startTestCloud } from '../fixtures/cloud.ts';
import { ALL_PERMISSIONS, adminOf, createHome, linkSensor } from '../fixtures/home.ts';
import { a, b, room } from '../fixtures/messages.ts';
import { type Row, rows } from '../fixtures/table-of-events.ts';

// Every row of the table of events, for both makers: messages in; hits and payloads in every format out. All sensors
// of the table speak at once, each in its turn; what came of it is looked at row by row.

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
    const told = Format.options.filter((format) => canTell(format, situation)).map((format) => recipients[format]);
    const texts = { name: situation, title: '{region}', message: '{sensor} {situation} {time} {location}' };
    await client.ok('POST', '/rules', { ...texts, situation, rateLimitSeconds: 0, recipients: told });
  }
};

type Player = { row: Row; sensor: Awaited<ReturnType<typeof linkSensor>>; name: string; texts: string[] };
const create = async (row: Row): Promise<Player> => {
  const sensor = await linkSensor(home.client, row.maker);
  if (row.region !== undefined) await home.client.ok('PUT', `/sensors/${sensor.sensorId}/room`, room);
  const { name } = await home.client.ok<{ name: string }>('GET', `/sensors/${sensor.sensorId}`);
  return { row, sensor, name, texts: [] };
};

/** Events are processed, then what came of them is delivered. */
const quiet = async () => {
  await cloud.idle();
  await cloud.idle();
};

const say = async ({ sensor, texts }: Player, message: object): Promise<void> => {
  // Spaces that no JSON writer makes: Raw must have them too. And nobody else says the same.
  const text = JSON.stringify({ of: sensor.sensorId, ...message }).replace('{', '{  ');
  await sensor.device.ok('POST', `/devices/${sensor.sensorId}/messages`, text);
  texts.push(text);
};

/** All say what they have to say, the first words first. */
const sayAll = async (players: readonly Player[], words: (row: Row) => readonly object[]) => {
  const rounds = Math.max(...players.map(({ row }) => words(row).length));
  for (let round = 0; round < rounds; round++) {
    await Promise.all(
      players.map(async (player) => {
        const message = words(player.row)[round];
        if (message) await say(player, message);
      }),
    );
    await quiet();
  }
};

const pass = async (minutes: number) => {
  for (let minute = 0; minute < minutes; minute++) {
    clock.skipTo(clock.now() + 60_000);
    await cloud.sweep();
    await quiet();
  }
};

const hits = async () => {
  const path = `/customers/${home.customerId}/rule-hits?perPage=200`;
  const [page] = await home.client.ok<{ data: { sensorId: string; situation: string }[] }[]>('GET', path);
  return page?.data ?? [];
};

/** Whose a payload is, by what the format tells of the sensor. */
const isOf: Record<Format, (body: string, player: Player) => boolean> = {
  full: (body, { sensor }) => JSON.parse(body).sensor.id === sensor.sensorId,
  custom1: (body, { name }) => JSON.parse(body).sensorName === name,
  raw: (body, { sensor }) => JSON.parse(body).of === sensor.sensorId,
  chat: (body, { name }) => body.includes(`"Sensor","value":"${name}"`),
  teams: (body, { name }) => body.includes(`"text":"${name}"`),
};

const outcomeOf = (player: Player, all: Awaited<ReturnType<typeof hits>>) => {
  const { sensor, texts } = player;
  const told = Format.options.map((format) => {
    const bodies = receivers[format].received.map(({ body }) => body);
    return [format, bodies.filter((body) => isOf[format](body, player))] as const;
  });
  return {
    sensor,
    texts,
    told: Object.fromEntries(told) as Record<Format, string[]>,
    situations: all.filter(({ sensorId }) => sensorId === sensor.sensorId).map(({ situation }) => situation),
  };
};
const outcomes = new Map<Row, ReturnType<typeof outcomeOf>>();
const look = async (players: readonly Player[]) => {
  const all = await hits();
  for (const player of players) outcomes.set(player.row, outcomeOf(player, all));
};

const hello = ({ maker }: Row) => (maker === 'maker_a' ? a.state() : b.online(true));

beforeAll(async () => {
  cloud = await startTestCloud({ clock });
  home = await createHome(await adminOf(cloud.url), 'maple', ALL_PERMISSIONS);
  const all = await Promise.all(Object.values(rows).flat().map(create));
  // Nobody is told of what comes before.
  await sayAll(all, (row) => (row.isNew ? [] : [hello(row), ...(row.before ?? [])]));
  await createRules();
  await sayAll(all, ({ says }) => says);
  await look(all.filter(({ row }) => !row.silence));
  await pass(7);
  await look(all.filter(({ row }) => row.silence));
}, 60_000);
afterAll(async () => {
  await Promise.all([cloud, ...Object.values(receivers)].map((server) => server.stop()));
});

test('the table has a row for every situation', () => {
  expect(Object.keys(rows).toSorted()).toEqual(situations.toSorted());
});

describe.each(Object.entries(rows))('%s', (_, all) => {
  const of = (row: Row) => {
    const outcome = outcomes.get(row);
    if (!outcome) throw new Error('the row was not played');
    return { ...outcome, isByTime: row.says.length === 0, hasPoint: row.hasPoint ?? false };
  };

  test.each(all)('of $maker: one hit for each situation (%#)', (row) => {
    expect(of(row).situations.toSorted()).toEqual(row.gives.toSorted());
  });

  test.each(all)(
    'of $maker: in every format one payload of its schema for each situation that it can tell (%#)',
    (row) => {
      const { told, isByTime } = of(row);
      for (const format of Format.options) {
        const { isOncePerMessage } = formats[format];
        const perMessage = isByTime ? 0 : row.says.length;
        const most = isOncePerMessage ? perMessage : row.gives.filter((give) => canTell(format, give)).length;
        expect([format, told[format].length]).toEqual([format, most]);
        for (const body of told[format]) expect(payloads[format].safeParse(JSON.parse(body)).error).toBeUndefined();
      }
    },
  );

  test.each(all)('of $maker: Full as D2 says (%#)', (row) => {
    const { told, isByTime, texts, hasPoint, sensor } = of(row);
    const full: FullPayload[] = told.full.map((body) => JSON.parse(body));
    expect(full.map(({ rule }) => rule?.situation).toSorted()).toEqual(row.gives.toSorted());
    for (const { event, rule, ...payload } of full) {
      const { type, action } = kinds[rule?.situation ?? 'fall_loop'];
      expect(event).toMatchObject({ type, action, raw: isByTime ? {} : JSON.parse(texts.at(-1) ?? '') });
      expect(event.normalizedCoordinates !== null).toBe(hasPoint);
      expect(payload).toMatchObject({ sensor: { id: sensor.sensorId }, customer: { id: home.customerId } });
      expect(rule).toMatchObject({ hasRegion: row.region !== undefined, regionName: row.region ?? '' });
      // The title is nothing but the name of the region: without one the situation's text stands in.
      expect(rule?.title).toBe(row.region ?? rule?.situationDescription);
    }
  });

  test.each(all)('of $maker: Custom 1 as D2 says, where there is a code (%#)', (row) => {
    const { told, hasPoint } = of(row);
    const custom1: Custom1Payload[] = told.custom1.map((body) => JSON.parse(body));
    const codes = row.gives.map((situation) => kinds[situation].code).filter((code) => code !== null);
    expect(custom1.map(({ eventType }) => eventType).toSorted()).toEqual(codes.toSorted());
    for (const payload of custom1) {
      expect(payload.sensorId).toMatch(/^id_[\w-]{23}$/);
      expect([1, 2, 5, 6, 7, 8, 10, 11, 20, 21, 30, 31]).toContain(payload.eventType);
      expect(payload.normalizedCoordinates !== undefined).toBe(hasPoint);
    }
  });

  const forPeople = Format.options.filter((format) => formats[format].isForPeople);
  test.each(all)('of $maker: for people by its name, whether there is a code or not (%#)', (row) => {
    const names = row.gives.map((situation) => nameOf[situation]).toSorted();
    for (const format of forPeople) {
      const bodies = of(row).told[format];
      expect([format, names.filter((name) => bodies.some((body) => body.includes(name)))]).toEqual([format, names]);
    }
  });

  test.each(all)('of $maker: Raw is the message as it was sent, once, and nothing the service made (%#)', (row) => {
    const { told, texts, isByTime } = of(row);
    expect(told.raw).toEqual(isByTime ? [] : texts.slice(-row.says.length));
  });
});
