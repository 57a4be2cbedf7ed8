import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { query } from '#lib/local/table/query.ts';
import { openStorage } from '#lib/local/table/storage.ts';
import type { Document } from '#lib/local/table/values.ts';

const { rows, turns, close } = openStorage(':memory:', { freezes: true });
const put = (item: Document) => rows.put(item, 100);
beforeAll(async () => {
  await turns.write(() => {
    for (const sk of ['a', 'aa', 'b', 'c', 'é'])
      put({ pk: 'p', sk, text: sk, doc: { m: sk, n: [1, 2], deep: { x: 1, y: 2 } } });
    put({ pk: 'q', sk: 'a' });
    for (const [sk, dueAt] of [
      ['1', '20'],
      ['2', '10'],
      ['3', '20'],
    ])
      put({ pk: 'd', sk: String(sk), duePk: 'D', dueAt: String(dueAt), text: 'x' });
    put({ pk: 'd', sk: '4', duePk: 'D' });
    put({ pk: 'd', sk: '5', dueAt: '10' });
  });
});
afterAll(close);

const ofP = (more: object = {}, values: object = {}) =>
  query(rows, {
    TableName: 't',
    KeyConditionExpression: 'pk = :pk',
    ExpressionAttributeValues: { ':pk': 'p', ...values },
    ...more,
  });
const keysOf = ({ Items }: { Items: readonly Document[] }) => Items.map(({ sk }) => sk);
const between = 'pk = :pk AND sk BETWEEN :low AND :high';
const prefix = 'pk = :pk AND begins_with(sk, :start)';

test("a query finds a partition's items ordered by sort key, forward or backward", () => {
  expect(ofP()).toMatchObject({ Count: 5, ScannedCount: 5 });
  expect(ofP()).not.toHaveProperty('LastEvaluatedKey');
  expect(keysOf(ofP())).toEqual(['a', 'aa', 'b', 'c', 'é']);
  expect(keysOf(ofP({ ScanIndexForward: true }))).toEqual(['a', 'aa', 'b', 'c', 'é']);
  expect(keysOf(ofP({ ScanIndexForward: false, ConsistentRead: true }))).toEqual(['é', 'c', 'b', 'aa', 'a']);
  expect(ofP({}, { ':pk': 'none' })).toEqual({ Items: [], Count: 0, ScannedCount: 0 });
});

test.each<[string, object, string[]]>([
  [between, { ':low': 'a', ':high': 'b' }, ['a', 'aa', 'b']],
  [between, { ':low': 'ab', ':high': 'd' }, ['b', 'c']],
  [between, { ':low': 'b', ':high': 'b' }, ['b']],
  ['pk = :pk and sk between :low and :high', { ':low': 'c', ':high': 'é' }, ['c', 'é']],
  [prefix, { ':start': 'a' }, ['a', 'aa']],
  [prefix, { ':start': 'aa' }, ['aa']],
  [prefix, { ':start': 'x' }, []],
  ['pk = :pk AND begins_with ( sk , :start )', { ':start': 'é' }, ['é']],
])('a query finds items with a sort key in a range: %s, %o', (KeyConditionExpression, values, found) => {
  expect(keysOf(ofP({ KeyConditionExpression }, values))).toEqual(found);
  expect(keysOf(ofP({ KeyConditionExpression, ScanIndexForward: false }, values))).toEqual(found.toReversed());
});

test.each<[string, string[]]>([
  ['\ud7ff', ['\ud7ff', '\ud7ffx']],
  ['x\u{10ffff}', ['x\u{10ffff}', 'x\u{10ffff}\u{10ffff}']],
  ['\u{10ffff}', ['\u{10ffff}', '\u{10ffff}z']],
  ['\u{1f600}', ['\u{1f600}', '\u{1f600}a']],
])('a query finds sort keys with a prefix, whatever follows it: %j', async (start, found) => {
  await turns.write(() => {
    for (const sk of [...found, '\ue000', 'w', 'y', '\u{1f601}']) put({ pk: start, sk });
  });
  const all = query(rows, {
    KeyConditionExpression: prefix,
    ExpressionAttributeValues: { ':pk': start, ':start': start },
  });
  expect(keysOf(all)).toEqual(found);
});

test('a query returns pages with the requested number of items and the key to continue from', () => {
  const first = ofP({ Limit: 2 });
  expect(first).toMatchObject({ Count: 2, LastEvaluatedKey: { pk: 'p', sk: 'aa' } });
  expect(first.LastEvaluatedKey).toEqual({ pk: 'p', sk: 'aa' });
  const next = ofP({ Limit: 2, ExclusiveStartKey: first.LastEvaluatedKey });
  expect(keysOf(next)).toEqual(['b', 'c']);
  const back = { Limit: 1, ScanIndexForward: false, ExclusiveStartKey: { pk: 'p', sk: 'c' } };
  expect(keysOf(ofP(back))).toEqual(['b']);
  const inRange = { KeyConditionExpression: between, ExclusiveStartKey: { pk: 'p', sk: 'aa' } };
  expect(keysOf(ofP(inRange, { ':low': 'a', ':high': 'b' }))).toEqual(['b']);
});

test('a query returns only what the projection selects', () => {
  const only = (ProjectionExpression: string, more: object = {}) =>
    ofP({ ProjectionExpression, Limit: 1, ...more }).Items[0];
  expect(only('sk')).toEqual({ sk: 'a' });
  expect(only('sk, doc.m, nothing, doc.nothing')).toEqual({ sk: 'a', doc: { m: 'a' } });
  expect(only('doc.m, #d.deep.y, doc.deep.x', { ExpressionAttributeNames: { '#d': 'doc' } })).toEqual({
    doc: { m: 'a', deep: { x: 1, y: 2 } },
  });
  expect(ofP({ ProjectionExpression: 'doc', Limit: 1 }).LastEvaluatedKey).toEqual({ pk: 'p', sk: 'a' });
});

test('an index query returns only keys, ordered by index key and then by primary key', () => {
  const due = (more: object = {}, values: object = {}) =>
    query(rows, {
      IndexName: 'due',
      KeyConditionExpression: 'duePk = :pk',
      ExpressionAttributeValues: { ':pk': 'D', ...values },
      ...more,
    });
  const item = (sk: string, dueAt: string) => ({ pk: 'd', sk, duePk: 'D', dueAt });
  expect(due().Items).toEqual([item('2', '10'), item('1', '20'), item('3', '20')]);
  expect(due({ ScanIndexForward: false }).Items).toEqual([item('3', '20'), item('1', '20'), item('2', '10')]);
  expect(due({ Limit: 2 }).LastEvaluatedKey).toEqual(item('1', '20'));
  expect(keysOf(due({ ExclusiveStartKey: item('1', '20') }))).toEqual(['3']);
  expect(keysOf(due({ ExclusiveStartKey: item('1', '20'), ScanIndexForward: false }))).toEqual(['2']);
  const upTo = { KeyConditionExpression: 'duePk = :pk AND dueAt BETWEEN :low AND :high' };
  expect(keysOf(due(upTo, { ':low': '10', ':high': '19' }))).toEqual(['2']);
});

describe('a query is rejected', () => {
  const start = { pk: 'p', sk: 'a' };
  test.each<[object, object, string]>([
    [{ IndexName: 'other' }, {}, 'The table does not have the specified index: other'],
    [
      { IndexName: 'due', KeyConditionExpression: 'duePk = :pk', ConsistentRead: true },
      {},
      'Consistent reads are not supported on global secondary indexes',
    ],
    [{ Limit: 0 }, {}, 'Limit must be 1 or more'],
    [{ Limit: 1.5 }, {}, 'Limit must be 1 or more'],
    [{ IndexName: 'due' }, {}, 'Query condition missed key schema element'],
    [{ KeyConditionExpression: 'sk = :pk' }, {}, 'Query condition missed key schema element'],
    [
      { KeyConditionExpression: 'pk = :pk AND begins_with(text, :start)' },
      { ':start': 'a' },
      'Attribute name is a reserved keyword: text',
    ],
    [
      { KeyConditionExpression: 'pk = :pk AND begins_with(a1, :start)' },
      { ':start': 'a' },
      'Query condition missed key schema element',
    ],
    [{ KeyConditionExpression: 'pk = :pk AND sk = :v' }, { ':v': 'a' }, 'at ='],
    [{ KeyConditionExpression: 'pk = :pk OR sk = :v' }, { ':v': 'a' }, 'at OR'],
    [{ KeyConditionExpression: 'pk < :pk' }, {}, 'at <'],
    [{ KeyConditionExpression: `${prefix} AND sk = :start` }, { ':start': 'a' }, 'at AND'],
    [{ KeyConditionExpression: 'pk = :pk AND begins_with(sk :start)' }, { ':start': 'a' }, 'at :start'],
    [{ KeyConditionExpression: 'pk = :pk AND begins_with(sk, :start' }, { ':start': 'a' }, 'at its end'],
    [{ KeyConditionExpression: 'pk = :pk AND sk BETWEEN :low, :high' }, { ':low': 'a', ':high': 'b' }, 'at ,'],
    [
      { KeyConditionExpression: between },
      { ':low': 'b', ':high': 'a' },
      'The BETWEEN operator requires upper bound to be greater than or equal to lower bound',
    ],
    [{}, { ':pk': '' }, 'a key in KeyConditionExpression must be a string that is not empty'],
    [{}, { ':pk': 1 }, 'a key in KeyConditionExpression must be a string that is not empty'],
    [
      { KeyConditionExpression: prefix },
      { ':start': '' },
      'a key in KeyConditionExpression must be a string that is not empty',
    ],
    [{ ExclusiveStartKey: { ...start, pk: 'q' } }, {}, 'The provided starting key is outside query boundaries'],
    [{ ExclusiveStartKey: { pk: 'p' } }, {}, 'a key in KeyConditionExpression must be a string that is not empty'],
    [{ FilterExpression: 'text = :pk' }, {}, 'the local table does not support FilterExpression'],
    [{}, { ':unused': 1 }, 'Value provided in the expression attributes unused: :unused'],
    [
      { ExpressionAttributeNames: { '#unused': 'a' } },
      {},
      'Value provided in the expression attributes unused: #unused',
    ],
    [{ ExpressionAttributeNames: {} }, {}, 'ExpressionAttributeNames and ExpressionAttributeValues must not be empty'],
  ])('a query is rejected for the input %o with the values %o', (more, values, message) => {
    expect(() => ofP(more, values)).toThrow(message);
  });
});
