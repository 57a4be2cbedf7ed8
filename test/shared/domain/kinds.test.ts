import { expect, test } from 'vitest';
import { hasRegions, kinds, type Situation } from '#shared/domain/kinds.ts';

test('situations of the whole room, the sensor and vital signs have no region', () => {
  const situations = Object.keys(kinds) as Situation[];
  const typesWith = (isPossible: boolean) =>
    new Set(situations.filter((situation) => hasRegions(situation) === isPossible).map((one) => kinds[one].type));
  expect(typesWith(false)).toEqual(new Set(['presence', 'sensor', 'vital']));
  expect([...typesWith(true)].sort()).toEqual(['bed', 'door', 'fall', 'posture', 'region']);
});
