import { useComputedColorScheme } from '@mantine/core';
import { useEffect, useRef } from 'react';
import { useErrorBoundary } from 'react-error-boundary';
import type { AlignedData } from 'uplot';
import { useLocale } from '../texts/texts.tsx';
import { Boundary } from './boundary.tsx';
import { type Chart, draw, loadChart, type SeriesStyle } from './chart.ts';
import 'uplot/dist/uPlot.min.css';

type PlotProps = {
  /** A chart description for screen readers. */
  label: string;
  /** The times (s), then the values of each series. */
  data: AlignedData;
  /** The style of each series. A new array redraws the chart, so pass the same array on each render. */
  styles: readonly SeriesStyle[];
  height?: number;
  /** How far (s) the chart extends beyond the last value: the width of a bar. */
  extension?: number;
  /** The times (s) with labels; by default, where there is room. To change the ticks, use another `key`. */
  ticks?: readonly number[];
  timeOf: (seconds: number) => string;
};

const Canvas = ({ label, data, styles, height = 200, extension = 0, ticks, timeOf }: PlotProps) => {
  const holder = useRef<HTMLDivElement>(null);
  const chart = useRef<Chart>(null);
  const shown = useRef({ data, ticks, timeOf });
  const scheme = useComputedColorScheme('light');
  const locale = useLocale();
  const { showBoundary } = useErrorBoundary();
  shown.current = { data, ticks, timeOf };
  // biome-ignore lint/correctness/useExhaustiveDependencies: another language formats times differently, so the chart is redrawn
  useEffect(() => {
    const { current } = holder;
    if (!current) return;
    let isUnmounted = false;
    const observer = new ResizeObserver(() => chart.current?.setSize({ width: current.clientWidth, height }));
    void loadChart().then((Plot) => {
      if (isUnmounted) return;
      chart.current = draw(Plot, current, { ...shown.current, styles, height, extension, scheme });
      observer.observe(current);
    }, showBoundary);
    return () => {
      isUnmounted = true;
      observer.disconnect();
      chart.current?.destroy();
      chart.current = null;
    };
  }, [scheme, styles, height, extension, locale]);
  useEffect(() => chart.current?.setData(data), [data]);
  return <div ref={holder} role="img" aria-label={label} style={{ minHeight: height }} />;
};

/** A chart over time. New data updates the same canvas, so the chart does not flicker. */
export const Plot = (props: PlotProps) => (
  <Boundary>
    <Canvas {...props} />
  </Boundary>
);
