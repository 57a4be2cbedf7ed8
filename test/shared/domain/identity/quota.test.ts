import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { defaultQuotas } from '#shared/domain/identity/quota.ts';
import { withoutStrings } from '#test/fixtures/imports.ts';

const root = new URL('../../../..', import.meta.url).pathname;

test('every quota is held against what a customer has: one that is only declared compiles, and limits nothing', () => {
  const code = ['functions', 'shared']
    .flatMap((folder) =>
      readdirSync(root + folder, { recursive: true, encoding: 'utf8' }).map((at) => `${folder}/${at}`),
    )
    .filter((file) => file.endsWith('.ts') && !file.endsWith('/contract.ts') && !file.endsWith('/quota.ts'))
    .map((file) => withoutStrings(readFileSync(root + file, 'utf8')))
    .join('\n');
  const isHeld = (name: string) =>
    new RegExp(String.raw`\b(quotas|QUOTAS)\.${name}\b|\{ ${name} \}: Quotas`).test(code);
  expect(Object.keys(defaultQuotas).filter((name) => !isHeld(name))).toEqual([]);
});
