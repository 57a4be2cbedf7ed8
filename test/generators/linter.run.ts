import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { document } from '#test/contracts/document.ts';
import { obstacleTo, shell } from './shell.ts';

const spectral = { needs: ['npm'], install: 'npm install --prefix "$TOOLS/spectral" @stoplight/spectral-cli@6.16.3' };

test('the document passes the Spectral rules for OpenAPI', async ({ skip }) => {
  const folder = await mkdtemp(join(tmpdir(), 'spectral-'));
  const obstacle = await obstacleTo(spectral, folder);
  if (obstacle) return skip(`Spectral cannot be installed here: ${obstacle}`);
  await writeFile(join(folder, '.spectral.json'), '{"extends":["spectral:oas"]}');
  await writeFile(join(folder, 'openapi.json'), JSON.stringify(document));
  const command = '"$TOOLS/spectral/node_modules/.bin/spectral" lint openapi.json --fail-severity hint --quiet';
  expect(await shell(command, folder)).toMatch(/^(No results.*)?\s*$/);
  await rm(folder, { recursive: true });
});
