import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Point } from '#shared/domain/event/event.ts';
import { type RegionBounds, regionAt } from '#shared/domain/sensor/region-of-point.ts';

const CM = { min: -100, max: 100 };
const side = fc.integer({ min: 20, max: 60 });
const place = fc
  .record({ left: fc.integer(CM), bottom: fc.integer(CM), width: side, depth: side, zMin: fc.nat(90), height: side })
  .map(({ left, bottom, width, depth, zMin, height }) => ({
    topLeftX: left,
    bottomRightX: left + width,
    topLeftY: bottom + depth,
    bottomRightY: bottom,
    zMin,
    zMax: zMin + height,
  }));
/** Rooms with overlapping regions, some exactly on top of each other. */
const rooms = fc
  .array(place, { minLength: 1, maxLength: 6 })
  .chain((places) =>
    fc
      .boolean()
      .map((isTwice) =>
        [...places, ...(isTwice ? places.slice(0, 1) : [])].map(
          (place, at): RegionBounds => ({ ...place, id: `region ${at}`, name: `name ${at}`, positionIdx: at }),
        ),
      ),
  );
/** A coordinate on an edge, next to one, or anywhere. */
const near = (edges: readonly number[]) =>
  fc.oneof(
    { weight: 3, arbitrary: fc.constantFrom(...edges) },
    { weight: 2, arbitrary: fc.constantFrom(...edges.flatMap((edge) => [edge - 0.001, edge + 0.001])) },
    fc.integer(CM),
  );
const cases = rooms.chain((places) => {
  const of = (names: (keyof RegionBounds)[]) =>
    near(places.flatMap((place) => names.map((name) => Number(place[name]))));
  const xy = { x: of(['topLeftX', 'bottomRightX']), y: of(['topLeftY', 'bottomRightY']) };
  const point: fc.Arbitrary<Point> = fc.oneof(fc.record(xy), fc.record({ ...xy, z: of(['zMin', 'zMax']) }));
  return fc.record({ places: fc.shuffledSubarray(places, { minLength: places.length }), point });
});

/** An independent implementation: compares the point with both edges on each axis. */
const expectedRegion = (places: readonly RegionBounds[], { x, y, z }: Point): string | null => {
  const isBetween = (value: number, end: number, other: number) => (value - end) * (value - other) <= 0;
  let best: { id: string; area: number; index: number } | null = null;
  for (const { id, positionIdx: index, topLeftX, topLeftY, bottomRightX, bottomRightY, zMin, zMax } of places) {
    const isInArea = isBetween(x, topLeftX, bottomRightX) && isBetween(y, topLeftY, bottomRightY);
    if (!isInArea || (z !== undefined && !isBetween(z, zMin, zMax))) continue;
    const area = Math.abs((topLeftX - bottomRightX) * (topLeftY - bottomRightY));
    if (!best || area < best.area || (area === best.area && index < best.index)) best = { id, area, index };
  }
  return best?.id ?? null;
};

test('regionAt finds the same smallest region as a plain geometric check around 10,000 points', () => {
  const seen = { inside: 0, outside: 0, several: 0 };
  const property = fc.property(cases, ({ places, point }) => {
    const found = regionAt(places, point);
    expect(found?.id ?? null).toBe(expectedRegion(places, point));
    seen[found ? 'inside' : 'outside'] += 1;
    if (places.filter((place) => regionAt([place], point)).length > 1) seen.several += 1;
  });
  fc.assert(property, { numRuns: 10_000 });
  for (const count of Object.values(seen)) expect(count).toBeGreaterThan(500);
});

test('a region includes its corners, but not points 0.001 cm outside', () => {
  const at = { topLeftX: -10, topLeftY: 20, bottomRightX: 30, bottomRightY: -20, zMin: 10, zMax: 50 };
  const place: RegionBounds = { ...at, id: 'one', name: 'One', positionIdx: 2 };
  for (const x of [-10, 30])
    for (const y of [-20, 20])
      for (const z of [10, 50]) expect(regionAt([place], { x, y, z })).toEqual({ id: 'one', index: 2, name: 'One' });
  for (const beside of [{ x: -10.001 }, { x: 30.001 }, { y: 20.001 }, { y: -20.001 }, { z: 9.999 }, { z: 50.001 }])
    expect(regionAt([place], { x: 30, y: 20, z: 10, ...beside })).toBeNull();
  expect(regionAt([place], { x: 0, y: 0 })?.id).toBe('one');
});
