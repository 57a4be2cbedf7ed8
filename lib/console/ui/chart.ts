import type uPlot from 'uplot';
import type { Options } from 'uplot';
import { loadFile } from './not-loaded.ts';

const COLORS = {
  light: { tick: '#495057', grid: '#e9ecef' },
  dark: { tick: '#c9c9c9', grid: '#424242' },
} as const;

/** A series style: bars for periods, or points connected by lines. */
export type SeriesStyle = { kind: 'bars' | 'line'; color: string };
export type Chart = uPlot;

/**
 * Loads the chart library. While loading, the library formats a number in the browser language, and throws if that
 * language is invalid (`en-US@posix`, or empty). In that case, the language is set to English first.
 */
export const loadChart = async (): Promise<typeof uPlot> => {
  try {
    new Intl.NumberFormat(navigator.language);
  } catch {
    Object.defineProperty(navigator, 'language', { value: 'en', configurable: true });
  }
  return (await loadFile(import('uplot'))).default;
};

const seriesOf =
  (Plot: typeof uPlot) =>
  ({ kind, color }: SeriesStyle): uPlot.Series => {
    if (kind === 'line') return { stroke: color, width: 2, points: { show: true, size: 6 } };
    const paths = Plot.paths.bars?.({ size: [0.8, 40], align: 1 });
    return { fill: color, stroke: color, points: { show: false }, ...(paths && { paths }) };
  };

type Drawing = {
  data: uPlot.AlignedData;
  styles: readonly SeriesStyle[];
  height: number;
  extension: number;
  /** The label positions on the time axis; by default, where there is room. */
  ticks?: readonly number[] | undefined;
  scheme: keyof typeof COLORS;
  timeOf: (seconds: number) => string;
};

/** Draws a chart into an element, as wide as the element. */
export const draw = (Plot: typeof uPlot, holder: HTMLElement, drawing: Drawing): uPlot => {
  const { data, styles, height, extension, ticks, scheme, timeOf } = drawing;
  const { tick, grid } = COLORS[scheme];
  const axis = { stroke: tick, grid: { stroke: grid }, ticks: { stroke: grid } };
  const options: Options = {
    width: holder.clientWidth,
    height,
    // Half of the last label extends beyond the end.
    padding: [null, 32, null, null],
    legend: { show: false },
    cursor: { show: false },
    scales: {
      x: { range: (_, from, to) => [from, to + extension] },
      y: { range: (_, __, max) => [0, Math.max(1, Math.ceil(max * 1.1))] },
    },
    axes: [
      { ...axis, values: (_, splits) => splits.map(timeOf), ...(ticks && { splits: [...ticks] }) },
      { ...axis, size: 40, incrs: [1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000] },
    ],
    series: [{}, ...styles.map(seriesOf(Plot))],
  };
  return new Plot(options, data, holder);
};
