import { expect, test } from 'vitest';
import { whyNoDynoxide } from '#test/fixtures/dynoxide.ts';
import { compareTables } from '#test/fuzz/tables.ts';

test.skipIf(whyNoDynoxide)('the table behaves the same as dynoxide for random requests', async () => {
  expect(await compareTables(30)).toBeGreaterThan(1_000);
});
