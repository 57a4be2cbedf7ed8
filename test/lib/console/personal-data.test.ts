import { expect, test } from 'vitest';
import { itemsEnglish } from '#lib/console/personal-data/items-english.ts';
import { itemsGerman } from '#lib/console/personal-data/items-german.ts';
import { erasureRules } from '#shared/store/subjects/erasure-rules.ts';

test.each([
  ['English', itemsEnglish],
  ['German', itemsGerman],
])('every item kind that an erasure counts has a name in %s', (_, names) => {
  const counted = Object.entries(erasureRules).filter(([, belonging]) => Object.keys(belonging).length > 0);
  expect(Object.keys(names).toSorted()).toEqual(counted.map(([kind]) => kind).toSorted());
});

test('groups item kinds the same way in both languages', () => {
  const lines = (words: Readonly<Record<string, string>>) =>
    [...Map.groupBy(Object.keys(words), (kind) => words[kind]).values()].map((kinds) => kinds.toSorted()).toSorted();
  expect(lines(itemsGerman)).toEqual(lines(itemsEnglish));
});
