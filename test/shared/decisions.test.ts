import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const root = new URL('../../', import.meta.url).pathname;
const folders = ['.github', 'bin', 'functions', 'lib', 'shared', 'test'];
const text = readFileSync(join(root, 'shared/decisions.md'), 'utf8');

const [current = '', retiredList = ''] = text.split('\n## Retired numbers\n');
const sections = current
  .split(/\n## .+\n/)
  .slice(1)
  .map((section) => section.trim().split(/\n\n(?=### )/));
const entries = sections.flat();
const numberOf = (entry: string): string => /^### (\d{4}) /.exec(entry)?.[1] ?? entry;
const numbers = entries.map(numberOf);
const retired = [...retiredList.matchAll(/^- (\d{4}) (?:was replaced by|became part of) \[(\d{4})\]/gm)];

/** Anchors as derived by GitHub from headings. */
const anchors = [...text.matchAll(/^#+ (.+)$/gm)].map(([, title = '']) =>
  title
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
    .replaceAll(' ', '-'),
);

/** Everything a file refers to: decision numbers ("decision 0045"), and anchors in decisions.md. */
const referencesIn = (path: string, content: string) => {
  const isDecisions = path === 'shared/decisions.md';
  const links = isDecisions ? /\]\(#([^)]+)\)/g : /decisions\.md#([\w-]+)/g;
  return {
    numbers: [...content.matchAll(/\bdecisions? (\d{4})\b/gi)].map(([, number = '']) => number),
    anchors: [...content.matchAll(links)].map(([, anchor = '']) => anchor),
  };
};

test('each decision has a number, a title, a date and one short paragraph', () => {
  const form = /^### \d{4} [A-Z`].+[^.]\n\n\d{4}-\d\d-\d\d\. .+\.$/;
  expect(entries.length).toBeGreaterThan(50);
  expect(entries.filter((entry) => !form.test(entry))).toEqual([]);
  expect(entries.filter((entry) => entry.split(/\s+/).length > 140)).toEqual([]);
});

test('decision numbers increase within each section', () => {
  for (const section of sections) expect(section.map(numberOf)).toEqual(section.map(numberOf).toSorted());
});

test('every number is used once, by a current or retired decision', () => {
  const all = [...numbers, ...retired.map(([, number = '']) => number)].map(Number);
  expect(all.toSorted((a, b) => a - b)).toEqual(all.map((_, index) => index + 1));
  expect(retired.filter(([, , successor = '']) => !numbers.includes(successor))).toEqual([]);
});

test('every decision reference matches an existing decision', () => {
  const files = folders.flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' }).map((path) => `${folder}/${path}`),
  );
  const readable = [...files, 'README.md', 'CHANGELOG.md'].filter((file) => /\.(m?tsx?|md|yml)$/.test(file));
  const known = [...numbers, ...retired.map(([, number = '']) => number)];
  const dangling = readable.flatMap((file) => {
    const found = referencesIn(file, readFileSync(join(root, file), 'utf8'));
    return [
      ...found.numbers.filter((number) => !known.includes(number)),
      ...found.anchors.filter((anchor) => !anchors.includes(anchor)),
    ].map((reference) => `${file}: ${reference}`);
  });
  expect(dangling).toEqual([]);
});

test('decision references are found in code and documents', () => {
  expect(referencesIn('a.ts', '/** See decision 0045. */')).toEqual({ numbers: ['0045'], anchors: [] });
  expect(referencesIn('a.md', '[x](decisions.md#0001-state-and-decision-are-one-write)')).toEqual({
    numbers: [],
    anchors: ['0001-state-and-decision-are-one-write'],
  });
  expect(referencesIn('shared/decisions.md', '[0001](#0001-state-and-decision-are-one-write)')).toEqual({
    numbers: [],
    anchors: ['0001-state-and-decision-are-one-write'],
  });
});
