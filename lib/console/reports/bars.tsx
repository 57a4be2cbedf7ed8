import { Group, Title } from '@mantine/core';
import { useMemo } from 'react';
import { useDates } from '../texts/texts.tsx';
import type { SeriesStyle } from '../ui/chart.ts';
import { Plot } from '../ui/plot.tsx';
import { useReportTexts } from './texts.ts';

const COLORS = ['#0c8599', '#e8590c'] as const;
const styles: readonly (readonly SeriesStyle[])[] = [1, 2].map((count) =>
  COLORS.slice(0, count).map((color) => ({ kind: 'bars', color })),
);
/** The share of the available space filled by a group of bars. */
const FILL = 0.8;

/** A group of bars: a name, and a value for each series. */
export type BarGroup = { name: string; values: readonly (number | null)[] };
type BarsProps = { title: string; series: readonly string[]; groups: readonly BarGroup[]; every?: number };

/** Returns the values of one series by position, with null at the positions of other series. */
const valuesOfSeries = (groups: readonly BarGroup[], series: number): (number | null)[] =>
  groups.flatMap(({ values }) => values.map((value, at) => (at === series ? value : null)));

/** A chart with groups of bars side by side. Each bar has its own position, at which only its series has a value. */
export const Bars = ({ title, series, groups, every = 1 }: BarsProps) => {
  const texts = useReportTexts();
  const dates = useDates();
  const count = series.length;
  const width = FILL / count;
  const data = useMemo((): [number[], ...(number | null)[][]] => {
    const positions = groups.flatMap((_, at) => series.map((_, bar) => at + bar * width));
    return [positions, ...series.map((_, bar) => valuesOfSeries(groups, bar))];
  }, [groups, series, width]);
  const middle = FILL / 2;
  const ticks = groups.flatMap((_, at) => (at % every === 0 ? [at + middle] : []));
  const valuesOf = ({ values }: BarGroup) =>
    values.map((value) => (value === null ? '–' : dates.number(value))).join(', ');
  const description = groups
    .filter(({ values }) => values.some((value) => value !== null && value > 0))
    .map((group) => texts.labelled(group.name, valuesOf(group)))
    .join('; ');
  return (
    <div>
      <Title order={3} fz="sm">
        {title}
      </Title>
      <Plot
        key={groups.length}
        label={`${texts.labelled(title, series.join(', '))}. ${description}`}
        data={data}
        styles={styles[count - 1] ?? []}
        extension={width + (1 - FILL)}
        ticks={ticks}
        timeOf={(position) => groups[Math.floor(position)]?.name ?? ''}
      />
      {count > 1 && (
        <Group gap="md" fz="sm" aria-hidden>
          {series.map((name, at) => (
            <Group key={name} gap={6}>
              <span style={{ width: 12, height: 12, background: COLORS[at] }} />
              {name}
            </Group>
          ))}
        </Group>
      )}
    </div>
  );
};
