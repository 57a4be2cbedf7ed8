import { Stack, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { Event, Sensor } from '#openapi';
import { useDates, useTexts } from '../texts/texts.tsx';
import { useNow } from '../ui/now.ts';
import { Loaded } from '../ui/states.tsx';
import { type Day, daysOf, hoursOf, spansOf } from './presence.ts';
import { newestEventsQuery } from './queries.ts';
import { VitalSigns } from './vital-signs.tsx';

const MINUTE = 60_000;
const DAYS = 7;

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

/** Shows when somebody was in the room, and the vital signs. */
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
