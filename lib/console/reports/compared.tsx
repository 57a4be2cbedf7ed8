import { useMemo } from 'react';
import type { ReportMonth } from '#openapi';
import { Section } from '../ui/section.tsx';
import { Bars } from './bars.tsx';
import { useMonths, useReportTexts } from './texts.ts';

const MINUTE = 60_000;
const tenths = (value: number) => Math.round(value * 10) / 10;
const minutes = (ms: number | null) => (ms === null ? null : tenths(ms / MINUTE));

/** Charts that compare months, oldest first. */
export const Compared = ({ months }: { months: readonly ReportMonth[] }) => {
  const texts = useReportTexts();
  const names = useMonths();
  const charts = useMemo(() => {
    const groupsOf = (valuesOf: (total: ReportMonth['total']) => (number | null)[]) =>
      months.map(({ month, total }) => ({ name: names.short(month), values: valuesOf(total) }));
    const charts = [
      {
        title: texts.fallsOf,
        series: [texts.falls, texts.falseAlarms],
        groups: groupsOf(({ falls, sensitiveFalls, falseAlarms }) => [falls + sensitiveFalls, falseAlarms]),
      },
      {
        title: texts.responseTimes,
        series: [texts.medianShort, texts.p90Short],
        groups: groupsOf(({ medianMs, p90Ms }) => [minutes(medianMs), minutes(p90Ms)]),
      },
      {
        title: texts.hoursOffline,
        series: [texts.hoursOffline],
        groups: groupsOf(({ silentMs }) => [tenths(silentMs / (60 * MINUTE))]),
      },
    ];
    // Without offline periods, or a rule that reports them, there is nothing to compare.
    return months.some(({ total }) => total.silences > 0) ? charts : charts.slice(0, 2);
  }, [months, texts, names]);
  return (
    <Section title={texts.months}>
      <div className="cards">
        {charts.map((chart) => (
          <Bars key={chart.title} {...chart} />
        ))}
      </div>
    </Section>
  );
};
