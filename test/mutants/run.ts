import { execFileSync } from 'node:child_process';
import { existsSync, globSync, readFileSync, statSync } from 'node:fs';
import { dirname, relative } from 'node:path';
import { parseArgs } from 'node:util';
import type { MutantResult } from '@stryker-mutator/api/core';
import equivalents from './equivalents.json' with { type: 'json' };

const help = `npm run mutants -- PATH ... [--whole]
npm run mutants -- --since REF [--whole]

Changes the code of files or folders, or the lines that changed since a commit: one operator, number or condition at a time.
Runs the tests beside each file (test/ and the same folder), or with --whole every test that executes the change, and lists the
changes that no test notices. Results are cached in .generated/mutants; the report is .generated/mutants/*.html.`;

/** The folders where tests have to catch mistakes. */
const folders = [
  'shared/domain',
  'functions/workers',
  'shared/worker',
  'shared/delivery',
  'shared/ingest',
  'shared/store',
  'shared/api/middleware',
  'lib/local/table',
  'lib/local/queue',
];

const refuse = (why: string): never => {
  console.error(`${why}\n\n${help}`);
  process.exit(2);
};

const readArguments = () => {
  try {
    const options = { since: { type: 'string' }, whole: { type: 'boolean' }, help: { type: 'boolean' } } as const;
    return parseArgs({ options, allowPositionals: true });
  } catch (error) {
    return refuse((error as Error).message);
  }
};

const filesAt = (path: string): string[] => {
  if (!existsSync(path)) refuse(`${path} does not exist`);
  return statSync(path).isDirectory() ? globSync(`${path}/**/*.ts`) : [path];
};

/** Lines changed since a commit, in Stryker's notation: `file.ts:10-12`. */
const changedSince = (commit: string): string[] => {
  const args = ['diff', '--unified=0', '--diff-filter=d', commit, '--', ...folders.map((folder) => `${folder}/*.ts`)];
  const ranges: string[] = [];
  let file = '';
  for (const line of execFileSync('git', args, { encoding: 'utf8', maxBuffer: 2 ** 28 }).split('\n')) {
    if (line.startsWith('+++ b/')) file = line.slice('+++ b/'.length);
    const [, start, count = '1'] = /^@@ -\S+ \+(\d+)(?:,(\d+))? @@/.exec(line) ?? [];
    if (start !== undefined && count !== '0') ranges.push(`${file}:${start}-${Number(start) + Number(count) - 1}`);
  }
  return ranges;
};

/** The tests for a file's folder, or for the nearest parent folder with tests. */
const testsBeside = (file: string): string[] => {
  for (let folder = dirname(file); folder !== '.'; folder = dirname(folder)) {
    const tests = globSync(`test/${folder}/**/*.test.ts`);
    if (tests.length > 0) return tests;
  }
  return [];
};

const lineOf = ({ fileName, location }: MutantResult): string =>
  readFileSync(fileName, 'utf8').split('\n')[location.start.line - 1]?.trim() ?? '';

const mutantOf = ({ mutatorName, replacement }: MutantResult): string => `${mutatorName}: ${replacement}`;

/**
 * For each file, the changes that no test can detect because the program behaves the same either way: the trimmed
 * source line, the change as printed by Stryker, and why it makes no difference.
 */
const known: Record<string, readonly { line: string; mutant: string; why: string }[]> = equivalents;
const isEquivalent = (mutant: MutantResult): boolean =>
  (known[relative('.', mutant.fileName)] ?? []).some(
    ({ line, mutant: change }) => lineOf(mutant) === line && mutantOf(mutant) === change,
  );

const unnoticed = new Set<MutantResult['status']>(['Survived', 'NoCoverage']);

const print = (mutants: readonly MutantResult[]): void => {
  const survivors = mutants.filter(({ status }) => unnoticed.has(status));
  for (const mutant of survivors) {
    const { line, column } = mutant.location.start;
    const place = `${relative('.', mutant.fileName)}:${line}:${column}`;
    console.log(`${place}  ${mutant.status}\n  - ${lineOf(mutant)}\n  + ${mutantOf(mutant)}`);
  }
  const noticed = mutants.length - survivors.length;
  console.log(`${noticed} of ${mutants.length} changes noticed (${((100 * noticed) / mutants.length).toFixed(1)} %)`);
};

const { values, positionals } = readArguments();
if (values.help) {
  console.log(help);
  process.exit(0);
}
if ((values.since === undefined) === (positionals.length === 0)) refuse('give paths, or --since a commit');
const mutate = values.since === undefined ? positionals.flatMap(filesAt) : changedSince(values.since);
if (mutate.length === 0) {
  console.log('nothing to change');
  process.exit(0);
}
const name = values.whole ? 'whole' : 'beside';
const files = new Set(mutate.map((range) => range.replace(/:[\d-]+$/, '')));
const besides = new Set([...files].flatMap(testsBeside));
if (!values.whole) process.env.MUTANT_TESTS = [...besides].join(',');
// Loading these modules takes a second, which `--help` should not have to wait for.
const [{ Stryker }, { changeNumbers }] = await Promise.all([import('@stryker-mutator/core'), import('./numbers.ts')]);
await changeNumbers();
const mutants = await new Stryker({
  mutate,
  testRunner: 'vitest',
  plugins: ['@stryker-mutator/vitest-runner', './test/mutants/ignorers.ts'],
  ignorers: ['meta'],
  vitest: { configFile: 'test/mutants/vitest.config.ts', related: false },
  coverageAnalysis: 'perTest',
  dryRunTimeoutMinutes: 30,
  incremental: true,
  incrementalFile: `.generated/mutants/${name}.json`,
  reporters: ['progress', 'html'],
  htmlReporter: { fileName: `.generated/mutants/${name}.html` },
  ignorePatterns: ['.local', 'cdk.out'],
  tempDirName: '.generated/mutants/sandbox',
}).runMutationTest();
// The results also contain cached ones from other files.
const changed = mutants.filter(({ fileName }) => files.has(relative('.', fileName)));
print(changed.filter((mutant) => ['Killed', 'Timeout', ...unnoticed].includes(mutant.status) && !isEquivalent(mutant)));
