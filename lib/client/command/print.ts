import type { Io } from './command.ts';

type Row = Readonly<Record<string, string | number | boolean | null>>;

/** Text of others must not move the cursor or change colours of a terminal. */
export const printable = (value: string): string => value.replaceAll(/\p{Cc}/gu, '\u{FFFD}');

const textOf = (value: Row[string] | undefined): string => {
  if (value === null || value === undefined) return '-';
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  return printable(String(value));
};

/** A table of rows, in which a column has the title that they name it by. */
export const table = (rows: readonly Row[]): string[] => {
  const titles = Object.keys(rows[0] ?? {});
  const lines = [
    titles.map((title) => title.toUpperCase()),
    ...rows.map((row) => titles.map((title) => textOf(row[title]))),
  ];
  const widths = titles.map((_, at) => Math.max(...lines.map((line) => line[at]?.length ?? 0)));
  return lines.map((line) =>
    line
      .map((cell, at) => cell.padEnd(widths[at] ?? 0))
      .join('  ')
      .trimEnd(),
  );
};

/** Prints a list: as JSON, whole, or as a table with some of it. */
export const printList = <T>(io: Io, isJson: boolean, list: readonly T[], rowOf: (item: T) => Row): void => {
  if (isJson) io.out(JSON.stringify(list, null, 2));
  else if (list.length === 0) io.err('none');
  else for (const line of table(list.map(rowOf))) io.out(line);
};

/** A time (ms since the Unix epoch) as people and programs read it. */
export const timeText = (time: number): string => new Date(time).toISOString().replace(/\.\d+Z$/, 'Z');
