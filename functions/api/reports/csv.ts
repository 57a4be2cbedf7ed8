import { Figures, type Report } from '#shared/domain/rule/report.ts';

type Cell = string | number | boolean | null;

/**
 * Cells that spreadsheets interpret as formulas; some also do after spaces, or with full-width characters.
 * https://owasp.org/www-community/attacks/CSV_Injection
 */
const FORMULA = /^\s*[=+\-@＝＋－＠\t\r]/;

const encodeCell = (cell: Cell): string => {
  if (typeof cell !== 'string') return cell === null ? '' : String(cell);
  const escaped = FORMULA.test(cell) ? `'${cell}` : cell;
  return /[",\r\n]/.test(escaped) ? `"${escaped.replaceAll('"', '""')}"` : escaped;
};

/** The columns of the figures. Times are in seconds instead of ms. */
const columns = (Object.keys(Figures.shape) as (keyof Figures)[]).map((figure) => {
  const isTime = figure.endsWith('Ms');
  return {
    name: isTime ? figure.replace(/Ms$/, 'Seconds') : figure,
    valueIn: (figures: Figures) => {
      const value = figures[figure];
      return isTime && value !== null ? value / 1_000 : value;
    },
  };
});

/** Returns a report as CSV (RFC 4180), one line per month and room. Excel recognizes UTF-8 by the byte order mark. */
export const csvOf = ({ months }: Report): Uint8Array => {
  const head: Cell[] = ['month', 'isWhole', 'room', 'sensorId', ...columns.map(({ name }) => name)];
  const lines = months.flatMap(({ month, isWhole, rooms }) =>
    rooms.map((room): Cell[] => [
      month,
      isWhole,
      room.name,
      room.sensorId,
      ...columns.map(({ valueIn }) => valueIn(room)),
    ]),
  );
  return Buffer.from(`\ufeff${[head, ...lines].map((line) => `${line.map(encodeCell).join(',')}\r\n`).join('')}`);
};
