import { type Cell, csvText } from '#shared/api/csv.ts';
import { Figures, type Report } from '#shared/domain/rule/report.ts';

/** The figure columns. Times are in seconds instead of ms. */
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

/** Returns a report as CSV, one line per month and room. */
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
  return Buffer.from(csvText([head, ...lines]));
};
