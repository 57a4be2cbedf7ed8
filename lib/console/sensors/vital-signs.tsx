import { Text, Title } from '@mantine/core';
import { useMemo } from 'react';
import type { Event } from '#openapi';
import { useDates, useTexts } from '../texts/texts.tsx';
import type { SeriesStyle } from '../ui/chart.ts';
import { Plot } from '../ui/plot.tsx';

const COLORS = { heart: '#e03131', respiration: '#0c8599' } as const;
const styles: readonly SeriesStyle[] = [
  { kind: 'line', color: COLORS.heart },
  { kind: 'line', color: COLORS.respiration },
];

type Reading = { time: number; heart: number | null; respiration: number | null };

const rate = (value: unknown): number | null => (typeof value === 'number' && value > 0 ? value : null);

/** Returns vital signs from messages, oldest first. */
const readingsOf = (events: readonly Event[]): Reading[] =>
  events
    .filter(({ type }) => type === 'vital')
    .map(({ createDate, raw }): Reading => {
      const data = Object(Object(raw).data);
      return { time: createDate / 1_000, heart: rate(data.heartRate), respiration: rate(data.respirationRate) };
    })
    .filter(({ heart, respiration }) => heart !== null || respiration !== null)
    .toReversed();

/** A heart rate and respiration rate chart, if there are readings. */
export const VitalSigns = ({ events }: { events: readonly Event[] }) => {
  const { activity: texts } = useTexts().sensor;
  const dates = useDates();
  const readings = useMemo(() => readingsOf(events), [events]);
  const data = useMemo(
    (): [number[], (number | null)[], (number | null)[]] => [
      readings.map(({ time }) => time),
      readings.map(({ heart }) => heart),
      readings.map(({ respiration }) => respiration),
    ],
    [readings],
  );
  if (readings.length === 0) return null;
  return (
    <section aria-label={texts.vital}>
      <Title order={2}>{texts.vital}</Title>
      <Plot label={texts.vital} data={data} styles={styles} timeOf={(seconds) => dates.clock(seconds * 1_000)} />
      <Text size="sm" className="legend">
        <span className="heart">● {texts.heart}</span> <span className="respiration">● {texts.respiration}</span>,{' '}
        {texts.perMinute}
      </Text>
    </section>
  );
};
