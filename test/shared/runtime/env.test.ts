import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import manifest from '#package.json' with { type: 'json' };
import { settingsFrom } from '#shared/runtime/env.ts';

test('package.json, SERVICE_VERSION and the newest changelog entry contain the same version', () => {
  const changelog = readFileSync(new URL('../../../CHANGELOG.md', import.meta.url), 'utf8');
  const [, newest] = /^## (\d+\.\d+\.\d+) - \d{4}-\d\d-\d\d$/m.exec(changelog) ?? [];
  expect([settingsFrom({}).SERVICE_VERSION, newest]).toEqual([manifest.version, manifest.version]);
});
