import { Stack, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { Event, Sensor } from '#openapi';
import { useDates, useTexts } from '../texts/texts.tsx';
import { useNow } from '../ui/now.ts';
import { Loaded } from '../ui/states.tsx';
import { newestEventsQuery } from './queries.ts';
import { VitalSigns } from './vital-signs.tsx';

const MINUTE = 60_000;
const DAYS = 7;

/** A period of presence from `from` to `to` (ms). */
type Span = { from: number; to: number };
type Day = { start: number; spans: readonly Span[]; known: Span };

/** Returns the periods of presence in a room until `now`, based on the newest events (newest first). */
const spansOf = (events: readonly Pick<Event, 'type' | 'action' | 'createDate'>[], now: number): Span[] => {
  const changes = events.filter(({ type }) => type === 'presence').toReversed();
  return changes.flatMap(({ action, createDate }, at) =>
    action === 'occupied_room' ? [{ from: createDate, to: changes[at + 1]?.createDate ?? now }] : [],
  );
};

const clamp = ({ from, to }: Span, within: Span): Span => ({
  from: Math.min(Math.max(from, within.from), within.to),
  to: Math.max(Math.min(to, within.to), within.from),
});

/**
 * Returns the most recent days including today, newest first. Each runs from midnight to midnight in the browser's time
 * zone.
 */
const daysOf = (spans: readonly Span[], since: number, now: number, count: number): Day[] =>
  Array.from({ length: count }, (_, back): Day => {
    const date = new Date(now);
    date.setHours(0, 0, 0, 0);
    date.setDate(date.getDate() - back);
    const start = date.getTime();
    date.setDate(date.getDate() + 1);
    const day = { from: start, to: date.getTime() };
    const ofDay = spans.map((span) => clamp(span, day)).filter(({ from, to }) => to > from);
    return { start, spans: ofDay, known: clamp({ from: since, to: now }, day) };
  });

/** Returns the hours of presence in a day, rounded to a tenth. */
const hoursOf = ({ spans }: Day): number =>
  Math.round(spans.reduce((sum, { from, to }) => sum + to - from, 0) / 360_000) / 10;

const Band = ({ day }: { day: Day }) => {
  const { sensor } = useTexts();
  const dates = useDates();
  const name = dates.day(day.start);
  const bar = ({ from, to }: { from: number; to: number }, kind: string) => (
    <rect
      key={`${kind} ${from}`}
      className={kind}
      x={(from - day.start) / MINUTE}
      width={(to - from) / MINUTE}
      y={0}
      height={1}
    />
  );
  return (
    <div className="band">
      <span>{name}</span>
      <svg
        viewBox="0 0 1440 1"
        preserveAspectRatio="none"
        role="img"
        aria-label={sensor.activity.presenceLabel(name, dates.number(hoursOf(day)))}
      >
        {bar(day.known, 'known')}
        {day.spans.map((span) => bar(span, 'present'))}
      </svg>
    </div>
  );
};

const Presence = ({ events }: { events: readonly Event[] }) => {
  const { activity: texts } = useTexts().sensor;
  const dates = useDates();
  const now = useNow(10_000);
  const since = events.findLast(({ type }) => type === 'presence')?.createDate;
  if (since === undefined) return <Text>{texts.none}</Text>;
  return (
    <>
      {daysOf(spansOf(events, now), since, now, DAYS).map((day) => (
        <Band key={day.start} day={day} />
      ))}
      <div className="band hours" aria-hidden>
        <span />
        <div>
          {['0', '6', '12', '18', '24'].map((hour) => (
            <span key={hour}>{hour}</span>
          ))}
        </div>
      </div>
      <Text size="sm" c="dimmed">
        {texts.reach(dates.dateTime(since))}
      </Text>
    </>
  );
};

/** Shows presence and vital signs. */
export const Activity = ({ sensor }: { sensor: Sensor }) => {
  const { activity: texts } = useTexts().sensor;
  const events = useQuery(newestEventsQuery(sensor.id));
  return (
    <Loaded query={events}>
      {(found) => (
        <Stack>
          <Title order={2}>{texts.presence}</Title>
          <Presence events={found} />
          <VitalSigns events={found} />
        </Stack>
      )}
    </Loaded>
  );
};
