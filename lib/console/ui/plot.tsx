import { useComputedColorScheme } from '@mantine/core';
import { useEffect, useRef } from 'react';
import { useErrorBoundary } from 'react-error-boundary';
import type { AlignedData } from 'uplot';
import { useLocale } from '../texts/texts.tsx';
import { Boundary } from './boundary.tsx';
import { type Chart, draw, type Look, loadChart } from './chart.ts';
import 'uplot/dist/uPlot.min.css';

type PlotProps = {
  /** A description of the chart for screen readers. */
  label: string;
  /** The times (s), then the values of each series. */
  data: AlignedData;
  /** The style of each series. It must be the same array at each rendering, because another array makes a new chart. */
  looks: readonly Look[];
  height?: number;
  /** The time (s) that the chart extends beyond its last value, which is the width of a bar. */
  after?: number;
  /** Where (s) the labels of the times are; left out, where there is room for them. With others it needs another `key`. */
  ticks?: readonly number[];
  /** Formats a time (s). */
  timeOf: (seconds: number) => string;
};

const Canvas = ({ label, data, looks, height = 200, after = 0, ticks, timeOf }: PlotProps) => {
  const holder = useRef<HTMLDivElement>(null);
  const chart = useRef<Chart>(null);
  const shown = useRef({ data, ticks, timeOf });
  const scheme = useComputedColorScheme('light');
  const locale = useLocale();
  const { showBoundary } = useErrorBoundary();
  shown.current = { data, ticks, timeOf };
  // biome-ignore lint/correctness/useExhaustiveDependencies: the chart is drawn again for another language, which formats times differently
  useEffect(() => {
    const { current } = holder;
    if (!current) return;
    let isGone = false;
    const observer = new ResizeObserver(() => chart.current?.setSize({ width: current.clientWidth, height }));
    void loadChart().then((Plot) => {
      if (isGone) return;
      chart.current = draw(Plot, current, { ...shown.current, looks, height, after, scheme });
      observer.observe(current);
    }, showBoundary);
    return () => {
      isGone = true;
      observer.disconnect();
      chart.current?.destroy();
      chart.current = null;
    };
  }, [scheme, looks, height, after, locale]);
  useEffect(() => chart.current?.setData(data), [data]);
  return <div ref={holder} role="img" aria-label={label} style={{ minHeight: height }} />;
};

/** A chart over time. It keeps its canvas when its data changes, so that it does not flicker. */
export const Plot = (props: PlotProps) => (
  <Boundary>
    <Canvas {...props} />
  </Boundary>
);
