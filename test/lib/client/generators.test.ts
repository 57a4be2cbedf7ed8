import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { withTable } from '#test/fixtures/document-table.ts';
import { generators } from '#test/generators/generators.ts';

const readme = readFileSync(new URL('../../../lib/client/README.md', import.meta.url), 'utf8');

test('the client guide lists exactly the generators under test', async () => {
  const rows = generators.map(({ name, version }) => `| ${name} | ${version} |`);
  await expect(withTable(readme, ['| generator | version |', '| --- | --- |', ...rows])).toMatchFileSnapshot(
    '../../../lib/client/README.md',
  );
});
