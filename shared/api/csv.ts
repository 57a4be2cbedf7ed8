export type Cell = string | number | boolean | null;

/** The media type of a CSV response. */
export const CSV_TYPE = 'text/csv; charset=utf-8';

/**
 * Cells that spreadsheets interpret as formulas. Some also do so after spaces, or with full-width characters.
 * https://owasp.org/www-community/attacks/CSV_Injection
 */
const FORMULA = /^\s*[=+\-@＝＋－＠\t\r]/;

const encodeCell = (cell: Cell): string => {
  if (typeof cell !== 'string') return cell === null ? '' : String(cell);
  const escaped = FORMULA.test(cell) ? `'${cell}` : cell;
  return /[",\r\n]/.test(escaped) ? `"${escaped.replaceAll('"', '""')}"` : escaped;
};

/** Returns lines as CSV (RFC 4180). Excel recognizes UTF-8 by the byte order mark. */
export const csvText = (lines: readonly (readonly Cell[])[]): string =>
  `\ufeff${lines.map((line) => `${line.map(encodeCell).join(',')}\r\n`).join('')}`;
