import { Text } from '@mantine/core';
import type { WatchGap as Gap, Watch } from '#openapi';
import type { Offline } from '../alarms/figures.ts';
import { useAlarmTexts } from '../alarms/texts.ts';
import { useAlarms } from '../overview/alarms-provider.tsx';
import { shortName } from '../overview/room-name.ts';
import { duration } from '../reports/duration.ts';
import { useDates, useTexts } from '../texts/texts.tsx';
import { Name } from '../ui/name.tsx';
import { Panel } from '../ui/panel.tsx';

/** Returns the names of the sensors a gap affects. */
const roomsOf = (gap: Gap, { names }: Watch): string =>
  ('sensorIds' in gap ? gap.sensorIds : []).map((id) => shortName(names.sensors[id] ?? id)).join(', ');

/** The current gaps. Offline sensors are left out, because they are listed separately with their times. */
const Gaps = ({ watch }: { watch: Watch }) => {
  const { gaps: texts } = useTexts();
  return watch.gaps
    .filter(({ kind }) => kind !== 'sensor_offline' && kind !== 'unnotified')
    .map((gap, at) => (
      // biome-ignore lint/suspicious/noArrayIndexKey: gaps have no id, and the list is replaced as a whole
      <li key={at}>
        <span>
          {texts[gap.kind][0]}
          <span className="meta block">
            <bdi>{roomsOf(gap, watch)}</bdi>
          </span>
        </span>
      </li>
    ));
};

type UnwatchedProps = { offline: readonly Offline[]; isCurrent: boolean };
/** Which rooms were not watched during a shift, and for how long; for the current shift, also all other gaps. */
export const UnwatchedPanel = ({ offline, isCurrent }: UnwatchedProps) => {
  const { handover: texts } = useAlarmTexts();
  const dates = useDates();
  const watch = useAlarms()?.watch;
  return (
    <Panel title={texts.unwatched}>
      {offline.length === 0 && <Text c="dimmed">{texts.allWatched}</Text>}
      <ul className="rows-list">
        {offline.map(({ alarm, from, to, isOpen }) => (
          <li key={`${alarm.sensorId} ${alarm.uuid}`}>
            <b>
              <Name>{shortName(alarm.name ?? alarm.sensorId)}</Name>
            </b>
            <span>
              {isOpen
                ? texts.offlineSince(dates.clock(alarm.createDate))
                : texts.offlineUntil(dates.clock(alarm.createDate), dates.clock(alarm.overDate ?? to))}
              <span className="meta block">{duration(to - from)}</span>
            </span>
          </li>
        ))}
        {isCurrent && watch && <Gaps watch={watch} />}
      </ul>
    </Panel>
  );
};
