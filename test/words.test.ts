import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { beginnings, doubledSubject, rates, stored, weakTitle, wordings } from '#test/fixtures/words.ts';

const root = new URL('..', import.meta.url).pathname;
const git = (...args: string[]): string => execFileSync('git', args, { cwd: root, encoding: 'utf8' });

/** The word lists themselves, and files that quote others verbatim. */
const quoting = ['test/fixtures/words.ts', 'test/words.test.ts', 'package-lock.json'];

const isStored = (file: string, found: string): boolean =>
  stored.some(({ name, files = [''] }) => name.test(found) && files.some((path) => file.startsWith(path)));

/** Returns the findings in a file, each with the line, the word and the better word. */
const complaints = (file: string, source: string): string[] => {
  const lineAt = (index: number): number => source.slice(0, index).split('\n').length;
  const matches = ({ source: pattern, flags }: RegExp) => [...source.matchAll(new RegExp(pattern, `g${flags}`))];
  const words = [...wordings, ...beginnings].flatMap(({ found, better }) =>
    matches(found)
      .filter(([text]) => !isStored(file, text))
      .map(({ 0: text, index }) => `${file}:${lineAt(index)}: "${text}" → ${better}`),
  );
  if (!file.endsWith('.test.ts') && !file.endsWith('.journey.ts')) return words;
  return [
    ...words,
    ...matches(weakTitle).map(
      ({ index, 2: word }) => `${file}:${lineAt(index)}: a title that begins with "${word}" → a statement`,
    ),
    ...matches(doubledSubject).map(
      ({ index, 2: subject }) => `${file}:${lineAt(index)}: "${subject} ${subject}" → the subject once`,
    ),
  ];
};

/** The newest commit from before this check existed. A shallow clone may not have it. */
const BEFORE = '08662840';
const LONGEST_SUBJECT = 72;
const newSubjects = (): string[] => {
  try {
    return git('log', '--no-merges', '--format=%s', `${BEFORE}..HEAD`).split('\n');
  } catch {
    return [];
  }
};

const files = git('ls-files', '*.ts', '*.tsx', '*.mts', '*.md', '*.yml', '*.json')
  .split('\n')
  .filter((file) => file !== '' && !quoting.includes(file));

test('code, text and documentation use common industry terms', () => {
  expect(files.flatMap((file) => complaints(file, readFileSync(`${root}${file}`, 'utf8')))).toEqual([]);
});

test.each([
  ['shared/a.ts', '/** Gives the key. */', 'Returns'],
  ['shared/a.ts', '// Nobody was told of it.', 'notified'],
  ['shared/a.ts', 'const letterOf = 1;', 'notification'],
  ['README.md', 'The sensor is silent.', 'offline'],
  ['test/a.test.ts', "test('is retried after 503', run);", 'a statement'],
  ['test/a.test.ts', "test('a device a device is busy', run);", 'the subject once'],
])('the check finds an old word in %s: %s', (file, source, better) => {
  expect(complaints(file, source)).toEqual([expect.stringContaining(better)]);
});

/** A block comment, or a line comment that does not begin in a URL. */
const COMMENT = /\/\*[\s\S]*?\*\/|(?<!:)\/\/[^\n]*/g;
test.each(rates)('comments use $word at most $most times per 1,000 words', ({ found, most }) => {
  const sources = files
    .filter((file) => /\.(ts|tsx|mts)$/.test(file))
    .map((file) => readFileSync(`${root}${file}`, 'utf8'));
  const comments = sources.flatMap((source) => source.match(COMMENT) ?? []).join('\n');
  const words = comments.match(/[a-z']+/gi)?.length ?? 0;
  expect(words).toBeGreaterThan(100_000);
  expect(((comments.match(found)?.length ?? 0) * 1_000) / words).toBeLessThanOrEqual(most);
});

test('commit subjects have at most 72 characters', () => {
  expect(newSubjects().filter((subject) => subject.length > LONGEST_SUBJECT)).toEqual([]);
});
