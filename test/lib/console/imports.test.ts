import { expect, test } from 'vitest';
import { parseCsv } from '#functions/api/imports/csv.ts';

// Imported through paths the compiler cannot see, because the console has separate compiler settings.
const folder = new URL('../../../lib/console/', import.meta.url).pathname;
type Kind = 'users' | 'sensors' | 'rules';
const { decodeFile, templateOf, templates } = (await import(`${folder}imports/template.ts`)) as {
  decodeFile: (bytes: ArrayBuffer) => string;
  templateOf: (kind: Kind, locale: string) => string;
  templates: Record<Kind, { required: readonly string[]; example: Record<string, string> }>;
};
const kinds = Object.keys(templates) as Kind[];

test.each(kinds)('the %s template parses into the example, with commas and with semicolons', (kind) => {
  const { example } = templates[kind];
  for (const locale of ['en', 'de']) expect(parseCsv(templateOf(kind, locale))).toEqual({ rows: [example] });
});

test.each(['en', 'de'])('the import page explains every template column in %s', async (locale) => {
  const { imports } = (await import(`${folder}texts/imports-${locale}.ts`)) as {
    imports: { hints: Record<Kind, Record<string, string>> };
  };
  for (const kind of kinds) expect(Object.keys(imports.hints[kind])).toEqual(Object.keys(templates[kind].example));
});

test('a spreadsheet file in a Windows encoding keeps umlauts', () => {
  const text = 'name\nMüller';
  const windows = Uint8Array.from(text, (character) => character.charCodeAt(0));
  expect([decodeFile(windows.buffer), decodeFile(new TextEncoder().encode(text).buffer as ArrayBuffer)]).toEqual([
    text,
    text,
  ]);
});
