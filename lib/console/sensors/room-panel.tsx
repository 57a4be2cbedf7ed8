import { XMarkIcon } from '@heroicons/react/24/outline';
import { ActionIcon, Button, Stack } from '@mantine/core';
import { Link } from 'wouter';
import type { ListedSensor } from '#openapi';
import { RoomState } from '../overview/room-state.tsx';
import { useDates, useTexts } from '../texts/texts.tsx';
import { Name } from '../ui/name.tsx';
import { useNow } from '../ui/now.ts';

/** Returns the text for the presence in a room. */
export const usePresence = () => {
  const { sensors: texts } = useTexts();
  return ({ state }: ListedSensor): string => {
    const presence = state?.presence ?? null;
    if (presence === null) return texts.presence.unknown;
    return presence ? texts.presence.yes : texts.presence.no;
  };
};

/** When a sensor last reported. */
export const LastReport = ({ sensor: { state } }: { sensor: ListedSensor }) => {
  const { never } = useTexts();
  const dates = useDates();
  const now = useNow(5_000);
  const lastSeen = state?.lastSeen ?? null;
  if (lastSeen === null) return never;
  return <time title={dates.exact(lastSeen)}>{dates.ago(lastSeen, now)}</time>;
};

type RoomPanelProps = { sensor: ListedSensor; group: string; onClose: () => void };
/** What is known about a room, beside the list. */
export const RoomPanel = ({ sensor, group, onClose }: RoomPanelProps) => {
  const { sensors: texts, sensor: sensorTexts, groups, overview, close } = useTexts();
  const dates = useDates();
  const presenceOf = usePresence();
  const { id, name, isActive, manufacturer, firmwareVersion, createDate } = sensor;
  const facts = [
    [texts.presenceHead, presenceOf(sensor)],
    [texts.lastReport, <LastReport key="report" sensor={sensor} />],
    [groups.one, group || '–'],
    [texts.maker, texts.makers[manufacturer]],
    [texts.firmware, dates.number(firmwareVersion)],
    [texts.since, dates.dateTime(createDate)],
  ] as const;
  return (
    <aside className="panel room-panel" aria-label={texts.details(name)}>
      <div className="panel-head">
        <h2>
          <Name>{name}</Name>
        </h2>
        <ActionIcon variant="subtle" size="lg" onClick={onClose} aria-label={close}>
          <XMarkIcon className="icon" />
        </ActionIcon>
      </div>
      <Stack>
        <RoomState sensorId={id} isActive={isActive} />
        {!isActive && <p className="gap-note">{overview.roomOffline}</p>}
        <Button component={Link} href={`/sensors/${id}`}>
          {overview.openRoom}
        </Button>
        <Button component={Link} href={`/sensors/${id}?part=events`} variant="default">
          {sensorTexts.tabs.events}
        </Button>
        <dl className="room-facts">
          {facts.map(([head, value]) => (
            <div key={head}>
              <dt>{head}</dt>
              <dd>{value}</dd>
            </div>
          ))}
        </dl>
      </Stack>
    </aside>
  );
};
