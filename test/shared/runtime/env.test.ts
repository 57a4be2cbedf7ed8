import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import manifest from '#package.json' with { type: 'json' };
import { settingsFrom } from '#shared/runtime/env.ts';

test('the version is the same in package.json, in what the service says of itself, and on top of the changelog', () => {
  const changelog = readFileSync(new URL('../../../CHANGELOG.md', import.meta.url), 'utf8');
  const [, newest] = /^## (\d+\.\d+\.\d+) - \d{4}-\d\d-\d\d$/m.exec(changelog) ?? [];
  expect([settingsFrom({}).SERVICE_VERSION, newest]).toEqual([manifest.version, manifest.version]);
});
