import fc from 'fast-check';
import { operations } from '../contracts/operations.ts';
import { anyText } from '../fixtures/any-text.ts';
import { type Credential, credentials } from './credentials.ts';
import { type Edit, keys, type Mangling, manglings, values } from './text.ts';

/** A random request. It is small, so that failing requests shrink to what matters. */
export type GeneratedRequest = {
  operation: number;
  credential: Credential;
  method: string | null;
  /** The value of each path parameter: a placeholder for an id in the world, or a string sent as is. */
  params: readonly string[];
  path: string;
  query: readonly (readonly [string, string])[];
  headers: readonly (readonly [string, string | string[]])[];
  edits: readonly Edit[];
  mangling: Mangling;
};

const oneOf = (...texts: readonly string[]) => fc.constantFrom(...texts);

/** Mostly the usual value, so that requests get past the first check. Other values shrink to it. */
const mostly = <T>(usual: T, other: fc.Arbitrary<T>, weight = 4): fc.Arbitrary<T> =>
  fc.oneof({ arbitrary: fc.constant(usual), weight }, { arbitrary: other, weight: 1 });

const param = mostly(
  '{ours}',
  oneOf(
    ...[
      '{theirs}',
      '{unknown}',
      'me',
      '0',
      '-1',
      '01',
      '1e3',
      '9007199254740992',
      '%00',
      '%',
      '%zz',
      '%C0%AF',
      '%ED%A0%80',
    ],
    ...[
      '..',
      '.',
      '%2e%2e',
      '%2F',
      '..%2f..%2f',
      'a%23b',
      '__proto__',
      'constructor',
      '%F0%9F%98%80',
      '+',
      '%20',
      '~',
      '*',
    ],
    ...[
      'id_000000000',
      '%EF%BF%BE',
      'x'.repeat(5_000),
      'login',
      'link',
      'register',
      "'",
      '%22',
      '{sensorId}',
      '%7BuserId%7D',
    ],
  ),
);

/** Mutations of the whole path. */
const path = mostly(
  '{path}',
  oneOf('{path}/', '{path}//', '/{path}', '{path}/..', '{path}/%2e', '{path};a=b', '{path}%00'),
  12,
);

const queryKeys = [
  'page',
  'perPage',
  'sortBy',
  'searchText',
  'customerId',
  'isActive',
  'sensorId',
  '__proto__',
  'x',
  '',
];
const queryValues = [
  '',
  '0',
  '1',
  '-1',
  '200',
  '201',
  '1.0',
  '1e3',
  '%2B1',
  '9007199254740991',
  '9007199254740993',
  '999999999999999',
  'asc(name)',
  'desc(createDate)',
  'asc(__proto__)',
  'asc()',
  'null',
  'true',
  '%00',
  '%',
  '%zz',
  '%C0',
  '%ED%A0%80',
  '{ours}',
  '{theirs}',
  '{unknown}',
  '%EF%BF%BF',
  '[]',
  '(',
  '.*',
  '%F0%9F%98%80',
  'x'.repeat(2_000),
  '%0D%0AX-A:b',
];
const query = mostly(
  [],
  fc.array(fc.tuple(oneOf(...queryKeys), oneOf(...queryValues)), { minLength: 1, maxLength: 3 }),
  2,
);

const header: fc.Arbitrary<readonly [string, string | string[]]> = fc.constantFrom<
  readonly [string, string | string[]]
>(
  ['content-type', 'text/plain'],
  ['content-type', 'application/json; charset=utf-16'],
  ['content-type', ';'],
  ['content-type', ['application/json', 'text/plain']],
  ['accept', 'image/png'],
  ['accept-language', 'de;q=x,,;q=,*'],
  ['accept-language', `${'de,'.repeat(500)}en`],
  ['accept-language', '__proto__'],
  ['accept-encoding', 'identity;q=0'],
  ['content-encoding', 'gzip'],
  ['authorization', 'Basic YWRtaW46YWRtaW4='],
  ['authorization', 'Bearer'],
  ['authorization', 'bearer  x'],
  ['authorization', `Bearer ${'x'.repeat(4_000)}`],
  ['authorization', 'Bearer \u00ff'],
  ['authorization', ['Bearer a', 'Bearer b']],
  ['cookie', 'PSAUTHTOKEN=garbage; PSCSRF=x'],
  ['cookie', 'PSAUTHTOKEN=; PSAUTHTOKEN==;;; =; a'],
  ['cookie', ['PSAUTHTOKEN=a', 'PSAUTHTOKEN=b']],
  ['cookie', '__proto__=1; PSUSERID=1'],
  ['x-csrf-token', ''],
  ['x-csrf-token', ['a', 'b']],
  ['x-forwarded-for', '::1, 999.1.1.1, \u00e4'],
  ['x-forwarded-proto', ['https', 'http']],
  ['x-http-method-override', 'DELETE'],
  ['x-original-url', '/api/v1/customers'],
  ['if-none-match', '*'],
  ['range', 'bytes=0-0'],
  ['origin', 'null'],
  ['host', '[::1'],
  ['host', ''],
  ['expect', 'nothing'],
  ['__proto__', 'x'],
  ['constructor', 'x'],
);

/** Replaces our id with another customer's id. If a key appears twice, the later one counts. */
const foreign: fc.Arbitrary<Edit> = fc.record({
  at: fc.nat(8),
  how: fc.constant('add'),
  key: oneOf('customerId', 'sensorId', 'botId', 'webhookId', 'userId'),
  text: oneOf('{theirs}', '{unknown}'),
});

const edit: fc.Arbitrary<Edit> = fc.record({
  at: fc.nat(40),
  how: fc.constantFrom('replace', 'duplicate', 'add', 'wrap'),
  key: oneOf(...keys),
  text: fc.oneof(
    { arbitrary: oneOf(...values), weight: 6 },
    { arbitrary: oneOf('{theirs}', '{unknown}'), weight: 1 },
    { arbitrary: fc.json({ maxDepth: 3 }), weight: 1 },
    { arbitrary: anyText(40).map((text) => JSON.stringify(text)), weight: 1 },
    { arbitrary: fc.double().map(String), weight: 1 },
  ),
});

// Operations with a body, which have the most ways to fail.
const withBody = operations.flatMap(([, { body }], at) => (body ? [at] : []));

/** Random requests to any operation in the contracts. */
export const requests: fc.Arbitrary<GeneratedRequest> = fc.record({
  operation: fc.oneof(fc.nat(operations.length - 1), fc.constantFrom(...withBody)),
  credential: mostly<Credential>('rightful', fc.constantFrom(...credentials), 6),
  method: mostly<string | null>(null, oneOf('GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'PATCH', 'OPTIONS', 'TRACE'), 12),
  params: fc.array(param, { minLength: 3, maxLength: 3 }),
  path,
  query,
  headers: mostly([], fc.array(header, { minLength: 1, maxLength: 3 }), 2),
  edits: fc.array(fc.oneof({ arbitrary: edit, weight: 4 }, { arbitrary: foreign, weight: 1 }), { maxLength: 3 }),
  mangling: mostly<Mangling>('none', fc.constantFrom(...(Object.keys(manglings) as Mangling[])), 5),
});
