/** A mutation of a valid body's JSON text. `at` counts the values in the body, from the outside in. */
export type Edit = { at: number; how: 'replace' | 'duplicate' | 'add' | 'wrap'; key: string; text: string };

/** Values as JSON text, because many of them cannot exist in memory. */
export const values: readonly string[] = [
  'null',
  'true',
  'false',
  '[]',
  '{}',
  '""',
  '"x"',
  '"0"',
  '[null]',
  '[[]]',
  '{"a":{}}',
  '[{}]',
  '0',
  '-0',
  '-1',
  '1',
  '1.0',
  '1.5',
  '1e0',
  '1e400',
  '-1e400',
  '1e-400',
  '0.1e1',
  '2147483647',
  '2147483648',
  '9007199254740991',
  '9007199254740992',
  '9007199254740993',
  '9223372036854775807',
  '9223372036854775808',
  '-9223372036854775808',
  '18446744073709551616',
  '-9007199254740991',
  '9'.repeat(400),
  '8640000000000001',
  '"\\u0000"',
  '"\\ud800"',
  '"\\udc00x"',
  '"\\ufffe"',
  '"\\uffff"',
  '"a\\nb"',
  '"\ufeff"',
  '"\u202e"',
  '"\ud83d\ude00"',
  '"__proto__"',
  '"constructor"',
  '"toString"',
  '"hasOwnProperty"',
  '"$ref"',
  '"NaN"',
  '"null"',
  '"undefined"',
  '"../../etc/passwd"',
  '"#"',
  '"%00"',
  '"{sensor}{time}{__proto__}"',
  '"a#b#c"',
  '"me"',
  '"C#1"',
  '"http://127.0.0.1:9"',
  '"http://[::ffff:127.0.0.1]:9/"',
  '"http://0x7f.1:9/"',
  '"ftp://127.0.0.1"',
  '"http://["',
  '{"__proto__":{"isAdmin":true}}',
  '{"constructor":{"prototype":{"isAdmin":true}}}',
  '{"length":-1}',
  '"bearer"',
  '"raw"',
  '"custom1"',
  '"full"',
  '"maker_b"',
  '"fall_detected"',
  '"Europe/Berlin"',
  '"de"',
  '"admin"',
  `"${'x'.repeat(1_025)}"`,
  `"${'ä'.repeat(5_000)}"`,
  `[${'0,'.repeat(3_000)}0]`,
  `[${'{},'.repeat(150)}{}]`,
  '['.repeat(20) + ']'.repeat(20),
  '['.repeat(40) + ']'.repeat(40),
  `${'{"a":'.repeat(31)}1${'}'.repeat(31)}`,
];

export const keys: readonly string[] = [
  '__proto__',
  'constructor',
  'prototype',
  'toString',
  'then',
  'toJSON',
  'length',
  '',
  '0',
  '\\u0000',
  '\\ud800',
  'id',
  'customerId',
  'userId',
  'sensorId',
  'isAdmin',
  'permissions',
  'token',
  'secretKey',
  'hasSecretKey',
  'botId',
  'pk',
  'sk',
  'ttl',
  'duePk',
  'accountKey',
  'groupId',
  'schedule',
  'regionId',
  'retrySchedule',
  'uuid',
  'payload',
];

/** Returns a value's JSON text with all edits applied. */
export const applyEdits = (value: unknown, edits: readonly Edit[]): string => {
  const size = sizeOf(value);
  let at = -1;
  const write = (inner: unknown): string => {
    at++;
    const here = edits.filter((edit) => edit.at % size === at);
    const plain = Array.isArray(inner)
      ? `[${inner.map(write).join(',')}]`
      : typeof inner === 'object' && inner !== null
        ? `{${membersOf(inner, write, here).join(',')}}`
        : JSON.stringify(inner);
    return here.reduce((text, { how, text: other }) => {
      if (how === 'replace') return other;
      return how === 'wrap' ? `[${text}]` : text;
    }, plain);
  };
  return write(value);
};

const membersOf = (container: object, write: (value: unknown) => string, here: readonly Edit[]): string[] => {
  const members = Object.entries(container).map(([key, value]) => `${JSON.stringify(key)}:${write(value)}`);
  const more = here.flatMap(({ how, key, text }) => {
    if (how === 'add') return [`"${key}":${text}`];
    return how === 'duplicate'
      ? Object.keys(container)
          .slice(0, 1)
          .map((first) => `${JSON.stringify(first)}:${text}`)
      : [];
  });
  return [...members, ...more];
};

const sizeOf = (value: unknown): number =>
  typeof value === 'object' && value !== null
    ? Object.values(value).reduce<number>((sum, inner) => sum + sizeOf(inner), 1)
    : 1;

/** Mutations of a body's bytes. */
export const manglings = {
  none: (bytes: Buffer): Buffer => bytes,
  empty: (): Buffer => Buffer.alloc(0),
  truncated: (bytes: Buffer) => bytes.subarray(0, bytes.length >> 1),
  'with a BOM': (bytes: Buffer) => Buffer.concat([Buffer.from('\ufeff'), bytes]),
  'invalid UTF-8': (bytes: Buffer) => Buffer.concat([bytes.subarray(0, -1), Buffer.from([0xc3, 0x28, 0xff])]),
  'a lone surrogate in UTF-8': (bytes: Buffer) =>
    Buffer.concat([Buffer.from('"'), Buffer.from([0xed, 0xa0, 0x80, 0x22]), bytes]),
  'UTF-16': (bytes: Buffer) => Buffer.from(bytes.toString(), 'utf16le'),
  'NUL at the end': (bytes: Buffer) => Buffer.concat([bytes, Buffer.from([0])]),
  twice: (bytes: Buffer) => Buffer.concat([bytes, bytes]),
  'in an array': (bytes: Buffer) => Buffer.concat([Buffer.from('['), bytes, Buffer.from(']')]),
  'many times in an array': (bytes: Buffer) =>
    Buffer.from(`[${Array.from({ length: 100 }, () => bytes.toString()).join(',')}]`),
  'with white space': (bytes: Buffer) => Buffer.concat([Buffer.from('\r\n\t '), bytes, Buffer.from(' \n')]),
} as const;
export type Mangling = keyof typeof manglings;
