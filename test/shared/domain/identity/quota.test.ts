import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { defaultQuotas } from '#shared/domain/identity/quota.ts';
import { withoutStrings } from '#test/fixtures/imports.ts';

const root = new URL('../../../..', import.meta.url).pathname;

// A quota that is only declared compiles, and limits nothing.
test('enforces every quota somewhere', () => {
  const code = ['functions', 'shared']
    .flatMap((folder) =>
      readdirSync(root + folder, { recursive: true, encoding: 'utf8' }).map((path) => `${folder}/${path}`),
    )
    .filter((file) => file.endsWith('.ts') && !file.endsWith('/contract.ts') && !file.endsWith('/quota.ts'))
    .map((file) => withoutStrings(readFileSync(root + file, 'utf8')))
    .join('\n');
  const isEnforced = (name: string) =>
    new RegExp(String.raw`\b(quotas|QUOTAS)\.${name}\b|\{ ${name} \}: Quotas`).test(code);
  expect(Object.keys(defaultQuotas).filter((name) => !isEnforced(name))).toEqual([]);
});
