import { useComputedColorScheme } from '@mantine/core';
import { useEffect, useRef } from 'react';
import uPlot, { type AlignedData, type Options, type Series } from 'uplot';
import 'uplot/dist/uPlot.min.css';

const TICKS = { light: '#495057', dark: '#c9c9c9' } as const;
const GRID = { light: '#e9ecef', dark: '#424242' } as const;

type PlotProps = {
  /** What it shows, in words: for who cannot see it. */
  label: string;
  /** Times (s) first, then the values of each series. */
  data: AlignedData;
  series: readonly Series[];
  height?: number;
  /** How far behind its last time (s) the chart reaches: as long as a bar stands for. */
  after?: number;
  /** How a time (s) is written. */
  timeOf: (seconds: number) => string;
};

/** A chart over time. It keeps its canvas while its data changes, so nothing flickers. */
export const Plot = ({ label, data, series, height = 200, after = 0, timeOf }: PlotProps) => {
  const holder = useRef<HTMLDivElement>(null);
  const plot = useRef<uPlot>(null);
  const scheme = useComputedColorScheme('light');
  // biome-ignore lint/correctness/useExhaustiveDependencies: made anew for other colours or another language alone
  useEffect(() => {
    const { current } = holder;
    if (!current) return;
    const axis = { stroke: TICKS[scheme], grid: { stroke: GRID[scheme] }, ticks: { stroke: GRID[scheme] } };
    const options: Options = {
      width: current.clientWidth,
      height,
      legend: { show: false },
      cursor: { show: false },
      scales: {
        x: { range: (_, from, to) => [from, to + after] },
        y: { range: (_, __, most) => [0, Math.max(1, Math.ceil(most * 1.1))] },
      },
      axes: [
        { ...axis, values: (_, splits) => splits.map(timeOf) },
        { ...axis, size: 40, incrs: [1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000] },
      ],
      series: [{}, ...series],
    };
    const made = new uPlot(options, data, current);
    plot.current = made;
    const observer = new ResizeObserver(() => made.setSize({ width: current.clientWidth, height }));
    observer.observe(current);
    return () => {
      observer.disconnect();
      made.destroy();
    };
  }, [scheme, label, series]);
  useEffect(() => plot.current?.setData(data), [data]);
  return <div ref={holder} role="img" aria-label={label} />;
};

/** How bars look. */
export const bars = (color: string): Series => {
  const paths = uPlot.paths.bars?.({ size: [0.8, 40], align: 1 });
  return { fill: color, stroke: color, points: { show: false }, ...(paths && { paths }) };
};

/** How a line looks. */
export const line = (color: string): Series => ({ stroke: color, width: 2, points: { show: true, size: 6 } });
