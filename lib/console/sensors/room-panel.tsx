import { Button, Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from 'wouter';
import type { ListedSensor } from '#openapi';
import { lastFallQuery } from '../alarms/queries.ts';
import { useAlarms } from '../overview/alarms-provider.tsx';
import { RoomState } from '../overview/room-state.tsx';
import { useDates, useTexts } from '../texts/texts.tsx';
import { useNow } from '../ui/now.ts';
import { Side } from '../ui/side.tsx';

/** Returns a function that describes the presence in a room. Presence detection may miss a person on the floor. */
export const usePresence = () => {
  const { sensors: texts } = useTexts();
  const rows = useAlarms()?.rows ?? [];
  return ({ id, state }: ListedSensor): string => {
    const items = rows.filter(({ sensorId }) => sensorId === id).flatMap((row) => row.items);
    if (items.some(({ fall, isSuspected }) => fall && !isSuspected)) return texts.presence.onFloor;
    const presence = state?.presence ?? null;
    if (presence === null) return texts.presence.unknown;
    return presence ? texts.presence.yes : texts.presence.no;
  };
};

type LastReportProps = { sensor: ListedSensor; style?: 'long' | 'short' };
/** When a sensor last reported. */
export const LastReport = ({ sensor: { state }, style = 'long' }: LastReportProps) => {
  const { never } = useTexts();
  const dates = useDates();
  const now = useNow(5_000);
  const lastSeen = state?.lastSeen ?? null;
  if (lastSeen === null) return never;
  return <time title={dates.exact(lastSeen)}>{dates.ago(lastSeen, now, style)}</time>;
};

/** The most recent fall in a room, as far back as alarms are kept. */
const LastFall = ({ sensor: { id, customerId } }: { sensor: ListedSensor }) => {
  const { sensors: texts } = useTexts();
  const dates = useDates();
  const { data: fall } = useQuery(lastFallQuery(customerId, id));
  if (fall === undefined) return '–';
  return fall === null ? texts.noFall : dates.dateTime(fall.createDate);
};

type RoomPanelProps = { sensor: ListedSensor; group: string; onClose: () => void };

const Facts = ({ sensor, group }: Omit<RoomPanelProps, 'onClose'>) => {
  const { sensors: texts, groups } = useTexts();
  const dates = useDates();
  const presenceOf = usePresence();
  const { manufacturer, firmwareVersion, createDate } = sensor;
  const facts = [
    [texts.presenceHead, presenceOf(sensor)],
    [texts.lastFall, <LastFall key="fall" sensor={sensor} />],
    [texts.lastReport, <LastReport key="report" sensor={sensor} />],
    [groups.one, group || '–'],
    [texts.maker, texts.makers[manufacturer]],
    [texts.firmware, dates.number(firmwareVersion)],
    [texts.since, dates.dateTime(createDate)],
  ] as const;
  return (
    <dl className="room-facts">
      {facts.map(([head, value]) => (
        <div key={head}>
          <dt>{head}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
};

/** The details for a room in the list. */
export const RoomPanel = ({ sensor, group, onClose }: RoomPanelProps) => {
  const { sensors: texts, sensor: sensorTexts, overview } = useTexts();
  const { id, name, isActive } = sensor;
  return (
    <Side label={texts.details(name)} title={name} onClose={onClose}>
      <Stack>
        <RoomState sensorId={id} isActive={isActive} />
        {!isActive && <p className="gap-note">{overview.roomOffline}</p>}
        <Button component={Link} href={`/sensors/${id}`}>
          {overview.openRoom}
        </Button>
        <Button component={Link} href={`/sensors/${id}?part=events`} variant="default">
          {sensorTexts.tabs.events}
        </Button>
        <Facts sensor={sensor} group={group} />
      </Stack>
    </Side>
  );
};
