import { CsvError, parse } from 'csv-parse/sync';
import type { ImportRow } from '#shared/domain/import/import-view.ts';

/** Returns the file separator. Excel writes semicolons where the decimal mark is a comma. */
const separatorOf = (text: string): string => {
  const [header = ''] = text.split(/\r?\n/, 1);
  return header.includes(';') ? ';' : ',';
};

/** Returns the rows in a file keyed by header name, or the number of the first line that is not valid CSV. */
export const parseCsv = (text: string): { rows: ImportRow[] } | { line: number } => {
  try {
    const rows = parse(text, {
      bom: true,
      columns: (header: string[]) => header.map((name) => name.trim()),
      delimiter: separatorOf(text),
      relax_column_count_less: true,
      skip_empty_lines: true,
      skip_records_with_empty_values: true,
      trim: true,
    }) as ImportRow[];
    return { rows };
  } catch (error) {
    if (error instanceof CsvError) return { line: Number(error.lines ?? 1) };
    throw error;
  }
};
