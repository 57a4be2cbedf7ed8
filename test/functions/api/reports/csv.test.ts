import fc from 'fast-check';
import { expect, test } from 'vitest';
import { csvOf } from '#functions/api/reports/csv.ts';
import type { Figures } from '#shared/domain/rule/report.ts';

const figures: Figures = {
  falls: 3,
  sensitiveFalls: 0,
  suspectedFalls: 1,
  falseAlarms: 2,
  confirmed: 1,
  missed: 0,
  acknowledged: 3,
  unanswered: 1,
  medianMs: 61_500,
  p90Ms: null,
  silences: 1,
  silentMs: 3_600_000,
  silencesWithoutEnd: 0,
};
const csv = (name: string | null): string => {
  const month = { month: '2026-11', from: 0, to: 1, isWhole: true, total: figures, days: [] };
  const rooms = [{ sensorId: 'id', name, ...figures }];
  const bytes = csvOf({ timeZone: 'UTC', from: '2026-11-01', to: '2026-11-30', months: [{ ...month, rooms }] });
  return new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes);
};
const lineOf = (name: string | null): string | undefined => csv(name).split('\r\n')[1];
const figuresText = '3,0,1,2,1,0,3,1,61.5,,1,3600,0';

/** Parses CSV according to RFC 4180. */
const read = (text: string): string[][] => {
  const lines: string[][] = [[]];
  for (const [, quoted, plain, end] of text.matchAll(/(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r\n)/g)) {
    lines.at(-1)?.push(quoted?.replaceAll('""', '"') ?? plain ?? '');
    if (end === '\r\n') lines.push([]);
  }
  return lines.slice(0, -1);
};

test('a CSV report starts with a byte order mark so Excel recognizes UTF-8', () => {
  expect([...csvOf({ timeZone: 'UTC', from: '', to: '', months: [] }).slice(0, 3)]).toEqual([0xef, 0xbb, 0xbf]);
});

test('a CSV report escapes names that spreadsheets would interpret as formulas', () => {
  expect(lineOf('=HYPERLINK("http://x")')).toBe(`2026-11,true,"'=HYPERLINK(""http://x"")",id,${figuresText}`);
  for (const begin of ['=', '+', '-', '@', '\t', '\r', '＝', '＋', '－', '＠'])
    expect(read(csv(`${begin}1`))[1]?.[2], begin).toBe(`'${begin}1`);
  expect(lineOf(' =1')).toBe(`2026-11,true,' =1,id,${figuresText}`);
});

test('a CSV report leaves the name of a former sensor empty', () => {
  expect(lineOf('Zimmer 3 ä')).toBe(`2026-11,true,Zimmer 3 ä,id,${figuresText}`);
  expect(lineOf('Room 1, left')).toBe(`2026-11,true,"Room 1, left",id,${figuresText}`);
  expect(lineOf(null)).toBe(`2026-11,true,,id,${figuresText}`);
});

test('a CSV report writes every name as one cell according to RFC 4180', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (name) => {
      const [head = [], line = [], ...rest] = read(csv(name));
      expect(rest).toEqual([]);
      expect(line).toHaveLength(head.length);
      expect([name, `'${name}`]).toContain(line[2]);
    }),
  );
});
