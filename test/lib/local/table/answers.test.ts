import { BatchGetCommand, GetCommand, PutCommand, TransactWriteCommand } from '@aws-sdk/lib-dynamodb';
import { afterAll, describe, expect, test } from 'vitest';
import { KB, key, put, query, TableName, tableAlone, update } from '#test/fixtures/table-alone.ts';

const { send, errorOf, close } = tableAlone();
afterAll(close);

describe('pages', () => {
  test('a query page ends after 1 MB or at a limit, with the key to continue from', async () => {
    const at = (sk: number) =>
      new PutCommand({ TableName, Item: { pk: 'large', sk: String(sk).padStart(3, '0'), text: 'x'.repeat(100 * KB) } });
    for (let sk = 0; sk < 25; sk++) await send(at(sk));
    const large = { ExpressionAttributeValues: { ':pk': 'large' } };
    const sizes: number[] = [];
    let ExclusiveStartKey: unknown;
    do {
      const { Items, LastEvaluatedKey } = await send(
        query({ ...large, ...(ExclusiveStartKey ? { ExclusiveStartKey } : {}) }),
      );
      sizes.push((Items as unknown[]).length);
      ExclusiveStartKey = LastEvaluatedKey;
    } while (ExclusiveStartKey);
    expect(sizes).toEqual([11, 11, 3]);
    expect(await send(query({ ...large, Limit: 25 }))).toMatchObject({
      Count: 11,
      LastEvaluatedKey: { pk: 'large', sk: '010' },
    });
    const last = query({
      ...large,
      KeyConditionExpression: 'pk = :pk AND sk BETWEEN :a AND :a',
      ExpressionAttributeValues: { ':pk': 'large', ':a': '024' },
      Limit: 1,
    });
    expect(await send(last)).toMatchObject({ Count: 1, LastEvaluatedKey: { pk: 'large', sk: '024' } });
  });

  test('a batch read ends before 16 MB and returns the remaining keys', async () => {
    for (let sk = 0; sk < 50; sk++)
      await send(new PutCommand({ TableName, Item: { pk: 'b', sk: String(sk), text: 'x'.repeat(390 * KB) } }));
    const Keys = Array.from({ length: 50 }, (_, sk) => ({ pk: 'b', sk: String(sk) }));
    const { Responses, UnprocessedKeys } = await send(new BatchGetCommand({ RequestItems: { [TableName]: { Keys } } }));
    expect((Responses as Record<string, unknown[]>)[TableName]).toHaveLength(42);
    expect((UnprocessedKeys as Record<string, { Keys: unknown[] }>)[TableName]?.Keys).toEqual(Keys.slice(42));
  });

  test("begins_with finds only strings with the prefix, whatever the prefix's last character", async () => {
    const texts = [
      'a',
      'a\u{10ffff}',
      'a\u{10ffff}\u{10ffff}z',
      'b',
      '\ud7ff',
      '\ud7ffx',
      '\ue000',
      '\u{10ffff}',
      '\u{10ffff}x',
    ];
    for (const sk of texts) await send(new PutCommand({ TableName, Item: { pk: 'start', sk } }));
    for (const start of texts) {
      const found = await send(
        query({
          KeyConditionExpression: 'pk = :pk AND begins_with(sk, :s)',
          ExpressionAttributeValues: { ':pk': 'start', ':s': start },
        }),
      );
      const expected = texts.filter((text) => text.startsWith(start));
      expect((found.Items as { sk: string }[]).map(({ sk }) => sk).toSorted()).toEqual(expected.toSorted());
    }
  });
});

test('sums beyond the safe integer range stay exact', async () => {
  const add = (value: number) =>
    update('ADD n :v', { ExpressionAttributeValues: { ':v': value }, ReturnValues: 'ALL_NEW' });
  await send(put({ n: Number.MAX_SAFE_INTEGER }));
  expect(await send(add(2))).toMatchObject({ Attributes: { n: 9_007_199_254_740_993n } });
  expect(await send(new GetCommand({ TableName, Key: key }))).toMatchObject({ Item: { n: 9_007_199_254_740_993n } });
  expect(await send(add(-3))).toMatchObject({ Attributes: { n: 9_007_199_254_740_990 } });
});

test('a transaction executes once per token, which no other transaction can use', async () => {
  const transaction = (value: number) =>
    new TransactWriteCommand({
      ClientRequestToken: 't',
      TransactItems: [
        {
          Update: {
            TableName,
            Key: { pk: 't', sk: 't' },
            UpdateExpression: 'ADD n :v',
            ExpressionAttributeValues: { ':v': value },
          },
        },
      ],
    });
  await send(transaction(1));
  await send(transaction(1));
  expect(await send(new GetCommand({ TableName, Key: { pk: 't', sk: 't' } }))).toMatchObject({ Item: { n: 1 } });
  expect(await errorOf(transaction(2))).toBe('IdempotentParameterMismatchException');
});

test('inherited object properties do not count as attributes', async () => {
  await send(put({}));
  expect(
    await errorOf(
      put(
        {},
        {
          ConditionExpression: 'attribute_exists(toString) OR attribute_exists(a.#l)',
          ExpressionAttributeNames: { '#l': 'length' },
        },
      ),
    ),
  ).toBe('ConditionalCheckFailedException');
});
