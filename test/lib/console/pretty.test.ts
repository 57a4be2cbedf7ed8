import fc from 'fast-check';
import { expect, test } from 'vitest';
import { pretty } from '#lib/console/ui/pretty.ts';

test('any JSON has the lines that JSON.stringify gives it', () => {
  fc.assert(
    fc.property(fc.json(), (given) => {
      // A parser brings keys like numbers to the front, so the text is what comes of it.
      const text = JSON.stringify(JSON.parse(given));
      expect(pretty(text)).toBe(JSON.stringify(JSON.parse(text), null, 2));
      expect(pretty(pretty(text))).toBe(pretty(text));
    }),
  );
});

test('numbers and texts stay as they came, however many digits or escapes they have', () => {
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

test('what is no JSON is not changed', () => {
  for (const text of ['', '{', 'a,b', '{"a":1}}', '\u0000']) expect(pretty(text)).toBe(text);
});
