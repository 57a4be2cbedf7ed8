import { SignalIcon, UserIcon } from '@heroicons/react/24/outline';
import { Text } from '@mantine/core';
import { useDates, useTexts } from '#lib/console/texts/texts.tsx';
import { useNow } from '#lib/console/ui/now.ts';
import { Panel } from '#lib/console/ui/panel.tsx';
import { LyingIcon } from '#lib/console/ui/state-icons.tsx';
import type { Event } from '#openapi';
import { eventName } from '../event-name.ts';

/** How many events are shown beside a room. */
const MAX_EVENTS = 6;
const MINUTE = 60_000;
/** How long (ms) event times are shown without the date. */
const RECENT_MS = 12 * 60 * MINUTE;
/** Events that are not about people. */
const ofDevice: readonly string[] = ['sensor', 'message', 'unknown', 'alarm'];

const EventIcon = ({ type }: Pick<Event, 'type'>) => {
  if (type === 'fall') return <LyingIcon />;
  const Icon = ofDevice.includes(type) ? SignalIcon : UserIcon;
  return <Icon className="icon" />;
};

/** The most recent events from a sensor, newest first. */
export const LastEvents = ({ sensorId, events }: { sensorId: string; events: readonly Event[] }) => {
  const texts = useTexts();
  const dates = useDates();
  const now = useNow(MINUTE);
  const { sensor } = texts;
  return (
    <Panel title={sensor.events.last} link={{ href: `/sensors/${sensorId}?part=events`, text: sensor.events.all }}>
      {events.length === 0 && <Text c="dimmed">{sensor.events.empty}</Text>}
      <ol className="timeline">
        {events.slice(0, MAX_EVENTS).map((event) => (
          <li key={event.uuid}>
            <time title={dates.exact(event.createDate)}>
              {event.createDate > now - RECENT_MS ? dates.second(event.createDate) : dates.dateTime(event.createDate)}
            </time>
            <span className="dot">
              <EventIcon type={event.type} />
            </span>
            <div>
              <b>{eventName(`${event.type}/${event.action}`, texts)}</b>
              {event.region && (
                <span className="meta block">
                  <bdi>{event.region.name}</bdi>
                </span>
              )}
            </div>
          </li>
        ))}
      </ol>
    </Panel>
  );
};
