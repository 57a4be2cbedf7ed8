import { ExclamationTriangleIcon } from '@heroicons/react/24/outline';
import { dayAfter, startOfDay } from '#shared/domain/time/calendar.ts';
import { type Span, spansBetween } from './coverage.ts';
import { formatHours, useRosterDates, useRosterTexts } from './texts.ts';

const percent = (part: number, whole: number): string => `${(part / whole) * 100}%`;

type CoverProps = { day: string; timeZone: string; spans: readonly Span[] };

/** Returns the spans within a day, and the start and length (ms) of the day. */
const useDay = ({ day, timeZone, spans }: CoverProps) => {
  const begin = startOfDay(day, timeZone);
  const end = startOfDay(dayAfter(day), timeZone);
  const dates = useRosterDates(timeZone);
  const hoursOf = ({ from, to }: Span) =>
    formatHours({ from: dates.clock(from), to: to === end ? '24:00' : dates.clock(to) });
  return { begin, length: end - begin, spans: spansBetween(spans, begin, end), hoursOf };
};

const isGap = ({ coverage }: Span): boolean => coverage === 'nobody' || coverage === 'unreachable';

/** A bar for the 24 hours in a day: dark where someone on duty can be reached, hatched where a rule reaches no one. */
export const Cover = (props: CoverProps) => {
  const texts = useRosterTexts();
  const dates = useRosterDates(props.timeZone);
  const { begin, length, spans, hoursOf } = useDay(props);
  const words = spans.map((span) => `${hoursOf(span)} ${texts.kinds[span.coverage]}`).join(', ');
  return (
    <span className="cover" role="img" aria-label={texts.coverage(dates.short(props.day), words)}>
      {spans.map(({ from, to, coverage }) => (
        <span
          key={from}
          className={coverage}
          style={{ left: percent(from - begin, length), width: percent(to - from, length) }}
        />
      ))}
    </span>
  );
};

/** Names the hours in a day when a rule reaches no one. */
export const Holes = (props: CoverProps) => {
  const texts = useRosterTexts();
  const { spans, hoursOf } = useDay(props);
  return spans.filter(isGap).map((span) => (
    <span key={span.from} className="hole">
      <ExclamationTriangleIcon className="icon" />
      {`${hoursOf(span)} ${span.coverage === 'unreachable' ? texts.hole.unreachable : texts.hole.nobody}`}
    </span>
  ));
};

/** Shows that a day is covered, or lists the hours that are not. */
const DayCoverage = (props: CoverProps) => {
  const texts = useRosterTexts();
  const { spans } = useDay(props);
  if (spans.some(isGap)) return <Holes {...props} />;
  return (
    <span className="soft">
      {spans.every(({ coverage }) => coverage === 'free') ? texts.dayFree : texts.dayCovered}
    </span>
  );
};

const HOURS = ['00', '06', '12', '18', '24'];

/** The bar for a day on a phone, with the hours, and a caption above. */
export const CoverOfDay = (props: CoverProps) => (
  <div className="roster-cover">
    <DayCoverage {...props} />
    <Cover {...props} />
    <span className="cover-hours" aria-hidden>
      {HOURS.map((hour) => (
        <span key={hour}>{hour}</span>
      ))}
    </span>
  </div>
);
