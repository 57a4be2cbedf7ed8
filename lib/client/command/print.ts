import type { CommandIo } from './command.ts';

type Row = Readonly<Record<string, string | number | boolean | null>>;

/** Replaces control characters, so that untrusted text cannot move the cursor or change terminal colors. */
export const printable = (value: string): string => value.replaceAll(/\p{Cc}/gu, '\u{FFFD}');

const textOf = (value: Row[string] | undefined): string => {
  if (value === null || value === undefined) return '-';
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  return printable(String(value));
};

/** Formats rows as a table with the field names as column titles. */
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

/** Prints a list: in full as JSON, or as a table of selected fields. */
export const printList = <T>(io: CommandIo, isJson: boolean, list: readonly T[], rowOf: (item: T) => Row): void => {
  if (isJson) io.out(JSON.stringify(list, null, 2));
  else if (list.length === 0) io.err('No results.');
  else for (const line of table(list.map(rowOf))) io.out(line);
};

/** Formats a time (ms since the Unix epoch) as ISO 8601, to the second. */
export const timeText = (time: number): string => new Date(time).toISOString().replace(/\.\d+Z$/, 'Z');
