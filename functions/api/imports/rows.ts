import { type ImportRow, MAX_ROWS } from '#shared/domain/import/import-view.ts';
import type { ImportCall, NumberedRow } from './plan.ts';

const isEmpty = (cell: unknown): boolean => cell === null || cell === undefined || cell === '';

/** Returns the imported rows without empty cells. */
export const rowsOf = async ({ body, refuse }: Pick<ImportCall, 'body' | 'refuse'>): Promise<NumberedRow[]> => {
  // The parser is loaded with the first file.
  const parsed = typeof body === 'string' ? (await import('./csv.ts')).parseCsv(body) : { rows: body };
  if ('line' in parsed) return refuse('', 'csv', { line: parsed.line });
  const { rows } = parsed;
  if (rows.length < 1) return refuse('', 'items', { limit: 1 });
  if (rows.length > MAX_ROWS) return refuse('', 'items', { limit: MAX_ROWS });
  return rows.map((row, at) => ({
    row: at + 1,
    cells: Object.fromEntries(Object.entries(row).filter(([, cell]) => !isEmpty(cell))),
  }));
};

type Convert = (cell: unknown) => unknown;
/** Converts the text in a CSV cell to a number. Anything else is left for the schema to reject. */
export const toNumber: Convert = (cell) => (typeof cell === 'string' && /^\d{1,15}$/.test(cell) ? Number(cell) : cell);
export const toFlag: Convert = (cell) => ({ true: true, false: false })[String(cell).toLowerCase()] ?? cell;
export const toList: Convert = (cell) => (typeof cell === 'string' ? cell.split(/[\s,;|]+/).filter(Boolean) : cell);

/** Returns the converted cells from known columns. */
export const convertCells = (cells: ImportRow, columns: Readonly<Record<string, Convert>>): ImportRow =>
  Object.fromEntries(
    Object.entries(columns).flatMap(([name, convert]) =>
      Object.hasOwn(cells, name) ? [[name, convert(cells[name])]] : [],
    ),
  );
