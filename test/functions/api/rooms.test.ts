import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Cloud } from '../../../lib/local/cloud.ts';
import { type Receiver, startReceiver } from '../../../lib/local/demo/receiver.ts';
import { pathsOf } from '../../contracts/calls.ts';
import type { Client } from '../../fixtures/client.ts';
import { startTestCloud } from '../../fixtures/cloud.ts';
import { ALL_PERMISSIONS, adminOf, createHome, linkSensor } from '../../fixtures/home.ts';

const first = {
  ...{ sensorMounting: 'wall', xMin: 180, xMax: 180, yMax: 350, yMin: 30, zMin: 0, zMax: 180, sensorHeight: 150 },
  ...{ enterDuration: 120, exitDuration: 120, regions: [] as object[] },
};
const region = (more: object = {}) => ({
  ...{ kind: 'default', name: 'r', topLeftX: -50, topLeftY: 100, bottomRightX: 50, bottomRightY: 0 },
  ...more,
});
const many = (count: number, kind: string) => Array.from({ length: count }, () => region({ kind }));

let cloud: Cloud;
let client: Client;
const ids: Record<string, string> = {};
beforeAll(async () => {
  cloud = await startTestCloud();
  ({ client } = await createHome(await adminOf(cloud.url), 'home', ALL_PERMISSIONS));
  for (const maker of ['maker_a', 'maker_b']) ids[maker] = (await linkSensor(client, maker)).sensorId;
});
afterAll(() => cloud.stop());

const put = (maker: string, body: object) => client.call('PUT', `/sensors/${ids[maker]}/room`, { ...first, ...body });
/** The paths that a room is refused for; none when it is taken. */
const faults = async (maker: string, body: object): Promise<string[]> => {
  const answer = await put(maker, body);
  return answer.status === 200 ? [] : pathsOf(answer);
};

test.each(['maker_a', 'maker_b'])('the room of %s before the first PUT', async (maker) => {
  expect(await client.ok('GET', `/sensors/${ids[maker]}/room`)).toMatchObject({ ...first, rotation: 0 });
  expect(await client.ok('GET', `/sensors/${ids[maker]}/room/regions`)).toEqual([]);
});

test.each([
  ['maker_a', 'wall', 200, 400, 100, 200, 0],
  ['maker_a', 'ceiling', 250, 200, 230, 300, 0],
  ['maker_a', 'ceiling_45deg', 250, 200, 230, 300, 45],
  ['maker_a', 'wall_tilt_45deg', 200, 400, 180, 250, 45],
  ['maker_b', 'wall', 300, 400, 140, 330, 0],
  ['maker_b', 'ceiling', 300, 200, 150, 330, 0],
])('%s on the %s: at its limits and beyond', async (maker, sensorMounting, x, y, low, high, rotation) => {
  const room = { sensorMounting, xMin: x, xMax: x, yMax: y, yMin: 200, sensorHeight: high };
  const answer = await put(maker, room);
  expect([answer.status, answer.headers.get('x-learning-recommended')], answer.text).toEqual([200, 'true']);
  expect(answer.body).toMatchObject({ ...room, rotation });
  expect(await faults(maker, { ...room, xMin: 20, xMax: 20, yMax: 20, yMin: 20, sensorHeight: low })).toEqual([]);
  for (const [field, beyond] of Object.entries({ xMin: x + 1, xMax: x + 1, yMax: y + 1, yMin: 201 }))
    for (const value of [19, beyond]) expect(await faults(maker, { ...room, [field]: value })).toEqual([field]);
  for (const sensorHeight of [low - 1, high + 1])
    expect(await faults(maker, { ...room, sensorHeight })).toEqual(['sensorHeight']);
});

test.each(['ceiling_45deg', 'wall_tilt_45deg'])('maker B has no %s', async (sensorMounting) => {
  expect(await faults('maker_b', { sensorMounting })).toEqual(['sensorMounting']);
});

test('zMin is below zMax', async () => {
  expect(await faults('maker_a', { zMin: 90, zMax: 90 })).toEqual(['zMin']);
  expect(await faults('maker_a', { zMin: 89, zMax: 90 })).toEqual([]);
});

describe('regions', () => {
  test.each([
    ['maker_a', 'default', 6],
    ['maker_a', 'door', 2],
    ['maker_a', 'bed', 1],
    ['maker_b', 'default', 16],
    ['maker_b', 'monitored_bed', 1],
  ])('%s: of kind %s at most %i', async (maker, kind, most) => {
    expect(await faults(maker, { regions: many(most, kind) })).toEqual([]);
    expect((await faults(maker, { regions: many(most + 1, kind) })).length).toBeGreaterThan(0);
  });

  test.each(['monitored_bed', 'interference'])('maker A has no %s', async (kind) => {
    expect(await faults('maker_a', { regions: [region({ kind })] })).toEqual(['regions.0.kind']);
  });

  test.each([
    [{ topLeftX: -181 }, ['regions.0.topLeftX']],
    [{ bottomRightX: 181 }, ['regions.0.bottomRightX']],
    [{ bottomRightX: -31 }, ['regions.0.bottomRightX']],
    [{ bottomRightY: 81 }, ['regions.0.topLeftY']],
    [{ topLeftX: 50 }, ['regions.0.topLeftX']],
    [{ zMin: 50, zMax: 50 }, ['regions.0.zMin']],
    [{ enterDuration: 301 }, ['regions.0.enterDuration']],
    [{ name: '' }, ['regions.0.name']],
    [{ topLeftX: -180, bottomRightX: 180, topLeftY: 350, bottomRightY: -30 }, []],
    [{ bottomRightX: -30, bottomRightY: 80 }, []],
  ])('%o: %o', async (more, paths) => {
    expect(await faults('maker_a', { regions: [region(more)] })).toEqual(paths);
  });

  type Stored = { id: string; name: string; positionIdx: number };
  const stored = async (regions: object[]): Promise<Stored[]> => {
    const answer = await put('maker_a', { regions });
    expect(answer.status, answer.text).toBe(200);
    return (answer.body as { regions: Stored[] }).regions;
  };

  test('beds come first, then doors; an id that nobody knows stays, once', async () => {
    const id = '11111111-1111-4111-8111-111111111111';
    const kinds = ['default', 'door', 'bed', 'door'];
    const regions = kinds.map((kind) => region({ kind, id, positionIdx: 9 }));
    const all = await stored(regions);
    expect(all.map(({ positionIdx }) => positionIdx)).toEqual([3, 1, 0, 2]);
    expect(all[0]?.id).toBe(id);
    expect(new Set(all.map(({ id }) => id)).size).toBe(4);
    expect(await client.ok('GET', `/sensors/${ids.maker_a}/room/regions`)).toEqual(all);
  });

  test('one without an id keeps that of the region of the same kind and name, wherever it is now', async () => {
    const named = (name: string, kind = 'default', more: object = {}) => region({ kind, name, ...more });
    const [table, twin, bed] = await stored([named('Table'), named('Table'), named('Bed', 'bed')]);
    const moved = { topLeftX: -60, topLeftY: 110 };
    const [one, second, third, fourth] = await stored([
      named('Bed', 'bed', moved),
      named('Table'),
      named('Table', 'default', moved),
      named('Table'),
    ]);
    expect([one?.id, second?.id, third?.id]).toEqual([bed?.id, table?.id, twin?.id]);
    expect([table?.id, twin?.id]).not.toContain(fourth?.id);
    const [door, other] = await stored([named('Table', 'door'), named('Chair')]);
    expect([one, second, third, fourth].map((region) => region?.id)).not.toContain(door?.id);
    // Whoever sends an id has it, before those who send none.
    const [unnamed, sent] = await stored([named('Chair'), named('Sofa', 'default', { id: other?.id })]);
    expect(sent?.id).toBe(other?.id);
    expect(unnamed?.id).not.toBe(other?.id);
  });

  test.each(['no', '', null, 7, '11111111-1111-4111-8111-11111111111'])(
    'an id that is no UUID is refused: %j',
    async (id) => {
      expect(await faults('maker_a', { regions: [region(), region({ id })] })).toEqual(['regions.1.id']);
    },
  );
});

describe('a region that a rule names', () => {
  let rule: object;
  let receiver: Receiver;
  afterAll(() => receiver.stop());
  beforeAll(async () => {
    const bot = await client.ok<{ id: number }>('POST', '/bots', { name: 'Nurse call' });
    receiver = await startReceiver();
    const hook = { name: 'n', format: 'full', url: receiver.url, isCustomerHook: false, botId: bot.id };
    const { id: webhookId } = await client.ok<{ id: string }>('POST', '/webhooks', hook);
    const texts = { name: 'n', title: 't', message: 'm', situation: 'fall_detected' };
    rule = { ...texts, sensorId: ids.maker_a, recipients: [{ botId: bot.id, webhookId }] };
  });
  const idOfBed = async (): Promise<string | undefined> => {
    const answer = await put('maker_a', { regions: [region({ kind: 'bed', name: 'Bed' })] });
    return (answer.body as { regions: { id: string }[] }).regions[0]?.id;
  };

  test('is not taken away: a 409 names the rules, also those that are switched off', async () => {
    const regionId = await idOfBed();
    const made = [];
    for (const isEnabled of [true, false])
      made.push(await client.ok<{ id: number }>('POST', '/rules', { ...rule, regionId, isEnabled }));
    await client.ok('POST', '/rules', rule);
    const answer = await put('maker_a', { regions: [region({ name: 'Bed' })] });
    expect([answer.status, answer.body]).toEqual([
      409,
      {
        message: `Rules name a region that this room does not have: ${made.map(({ id }) => id).join(', ')}; change or delete them first`,
        statusCode: 409,
      },
    ]);
    const [still] = await client.ok<{ id: string }[]>('GET', `/sensors/${ids.maker_a}/room/regions`);
    expect(still?.id).toBe(regionId);
    // It may be moved and renamed, and go once no rule names it.
    expect(await faults('maker_a', { regions: [region({ id: regionId, name: 'Sofa' })] })).toEqual([]);
    for (const { id } of made) await client.ok('DELETE', `/rules/${id}`);
    expect(await faults('maker_a', {})).toEqual([]);
  });

  test('is there, or the rule is not, when room and rule are written at the same moment', async () => {
    for (let round = 0; round < 15; round++) {
      const regionId = await idOfBed();
      const [taken, made] = await Promise.all([
        put('maker_a', {}),
        client.call('POST', '/rules', { ...rule, regionId, name: `round ${round}` }),
      ]);
      expect([
        [200, 400],
        [409, 201],
      ]).toContainEqual([taken.status, made.status]);
      if (made.status === 201) await client.ok('DELETE', `/rules/${(made.body as { id: number }).id}`);
    }
  });
});
