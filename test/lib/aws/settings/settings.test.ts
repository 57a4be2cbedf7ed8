import { readdirSync, readFileSync } from 'node:fs';
import { AwsSolutionsChecks } from 'cdk-nag';
import { describe, expect, it } from 'vitest';
import { settings } from '#lib/aws/settings/settings.ts';
import { environment } from '#shared/settings/environment.ts';
import type { Setting } from '#shared/settings/setting.ts';
import { validValues } from '#test/fixtures/setting-values.ts';
import { stackOf } from '#test/fixtures/stack.ts';

const stages = Math.max(...Object.values(validValues).map(({ length }) => length));

describe('a stage with every accepted setting value', () => {
  it.each(Array.from({ length: stages }, (_, at) => at))('passes cdk-nag: set %d', (at) => {
    const context = Object.fromEntries(
      Object.entries(validValues).map(([name, values]) => [name, values[at % values.length]]),
    );
    const { stack } = stackOf(context);
    expect(new AwsSolutionsChecks().validateScope(stack.node.root).violations).toEqual([]);
  });
});

/** Returns the code in the given folders, without setting declarations. */
const codeOf = (...folders: string[]): string => {
  const root = new URL('../../../../', import.meta.url).pathname;
  return folders
    .flatMap((folder) => readdirSync(root + folder, { recursive: true, encoding: 'utf8' }).map((file) => folder + file))
    .filter((file) => file.endsWith('.ts') && !/settings\.ts$|^shared\/settings\//.test(file))
    .map((file) => readFileSync(root + file, 'utf8'))
    .join('\n');
};

it('every stage setting is read by the stack or a function', () => {
  // An unused setting compiles and has no effect.
  const code = codeOf('lib/aws/');
  const isRead = (name: string) =>
    new RegExp(String.raw`\bstage\.${name}\b|\b${name}\b[^{}]*\}(: Stage\b| = stage\b)`).test(code);
  const rows = Object.values<Setting>(environment);
  const isPassedOn = (name: string) => rows.some(({ about }) => about?.stage === name && about.capabilities?.length);
  // The stage and the preset are read before all others.
  const { stage: _, preset: _preset, ...others } = settings;
  const names = [...Object.keys(others), 'name'];
  expect(names.filter((name) => !isRead(name) && !isPassedOn(name))).toEqual([]);
});

it('every environment variable is read by a function', () => {
  const code = codeOf('functions/', 'shared/');
  expect(Object.keys(environment).filter((name) => !new RegExp(`\\b${name}\\b`).test(code))).toEqual([]);
});
