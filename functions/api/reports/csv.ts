import { Figures, type Report } from '#shared/domain/rule/report.ts';

type Cell = string | number | boolean | null;

/**
 * Spreadsheets take a cell that begins so for a formula, some of them behind spaces, or with the wide signs of East Asia.
 * https://owasp.org/www-community/attacks/CSV_Injection
 */
const FORMULA = /^\s*[=+\-@＝＋－＠\t\r]/;

const written = (cell: Cell): string => {
  if (typeof cell !== 'string') return cell === null ? '' : String(cell);
  const harmless = FORMULA.test(cell) ? `'${cell}` : cell;
  return /[",\r\n]/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless;
};

/** The names of figures in a table: times (ms) are in seconds there. */
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

/** A report as CSV by RFC 4180, one line for each month and room. The mark at its begin tells Excel that it is UTF-8. */
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
  return Buffer.from(`\ufeff${[head, ...lines].map((line) => `${line.map(written).join(',')}\r\n`).join('')}`);
};
