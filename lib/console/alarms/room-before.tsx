import { Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useDates, useTexts } from '../texts/texts.tsx';
import { clockOf } from '../ui/clock.ts';
import { useNow } from '../ui/now.ts';
import { Panel } from '../ui/panel.tsx';
import { Loaded } from '../ui/states.tsx';
import { timeTo } from './figures.ts';
import { Outcome } from './outcome.tsx';
import { lastOfRoomQuery } from './queries.ts';

const MINUTE = 60_000;

/** The most recent ended alarms in a room. */
export const RoomBefore = ({ customerId, sensorId }: { customerId: number; sensorId: string }) => {
  const { overview: texts, situations } = useTexts();
  const dates = useDates();
  const now = useNow(MINUTE);
  return (
    <Panel title={texts.before}>
      <Loaded query={useQuery(lastOfRoomQuery(customerId, sensorId))} rows={2}>
        {(alarms) =>
          alarms.length === 0 ? (
            <Text c="dimmed">{texts.nothingBefore}</Text>
          ) : (
            <ul className="rows-list">
              {alarms.map((alarm) => {
                const acknowledged = timeTo(alarm, 'acknowledged');
                return (
                  <li key={alarm.uuid}>
                    <time className="meta">{dates.dateTime(alarm.createDate)}</time>
                    <span>
                      {situations[alarm.situation]} <Outcome alarm={alarm} now={now} />
                    </span>
                    {acknowledged !== null && <span className="meta">{texts.onItAfter(clockOf(acknowledged))}</span>}
                  </li>
                );
              })}
            </ul>
          )
        }
      </Loaded>
    </Panel>
  );
};
