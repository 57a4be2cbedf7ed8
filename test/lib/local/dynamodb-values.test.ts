import { PutCommand } from '@aws-sdk/lib-dynamodb';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { marshal, unmarshal } from '../../../lib/local/dynamodb-values.ts';
import { localDocumentClient } from '../../../lib/local/table.ts';
import { anyText } from '../../fixtures/any-text.ts';

const NOWHERE = 'http://127.0.0.1:1';
type Request = { request: { body: Uint8Array } };

/** What the document client makes of an item: the bytes that it would send. */
const bySdk = () => {
  const client = localDocumentClient(NOWHERE);
  let sent = '';
  client.middlewareStack.add(
    () => async (args) => {
      sent = new TextDecoder().decode((args as Request).request.body);
      const response = { statusCode: 200, headers: {}, body: new TextEncoder().encode('{}') };
      return { response, output: { $metadata: {} } };
    },
    { step: 'deserialize', name: 'kept here', priority: 'low' },
  );
  return async (Item: Record<string, unknown>): Promise<unknown> => {
    await client.send(new PutCommand({ TableName: 'table', Item }));
    return JSON.parse(sent).Item;
  };
};
const outcome = async (of: () => unknown): Promise<unknown> => {
  try {
    return JSON.parse(JSON.stringify(await of()));
  } catch {
    return 'refused';
  }
};

const safe = fc.oneof(
  fc.constantFrom(0, -0, 0.1, 1e-7, 1e-130, 123.456, Number.MAX_SAFE_INTEGER, Number.MIN_SAFE_INTEGER),
  fc.integer(),
  fc.double({ min: -1e15, max: 1e15, noNaN: true }),
);
const kept = fc.oneof(
  safe,
  anyText(),
  fc.constantFrom('', '\u{1f6cf}\u{fe0f}', '\ufffe\uffff\u2028\0', true, false, null),
);
const lost = fc.constantFrom(undefined, () => 1);
const refused = fc.constantFrom(
  2 ** 53,
  -(2 ** 53),
  1e300,
  Number.NaN,
  Number.POSITIVE_INFINITY,
  new Date(0),
  Symbol.iterator,
);
// Names that JSON escapes are left out: `JSON.parse` of Node 24.21 was seen to read an escaped NUL as a backslash.
const isPlainInJson = (text: string): boolean => JSON.stringify(text) === `"${text}"`;
const name = fc.oneof(anyText().filter(isPlainInJson), fc.constantFrom('', 'S', 'constructor', 'toString'));
const documents = (leaf: fc.Arbitrary<unknown>, names = name) =>
  fc.letrec((tie) => ({
    value: fc.oneof({ depthSize: 'small' }, leaf, fc.array(tie('value')), tie('document')),
    document: fc.dictionary(names, tie('value'), { noNullPrototype: true }),
  })).document as fc.Arbitrary<Record<string, unknown>>;

const check = async (any: fc.Arbitrary<Record<string, unknown>>) => {
  const sdk = bySdk();
  await fc.assert(
    fc.asyncProperty(any, async (document) => {
      expect(await outcome(() => marshal(document))).toEqual(await outcome(() => sdk(document)));
    }),
    { numRuns: 200 },
  );
};

test('any document is marshalled as the document client of the SDK does', async () => {
  await check(documents(fc.oneof({ weight: 10, arbitrary: kept }, { weight: 2, arbitrary: lost })));
});

test('a value that the document client of the SDK refuses is refused', async () => {
  await check(documents(fc.oneof({ weight: 4, arbitrary: kept }, { weight: 1, arbitrary: refused })));
});

test('a marshalled document is unmarshalled unchanged, except for values that JSON lacks', () => {
  const names = name.filter((one) => one !== 'constructor');
  fc.assert(
    fc.property(documents(fc.oneof(kept, lost), names), (document) => {
      // -0 is 0 in the table, and `undefined` leaves no hole in a list.
      const clean = (value: unknown): unknown => {
        if (Array.isArray(value))
          return value.filter((one) => one !== undefined && typeof one !== 'function').map(clean);
        if (typeof value === 'number') return value + 0;
        if (typeof value !== 'object' || value === null) return value;
        const fields = Object.entries(value).filter(([, one]) => one !== undefined && typeof one !== 'function');
        return Object.fromEntries(fields.map(([field, one]) => [field, clean(one)]));
      };
      expect(unmarshal(JSON.parse(JSON.stringify(marshal(document))))).toEqual(clean(document));
    }),
  );
});

test('a number beyond the safe integers is read as a bigint, and written unchanged', () => {
  const values = { sum: { N: '9007199254740993' }, least: { N: '-9007199254740993' }, safe: { N: '9007199254740991' } };
  expect(unmarshal(values)).toEqual({ sum: 2n ** 53n + 1n, least: -(2n ** 53n) - 1n, safe: 2 ** 53 - 1 });
  expect(marshal(unmarshal(values))).toEqual(values);
});
