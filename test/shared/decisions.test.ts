import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

const folder = new URL('../../shared/decisions/', import.meta.url);
const read = (name: string): string => readFileSync(new URL(name, folder), 'utf8');
const names = readdirSync(folder).filter((name) => name !== 'README.md');
const link = (name: string): string => `[${name.slice(0, 4)}](${name})`;
const statusOf = (name: string): string => /\n\nStatus: (.+)\n/.exec(read(name))?.[1] ?? '';

test('every decision is a numbered file with title, status, date, context, decision and consequence', () => {
  const form =
    /^# .+\n\nStatus: (accepted|superseded by .+)\nDate: \d{4}-\d\d-\d\d\n\n\*\*Context\.\*\* .+\n\n\*\*Decision\.\*\* .+\n\n\*\*Consequence\.\*\* .+\n$/;
  expect(names.filter((name) => !/^\d{4}-[a-z0-9-]+\.md$/.test(name) || !form.test(read(name)))).toEqual([]);
  expect(names.map((name) => Number(name.slice(0, 4)))).toEqual(names.map((_, index) => index + 1));
});

test('a superseded decision names the later one that takes its place', () => {
  const superseded = names.filter((name) => statusOf(name) !== 'accepted');
  const isNamed = (name: string) => names.some((later) => later > name && statusOf(name).endsWith(link(later)));
  expect(superseded.filter((name) => !isNamed(name))).toEqual([]);
});

test('the index has each decision with its title below its status', () => {
  const [accepted = '', superseded = ''] = read('README.md').split('\n## Superseded\n');
  const lineOf = (name: string) => `\n- ${link(name)} ${/^# (.+)/.exec(read(name))?.[1]}`;
  const placeOf = (name: string) => (statusOf(name) === 'accepted' ? accepted : superseded);
  expect(names.filter((name) => !placeOf(name).includes(lineOf(name)))).toEqual([]);
});
