import type uPlot from 'uplot';
import type { Options } from 'uplot';
import { loaded } from './not-loaded.ts';

const COLORS = {
  light: { tick: '#495057', grid: '#e9ecef' },
  dark: { tick: '#c9c9c9', grid: '#424242' },
} as const;

/** The style of a series: bars that each stand for a period, or points connected by lines. */
export type Look = { kind: 'bars' | 'line'; color: string };
export type Chart = uPlot;

/**
 * Loads the chart library. The library formats numbers by the language of the browser while it loads, and throws when
 * that is invalid (`en-US@posix`, or empty); then English is set.
 */
export const loadChart = async (): Promise<typeof uPlot> => {
  try {
    new Intl.NumberFormat(navigator.language);
  } catch {
    Object.defineProperty(navigator, 'language', { value: 'en', configurable: true });
  }
  return (await loaded(import('uplot'))).default;
};

const seriesOf =
  (Plot: typeof uPlot) =>
  ({ kind, color }: Look): uPlot.Series => {
    if (kind === 'line') return { stroke: color, width: 2, points: { show: true, size: 6 } };
    const paths = Plot.paths.bars?.({ size: [0.8, 40], align: 1 });
    return { fill: color, stroke: color, points: { show: false }, ...(paths && { paths }) };
  };

type Drawing = {
  data: uPlot.AlignedData;
  looks: readonly Look[];
  height: number;
  after: number;
  /** Where the axis of time has its labels; left out, where there is room for them. */
  ticks?: readonly number[] | undefined;
  scheme: keyof typeof COLORS;
  timeOf: (seconds: number) => string;
};

/** Draws a chart into an element, with the width of the element. */
export const draw = (Plot: typeof uPlot, holder: HTMLElement, drawing: Drawing): uPlot => {
  const { data, looks, height, after, ticks, scheme, timeOf } = drawing;
  const { tick, grid } = COLORS[scheme];
  const axis = { stroke: tick, grid: { stroke: grid }, ticks: { stroke: grid } };
  const options: Options = {
    width: holder.clientWidth,
    height,
    // The last label stands half behind the end.
    padding: [null, 32, null, null],
    legend: { show: false },
    cursor: { show: false },
    scales: {
      x: { range: (_, from, to) => [from, to + after] },
      y: { range: (_, __, most) => [0, Math.max(1, Math.ceil(most * 1.1))] },
    },
    axes: [
      { ...axis, values: (_, splits) => splits.map(timeOf), ...(ticks && { splits: [...ticks] }) },
      { ...axis, size: 40, incrs: [1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000] },
    ],
    series: [{}, ...looks.map(seriesOf(Plot))],
  };
  return new Plot(options, data, holder);
};
