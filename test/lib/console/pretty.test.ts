import fc from 'fast-check';
import { expect, test } from 'vitest';
import { pretty } from '#lib/console/ui/pretty.ts';

test('indents any JSON as JSON.stringify does', () => {
  fc.assert(
    fc.property(fc.json(), (json) => {
      // A parser moves numeric keys to the front, so the text is parsed first.
      const text = JSON.stringify(JSON.parse(json));
      expect(pretty(text)).toBe(JSON.stringify(JSON.parse(text), null, 2));
      expect(pretty(pretty(text))).toBe(pretty(text));
    }),
  );
});

test('preserves long numbers and escapes', () => {
  const text = String.raw`{"n":12345678901234567890.10,"e":1E-2,"t":"a\u0041\"{,:[\\","o":{},"a":[ ]}`;
  expect(pretty(text)).toBe(
    [
      '{',
      '  "n": 12345678901234567890.10,',
      '  "e": 1E-2,',
      String.raw`  "t": "a\u0041\"{,:[\\",`,
      '  "o": {},',
      '  "a": []',
      '}',
    ].join('\n'),
  );
});

test('leaves invalid JSON unchanged', () => {
  for (const text of ['', '{', 'a,b', '{"a":1}}', '\u0000']) expect(pretty(text)).toBe(text);
});
