/** One measured figure. `max` or `min` is the target ("bar"). A figure without a target is informational. */
export type Figure = { name: string; value: number; unit: string; max?: number; min?: number; note?: string };

export const median = (values: readonly number[]): number => percentile(values, 50);

/** Returns the value that `percent` percent of the values do not exceed. */
export const percentile = (values: readonly number[], percent: number): number => {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil((percent / 100) * sorted.length) - 1)] ?? Number.NaN;
};

const shown = (value: number): string => (value >= 100 ? value.toFixed(0) : value.toPrecision(3));

const barOf = ({ max, min }: Figure): string =>
  max !== undefined ? `<= ${max}` : min !== undefined ? `>= ${min}` : '';

/** Whether a figure meets its target, or null if it has none. */
export const passes = ({ value, max, min }: Figure): boolean | null => {
  if (max === undefined && min === undefined) return null;
  return value <= (max ?? Number.POSITIVE_INFINITY) && value >= (min ?? Number.NEGATIVE_INFINITY);
};

const verdict = (figure: Figure): string => ({ true: 'yes', false: 'NO', null: '' })[String(passes(figure))] ?? '';

/** Formats figures as a Markdown table, as in README.md. */
export const tableOf = (figures: readonly Figure[]): string => {
  const rows = figures.map((figure) => [
    figure.name,
    shown(figure.value),
    figure.unit,
    barOf(figure),
    verdict(figure),
    figure.note ?? '',
  ]);
  const all = [['figure', 'value', 'unit', 'bar', 'met', 'note'], ['---', '---:', '---', '---', '---', '---'], ...rows];
  const widths = [0, 1, 2, 3, 4, 5].map((at) => Math.max(...all.map((row) => row[at]?.length ?? 0)));
  return all.map((row) => `| ${row.map((cell, at) => cell.padEnd(widths[at] ?? 0)).join(' | ')} |`).join('\n');
};
