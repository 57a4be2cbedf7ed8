import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { pageQuery, sortBy } from '#shared/api/http/paging.ts';
import { matchesSearch, pageOf, sortedBy } from '#shared/domain/page.ts';

const query = z.object({ ...pageQuery, sortBy: sortBy(['id', 'name'], 'asc(name)') });
const ids = (items: readonly { id: string | number }[]) => items.map(({ id }) => id);

describe('list queries', () => {
  test('a list query defaults to the first page of 30, sorted by name', () => {
    expect(query.parse({})).toEqual({ page: 0, perPage: 30, sortBy: 'asc(name)' });
  });
  test('a list query reduces perPage above 200 to 200', () => {
    for (const perPage of ['200', '201', '999999999999', '9007199254740991', '99999999999999999999'])
      expect(query.parse({ perPage }).perPage).toBe(200);
  });
  test.each([
    { page: '-1' },
    { page: '1.0' },
    { page: '1e3' },
    { page: '' },
    { page: ' 1' },
    { page: 'NaN' },
    { perPage: '0' },
    { perPage: '-5' },
    { perPage: '0x10' },
    { page: '9007199254740992' },
    { sortBy: 'name' },
    { sortBy: 'asc(nothing)' },
    { sortBy: 'ASC(name)' },
    { sortBy: 'asc(id),desc(name)' },
  ])('a list query with %j is rejected', (bad) => {
    expect(query.safeParse(bad).success).toBe(false);
  });
});

describe('lists', () => {
  const items = [
    { id: 3, name: 'b', isActive: true },
    { id: 1, name: 'B', isActive: false },
    { id: 2, name: 'a', isActive: false },
    { id: 10, name: 'ä', isActive: true },
  ];
  test('a list is sorted by a field regardless of case, then by id', () => {
    expect(ids(sortedBy(items, 'asc(name)'))).toEqual([2, 10, 1, 3]);
    expect(ids(sortedBy(items, 'desc(name)'))).toEqual([1, 3, 2, 10]);
  });
  test('a list sorts numbers numerically and strings alphabetically', () => {
    expect(ids(sortedBy(items, 'asc(id)'))).toEqual([1, 2, 3, 10]);
    expect(ids(sortedBy(items, 'desc(id)'))).toEqual([10, 3, 2, 1]);
    expect(ids(sortedBy([{ id: 'b' }, { id: 'a' }], 'asc(id)'))).toEqual(['a', 'b']);
  });
  test('a list sorts a field with numbers numerically', () => {
    const dated = [10, 9, 100].map((createDate) => ({ id: `${createDate}`, createDate }));
    expect(ids(sortedBy(dated, 'asc(createDate)'))).toEqual(['9', '10', '100']);
    expect(ids(sortedBy(dated, 'desc(createDate)'))).toEqual(['100', '10', '9']);
  });
  test('a list sorts false before true', () => {
    expect(ids(sortedBy(items, 'asc(isActive)'))).toEqual([1, 2, 3, 10]);
    expect(ids(sortedBy(items, 'desc(isActive)'))).toEqual([3, 10, 1, 2]);
  });
  test('a list is sorted independently of input order, with each item on exactly one page', () => {
    const item = fc.record({ id: fc.nat(30), name: fc.constantFrom('a', 'A', 'b', '') });
    const list = fc.uniqueArray(item, { selector: ({ id }) => id });
    const property = fc.property(list, fc.nat(5), (items, extra) => {
      const inOrder = sortedBy(items, 'asc(name)');
      expect(sortedBy(items.toReversed(), 'asc(name)')).toEqual(inOrder);
      const perPage = extra + 1;
      const pages = Math.ceil(items.length / perPage);
      const seen = Array.from({ length: pages }, (_, page) => pageOf(inOrder, { page, perPage })[0].data);
      expect(seen.flat()).toEqual(inOrder);
      expect(pageOf(inOrder, { page: pages, perPage })).toEqual([
        { total: items.length, page: pages, perPage, data: [] },
      ]);
    });
    fc.assert(property);
  });
});

test('a search matches any substring, regardless of case', () => {
  expect(matchesSearch('', null)).toBe(true);
  expect(matchesSearch('ROOM', 'x', 'Bathroom 3')).toBe(true);
  expect(matchesSearch('ku\u0308che', 'K\u00dcCHE')).toBe(true);
  expect(matchesSearch('%', 'Bathroom 3', null, undefined)).toBe(false);
  expect(matchesSearch('.*', 'Bathroom')).toBe(false);
});
