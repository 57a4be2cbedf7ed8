import { expect, test } from 'vitest';
import { whyNoDynoxide } from '#test/fixtures/dynoxide.ts';
import { compareTables } from '#test/fuzz/tables.ts';

test.skipIf(whyNoDynoxide)('whatever it is asked, the table answers, fails and is left as dynoxide is', async () => {
  expect(await compareTables(30)).toBeGreaterThan(1_000);
});
