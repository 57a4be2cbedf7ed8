import { Group, Title } from '@mantine/core';
import { useMemo } from 'react';
import { useDates } from '../texts/texts.tsx';
import type { Look } from '../ui/chart.ts';
import { Plot } from '../ui/plot.tsx';
import { useReportTexts } from './texts.ts';

const COLORS = ['#0c8599', '#e8590c'] as const;
const looks: readonly (readonly Look[])[] = [1, 2].map((count) =>
  COLORS.slice(0, count).map((color) => ({ kind: 'bars', color })),
);
/** How much of its place a group of bars takes. */
const FILLED = 0.8;

/** A group of bars: what it stands for, and a value for each series. */
export type Bar = { name: string; values: readonly (number | null)[] };
type BarsProps = { title: string; series: readonly string[]; groups: readonly Bar[]; every?: number };

/** The values of one series at all places: null at those of the other series. */
const rowOf = (groups: readonly Bar[], series: number): (number | null)[] =>
  groups.flatMap(({ values }) => values.map((value, at) => (at === series ? value : null)));

/** Groups of bars beside each other. The chart has one place for each bar, and a series has values at its places alone. */
export const Bars = ({ title, series, groups, every = 1 }: BarsProps) => {
  const texts = useReportTexts();
  const dates = useDates();
  const count = series.length;
  const width = FILLED / count;
  const data = useMemo((): [number[], ...(number | null)[][]] => {
    const places = groups.flatMap((_, at) => series.map((_, bar) => at + bar * width));
    return [places, ...series.map((_, bar) => rowOf(groups, bar))];
  }, [groups, series, width]);
  const middle = FILLED / 2;
  const ticks = groups.flatMap((_, at) => (at % every === 0 ? [at + middle] : []));
  const valuesOf = ({ values }: Bar) => values.map((value) => (value === null ? '–' : dates.number(value))).join(', ');
  const groupsSaid = groups
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
        label={`${texts.labelled(title, series.join(', '))}. ${groupsSaid}`}
        data={data}
        looks={looks[count - 1] ?? []}
        after={width + (1 - FILLED)}
        ticks={ticks}
        timeOf={(place) => groups[Math.floor(place)]?.name ?? ''}
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
