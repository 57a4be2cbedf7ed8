import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { DUE_SHARDS } from '../../shared/store/table.ts';
import { growthText, neededShards } from './growth.ts';

test('shared/GROWTH.md holds what the arithmetic says: npm run growth -- --write', () => {
  const text = readFileSync(new URL('../../shared/GROWTH.md', import.meta.url), 'utf8');
  expect(text).toContain(`<!-- growth: start -->\n\n${growthText()}\n\n<!-- growth: end -->`);
});

test('the due index has as many shards as its heaviest load needs', () => {
  expect(DUE_SHARDS).toBeGreaterThanOrEqual(neededShards);
});
