import { SignalSlashIcon } from '@heroicons/react/24/outline';
import type { ReactNode } from 'react';
import { useTexts } from '../texts/texts.tsx';
import { State, type StateKind } from '../ui/state.tsx';
import { GoingIcon, LyingIcon, UnsureIcon } from '../ui/state-icons.tsx';
import { useAlarms } from './alarms-provider.tsx';
import type { Row } from './board.ts';

const icons: Readonly<Record<Row['kind'], ReactNode>> = {
  open: <LyingIcon />,
  mine: <GoingIcon />,
  theirs: <GoingIcon />,
  suspected: <UnsureIcon />,
  offline: <SignalSlashIcon className="icon" />,
};

/** The alarm state shown in a list. */
const AlarmState = ({ row }: { row: Row }) => {
  const { overview: texts, situations } = useTexts();
  const { kind, step, acknowledgement, items } = row;
  const [{ subject, alarm }] = items;
  const look: StateKind = kind === 'open' && step > 0 ? 'escalating' : kind;
  const what = subject === 'fall' || !alarm ? texts.fall : situations[alarm.hits[0].situation];
  const words: Readonly<Record<Row['kind'], string>> = {
    open: texts.nobodyOn(what),
    mine: texts.youAreOnIt,
    theirs: texts.isOnIt(acknowledgement?.name ?? ''),
    suspected: texts.suspectedFall,
    offline: what,
  };
  return (
    <State kind={look} icon={icons[kind]}>
      {words[kind]}
    </State>
  );
};

/** Returns the alarms for the given sensors; none while no customer is chosen. */
export const useAlarmsOf = (sensorIds: readonly string[]): Row[] =>
  (useAlarms()?.rows ?? []).filter(({ sensorId }) => sensorIds.includes(sensorId));

type RoomStateProps = {
  sensorId: string;
  isActive?: boolean;
  /** Whether the normal state, an online sensor without alarms, is not shown. */
  isMarkedOnly?: true;
};
export const RoomState = ({ sensorId, isActive, isMarkedOnly }: RoomStateProps) => {
  const { sensors: texts } = useTexts();
  const rows = useAlarmsOf([sensorId]);
  const isOfflineShown = rows.some(({ kind }) => kind === 'offline');
  return (
    <span className="states">
      {rows.map((row) => (
        <AlarmState key={row.key} row={row} />
      ))}
      {isActive === false && !isOfflineShown && (
        <State kind="offline" icon={icons.offline}>
          {texts.states.inactive}
        </State>
      )}
      {isActive === true && rows.length === 0 && !isMarkedOnly && <State kind="plain">{texts.states.active}</State>}
    </span>
  );
};
