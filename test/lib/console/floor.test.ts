import { describe, expect, test } from 'vitest';

// Imported through paths the compiler cannot see, because the console has separate compiler settings.
const folder = new URL('../../../lib/console/floor/', import.meta.url).pathname;
type Placed = { sensorId: string; x: number; y: number; rotation: number };
type Plan = { width: number; height: number; rooms: Placed[] };
type Box = { x: number; y: number; width: number; depth: number; label: { width: number; height: number } };
const { boxOf, extentOf, turned, withRoom, withRoomAt, withTurnedRoom } = (await import(`${folder}geometry.ts`)) as {
  boxOf: (room: Placed, extent: object) => Box;
  extentOf: (room: object) => { yMin: number };
  turned: (plan: Plan) => Plan;
  withRoom: (plan: Plan, sensorId: string) => Plan;
  withRoomAt: (plan: Plan, sensorId: string, x: number, y: number) => Plan;
  withTurnedRoom: (plan: Plan, sensorId: string) => Plan;
};

/** A room 4 m wide and 3 m deep, with 1 m to the left of the sensor. */
const extent = { xMin: 100, xMax: 300, yMin: 0, yMax: 300 };
const room = (more: Partial<Placed> = {}): Placed => ({ sensorId: 'a', x: 10, y: 2, rotation: 0, ...more });
const plan = (...rooms: Placed[]): Plan => ({ width: 40, height: 20, rooms });

describe('a room on a plan', () => {
  test.each([
    [0, 9, 3.5],
    [90, 8.5, 1],
    [180, 11, 0.5],
    [270, 11.5, 3],
  ])('a room rotated by %i degrees lies in front of the sensor', (rotation, x, y) => {
    const box = boxOf(room({ rotation }), extent);
    expect([box.x, box.y]).toEqual([expect.closeTo(x, 6), expect.closeTo(y, 6)]);
    expect(box.label).toEqual(rotation % 180 === 0 ? { width: 4, height: 3 } : { width: 3, height: 4 });
  });

  test('a room starts at the wall with the sensor, or surrounds a ceiling sensor', () => {
    expect(extentOf({ ...extent, yMin: 30, sensorMounting: 'wall' }).yMin).toBe(0);
    expect(extentOf({ ...extent, yMin: 150, sensorMounting: 'ceiling' }).yMin).toBe(150);
  });

  test('a room stays on the grid and within the edges, however far it is dragged', () => {
    const moved = (x: number, y: number) => withRoomAt(plan(room()), 'a', x, y).rooms[0];
    expect(moved(3.3, -2)).toMatchObject({ x: 3.25, y: 0 });
    expect(moved(90, 90)).toMatchObject({ x: 40, y: 20 });
  });

  test('a room rotates in steps of 90 degrees', () => {
    expect(withTurnedRoom(plan(room({ rotation: 270 })), 'a').rooms[0]?.rotation).toBe(0);
  });
});

test('new rooms are placed side by side, away from other sensors', () => {
  const first = withRoom(plan(), 'a');
  expect(['b', 'c'].reduce(withRoom, first).rooms.map(({ x, y }) => [x, y])).toEqual([
    [2, 0],
    [6, 0],
    [10, 0],
  ]);
  const row = Array.from({ length: 11 }, (_, at) => String(at)).reduce(withRoom, plan());
  expect(row.rooms.at(-1)).toMatchObject({ x: 2, y: 4 });
});

test('a plan rotated for a phone keeps each room in place', () => {
  const upright = turned(plan(room()));
  expect([upright.width, upright.height]).toEqual([20, 40]);
  expect(upright.rooms).toEqual([room({ x: 18, y: 10, rotation: 90 })]);
  // The center of the room turns with the plan.
  const [before, after] = [boxOf(room(), extent), boxOf(upright.rooms[0] ?? room(), extent)];
  expect([after.x, after.y]).toEqual([expect.closeTo(20 - before.y, 6), expect.closeTo(before.x, 6)]);
  expect([1, 2, 3].reduce(turned, upright)).toEqual(plan(room()));
});
