import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Cloud } from '#lib/local/cloud.ts';
import { pathsOf } from '#test/contracts/calls.ts';
import { at } from '#test/contracts/document.ts';
import type { Client } from '#test/fixtures/client.ts';
import { startTestCloud } from '#test/fixtures/cloud.ts';
import { ALL_PERMISSIONS, adminOf, createHome, linkSensor } from '#test/fixtures/home.ts';

const first = {
  sensorMounting: 'wall',
  xMin: 180,
  xMax: 180,
  yMax: 350,
  yMin: 30,
  zMin: 0,
  zMax: 180,
  sensorHeight: 150,
  enterDuration: 120,
  exitDuration: 120,
  regions: [] as object[],
};
const region = (more: object = {}) => ({
  kind: 'default',
  name: 'r',
  topLeftX: -50,
  topLeftY: 100,
  bottomRightX: 50,
  bottomRightY: 0,
  ...more,
});
const many = (count: number, kind: string) => Array.from({ length: count }, () => region({ kind }));

let cloud: Cloud;
let client: Client;
const ids: Record<string, string> = {};
beforeAll(async () => {
  cloud = await startTestCloud();
  ({ client } = await createHome(await adminOf(cloud.url), 'home', ALL_PERMISSIONS));
  for (const maker of ['maker_a', 'maker_b'] as const) ids[maker] = (await linkSensor(client, maker)).sensorId;
});
afterAll(() => cloud.stop());

const put = (maker: string, body: object) => client.call('PUT', `/sensors/${ids[maker]}/room`, { ...first, ...body });
/** Returns the error paths for a rejected room, or none if it is accepted. */
const errorPaths = async (maker: string, body: object): Promise<string[]> => {
  const answer = await put(maker, body);
  return answer.status === 200 ? [] : pathsOf(answer);
};
/** Returns the error messages for a rejected room. */
const errorMessages = async (maker: string, body: object): Promise<string[]> => {
  const { errors } = (await put(maker, body)).body as { errors: { message: string }[] };
  return errors.map(({ message }) => message);
};

test.each(['maker_a', 'maker_b'])('returns the default %s room before the first PUT', async (maker) => {
  expect(await client.ok('GET', `/sensors/${ids[maker]}/room`)).toMatchObject({ ...first, rotation: 0 });
  expect(await client.ok('GET', `/sensors/${ids[maker]}/room/regions`)).toEqual([]);
});

const limits = [
  ['maker_a', 'wall', 200, 400, 100, 200, 0],
  ['maker_a', 'ceiling', 250, 200, 230, 300, 0],
  ['maker_a', 'ceiling_45deg', 250, 200, 230, 300, 45],
  ['maker_a', 'wall_tilt_45deg', 200, 400, 180, 250, 45],
  ['maker_b', 'wall', 300, 400, 140, 330, 0],
  ['maker_b', 'ceiling', 300, 200, 150, 330, 0],
] as const;
test.each(limits)(
  'accepts rooms for %s (%s) only within the limits',
  async (maker, sensorMounting, x, y, low, high, rotation) => {
    const room = { sensorMounting, xMin: x, xMax: x, yMax: y, yMin: 200, sensorHeight: high };
    const answer = await put(maker, room);
    expect([answer.status, answer.headers.get('x-learning-recommended')], answer.text).toEqual([200, 'true']);
    expect(answer.body).toMatchObject({ ...room, rotation });
    expect(await errorPaths(maker, { ...room, xMin: 20, xMax: 20, yMax: 20, yMin: 20, sensorHeight: low })).toEqual([]);
    for (const [field, beyond] of Object.entries({ xMin: x + 1, xMax: x + 1, yMax: y + 1, yMin: 201 }))
      for (const value of [19, beyond]) expect(await errorPaths(maker, { ...room, [field]: value })).toEqual([field]);
    for (const sensorHeight of [low - 1, high + 1])
      expect(await errorPaths(maker, { ...room, sensorHeight })).toEqual(['sensorHeight']);
  },
);

test.each(limits)('error messages and the OpenAPI document state the limits for %s (%s)', async (...row) => {
  const [maker, sensorMounting, x, y, low, high] = row;
  const room = { sensorMounting, xMin: x, xMax: x, yMax: y, sensorHeight: high };
  const atMost = (limit: number) => [`must be at most ${limit}`];
  for (const field of ['xMin', 'xMax'])
    expect(await errorMessages(maker, { ...room, [field]: x + 1 })).toEqual(atMost(x));
  expect(await errorMessages(maker, { ...room, yMax: y + 1 })).toEqual(atMost(y));
  expect(await errorMessages(maker, { ...room, sensorHeight: high + 1 })).toEqual(atMost(high));
  expect(await errorMessages(maker, { ...room, sensorHeight: low - 1 })).toEqual([`must be at least ${low}`]);
  const limitsRow = `| ${maker} | ${sensorMounting} | ${x} | ${y} | ${low} to ${high} |\n`;
  expect(`${at('components', 'schemas', 'RoomUpdate', 'description')}\n`).toContain(limitsRow);
});

test("the OpenAPI document states each room field's widest bounds", () => {
  const description = at('components', 'schemas', 'RoomUpdate', 'description');
  expect(description).toContain(
    'A maker_a sensor has at most 6 regions, of which at most 6 `default`, 2 `door`, 1 `bed`.',
  );
  expect(description).toContain(
    'A maker_b sensor has at most 16 regions, of which at most 16 `default`, 16 `door`, 16 `bed`, 16 `interference`, 1 `monitored_bed`.',
  );
  expect(description).not.toContain('| maker_b | ceiling_45deg');
  const boundOf = (field: string, bound: string) =>
    at('components', 'schemas', 'RoomUpdate', 'properties', field, bound);
  const x = [20, 300];
  for (const [field, bounds] of Object.entries({ xMin: x, xMax: x, yMax: [20, 400], sensorHeight: [100, 330] }))
    expect([field, boundOf(field, 'minimum'), boundOf(field, 'maximum')]).toEqual([field, ...bounds]);
  expect(boundOf('regions', 'maxItems')).toBe(16);
});

test('rejects room values that the maker does not support', async () => {
  expect(await errorMessages('maker_b', { sensorMounting: 'ceiling_45deg' })).toEqual([
    'is not supported by sensors of this manufacturer; it must be one of: wall, ceiling',
  ]);
  expect(await errorMessages('maker_a', { regions: [region({ kind: 'interference' })] })).toEqual([
    'is not supported by sensors of this manufacturer; it must be one of: default, door, bed',
  ]);
});

test.each(['ceiling_45deg', 'wall_tilt_45deg'])('rejects %s for maker B', async (sensorMounting) => {
  expect(await errorPaths('maker_b', { sensorMounting })).toEqual(['sensorMounting']);
});

test('a room requires zMin to be less than zMax', async () => {
  expect(await errorPaths('maker_a', { zMin: 90, zMax: 90 })).toEqual(['zMin']);
  expect(await errorPaths('maker_a', { zMin: 89, zMax: 90 })).toEqual([]);
});

describe('room regions', () => {
  test.each([
    ['maker_a', 'default', 6],
    ['maker_a', 'door', 2],
    ['maker_a', 'bed', 1],
    ['maker_b', 'default', 16],
    ['maker_b', 'monitored_bed', 1],
  ])('%s limits regions of kind %s to %i', async (maker, kind, max) => {
    expect(await errorPaths(maker, { regions: many(max, kind) })).toEqual([]);
    expect((await errorPaths(maker, { regions: many(max + 1, kind) })).length).toBeGreaterThan(0);
  });

  test.each(['monitored_bed', 'interference'])('rejects %s for maker A', async (kind) => {
    expect(await errorPaths('maker_a', { regions: [region({ kind })] })).toEqual(['regions.0.kind']);
  });

  test.each([
    [{ topLeftX: -181 }, ['regions.0.topLeftX']],
    [{ bottomRightX: 181 }, ['regions.0.bottomRightX']],
    [{ topLeftY: 351 }, ['regions.0.topLeftY']],
    [{ bottomRightY: -31 }, ['regions.0.bottomRightY']],
    [{ bottomRightX: -31 }, ['regions.0.bottomRightX']],
    [{ bottomRightY: 81 }, ['regions.0.topLeftY']],
    [{ topLeftX: 50 }, ['regions.0.topLeftX']],
    [{ zMin: 50, zMax: 50 }, ['regions.0.zMin']],
    [{ enterDuration: 301 }, ['regions.0.enterDuration']],
    [{ name: '' }, ['regions.0.name']],
    [{ topLeftX: -180, bottomRightX: 180, topLeftY: 350, bottomRightY: -30 }, []],
    [{ bottomRightX: -30, bottomRightY: 80 }, []],
  ])('a region with %o has validation errors exactly at %o', async (more, paths) => {
    expect(await errorPaths('maker_a', { regions: [region(more)] })).toEqual(paths);
  });

  test('an error message states the allowed range of a region', async () => {
    expect(await errorMessages('maker_a', { regions: [region({ topLeftX: -181, topLeftY: 351 })] })).toEqual([
      'is outside the room; it must be from -180 to 180',
      'is outside the room; it must be from -30 to 350',
    ]);
    expect(await errorMessages('maker_a', { regions: [region({ bottomRightX: -31 })] })).toEqual([
      'makes a side shorter than 20 cm',
    ]);
  });

  type Stored = { id: string; name: string; positionIdx: number };
  const stored = async (regions: object[]): Promise<Stored[]> => {
    const answer = await put('maker_a', { regions });
    expect(answer.status, answer.text).toBe(200);
    return (answer.body as { regions: Stored[] }).regions;
  };

  test('lists beds first, then doors, then other regions', async () => {
    const id = '11111111-1111-4111-8111-111111111111';
    const kinds = ['default', 'door', 'bed', 'door'];
    const regions = kinds.map((kind) => region({ kind, id, positionIdx: 9 }));
    const all = await stored(regions);
    expect(all.map(({ positionIdx }) => positionIdx)).toEqual([3, 1, 0, 2]);
    expect(all[0]?.id).toBe(id);
    expect(new Set(all.map(({ id }) => id)).size).toBe(4);
    expect(await client.ok('GET', `/sensors/${ids.maker_a}/room/regions`)).toEqual(all);
  });

  test("keeps a region's id if the request omits it but kind and name match", async () => {
    const named = (name: string, kind = 'default', more: object = {}) => region({ kind, name, ...more });
    const [table, twin, bed] = await stored([named('Table'), named('Table'), named('Bed', 'bed')]);
    const moved = { topLeftX: -60, topLeftY: 110 };
    const [first, second, third, fourth] = await stored([
      named('Bed', 'bed', moved),
      named('Table'),
      named('Table', 'default', moved),
      named('Table'),
    ]);
    expect([first?.id, second?.id, third?.id]).toEqual([bed?.id, table?.id, twin?.id]);
    expect([table?.id, twin?.id]).not.toContain(fourth?.id);
    const [door, other] = await stored([named('Table', 'door'), named('Chair')]);
    expect([first, second, third, fourth].map((region) => region?.id)).not.toContain(door?.id);
    // Ids in the request take precedence.
    const [unnamed, sent] = await stored([named('Chair'), named('Sofa', 'default', { id: other?.id })]);
    expect(sent?.id).toBe(other?.id);
    expect(unnamed?.id).not.toBe(other?.id);
  });

  test.each(['no', '', null, 7, '11111111-1111-4111-8111-11111111111'])(
    'rejects a region id that is not a UUID: %j',
    async (id) => {
      expect(await errorPaths('maker_a', { regions: [region(), region({ id })] })).toEqual(['regions.1.id']);
    },
  );
});
