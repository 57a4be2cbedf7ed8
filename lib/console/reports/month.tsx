import { Stack, Text } from '@mantine/core';
import { useMemo } from 'react';
import type { ReportMonth } from '#openapi';
import { useDates } from '../texts/texts.tsx';
import { Section } from '../ui/section.tsx';
import { type BarGroup, Bars } from './bars.tsx';
import { duration } from './duration.ts';
import { Rooms } from './rooms.tsx';
import { useMonths, useReportTexts } from './texts.ts';

/** Every seventh day has a label. */
const LABEL_INTERVAL = 7;

const grid = { display: 'grid', gridTemplateColumns: 'repeat(auto-fill, minmax(9rem, 1fr))', gap: '1rem', margin: 0 };

const Figures = ({ total }: { total: ReportMonth['total'] }) => {
  const texts = useReportTexts();
  const dates = useDates();
  const time = (ms: number | null) => (ms === null ? '–' : duration(ms));
  const figures = [
    [texts.falls, dates.number(total.falls + total.sensitiveFalls)],
    [texts.suspected, dates.number(total.suspectedFalls)],
    [texts.falseAlarms, dates.number(total.falseAlarms)],
    [texts.missed, dates.number(total.missed)],
    [texts.unanswered, dates.number(total.unanswered)],
    [texts.median, time(total.medianMs)],
    [texts.p90, time(total.p90Ms)],
    [texts.timesOffline, dates.number(total.silences)],
    [texts.timeOffline, total.silentMs > 0 ? duration(total.silentMs) : '–'],
  ] as const;
  return (
    <dl style={grid}>
      {figures.map(([name, value]) => (
        <div key={name}>
          <Text component="dt" size="sm" c="dimmed">
            {name}
          </Text>
          <Text component="dd" m={0} fz="1.5rem" fw={600}>
            {value}
          </Text>
        </div>
      ))}
    </dl>
  );
};

/** Notes on missing data for a month. */
const Notes = ({ month }: { month: ReportMonth }) => {
  const texts = useReportTexts();
  const dates = useDates();
  const [first] = month.days;
  const isCut = first !== undefined && !first.date.endsWith('-01');
  const { silencesWithoutEnd } = month.total;
  return (
    <Text size="sm" c="dimmed">
      {[
        isCut && texts.dataFrom(dates.dateTime(month.from)),
        !month.isWhole && month.to > Date.now() && texts.notOver,
        texts.offlineExplain,
        silencesWithoutEnd > 0 && texts.withoutEnd(silencesWithoutEnd),
      ]
        .filter(Boolean)
        .join(' ')}
    </Text>
  );
};

/** The report for a single month. */
export const Month = ({ month }: { month: ReportMonth }) => {
  const texts = useReportTexts();
  const months = useMonths();
  const days = useMemo(
    () =>
      month.days.map(
        ({ date, falls, falseAlarms }): BarGroup => ({
          name: String(Number(date.slice(-2))),
          values: [falls, falseAlarms],
        }),
      ),
    [month],
  );
  const series = useMemo(() => [texts.falls, texts.falseAlarms], [texts]);
  return (
    <>
      <Section title={months.long(month.month)}>
        <Stack>
          <Figures total={month.total} />
          <Bars title={texts.perDay} series={series} groups={days} every={LABEL_INTERVAL} />
          <Notes month={month} />
        </Stack>
      </Section>
      <Section title={texts.rooms}>
        <Rooms month={month} />
      </Section>
    </>
  );
};
