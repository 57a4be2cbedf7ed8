import { CheckIcon, SignalSlashIcon, XMarkIcon } from '@heroicons/react/24/outline';
import type { Alarm } from '#openapi';
import { useMe } from '../session/session.tsx';
import { useTexts } from '../texts/texts.tsx';
import { State, type StateKind } from '../ui/state.tsx';
import { GoingIcon, LyingIcon } from '../ui/state-icons.tsx';
import { isFalse, isOffline, kindOf } from './kinds.ts';
import { useAlarmTexts } from './texts.ts';

const icons = {
  open: <LyingIcon />,
  mine: <GoingIcon />,
  theirs: <GoingIcon />,
  offline: <SignalSlashIcon className="icon" />,
  over: <CheckIcon className="icon" />,
  no: <XMarkIcon className="icon" />,
};

/** Returns the alarm outcome in words, or the state if there is no outcome. */
const useWords = () => {
  const texts = useAlarmTexts();
  const { overview } = useTexts();
  const ofOver = (alarm: Alarm): string => {
    if (alarm.outcome) return overview.closings[alarm.outcome];
    if (isFalse(alarm)) return overview.closings.false_alarm;
    if (isOffline(alarm)) return texts.onlineAgain;
    return alarm.overBy === 'time' ? texts.timedOut : texts.isOver;
  };
  return (alarm: Alarm, kind: StateKind): string => {
    const { state, acknowledgement } = alarm;
    if (state === 'over') return ofOver(alarm);
    if (kind === 'mine') return overview.youAreOnIt;
    if (kind === 'theirs') return overview.isOnIt(acknowledgement?.name ?? overview.someone);
    if (state === 'acknowledged') return texts.acknowledged;
    if (isOffline(alarm)) return texts.offline;
    if (state === 'unanswered') return texts.nobodyAnswered;
    return kind === 'open' ? texts.nobodyOn : texts.neverAcknowledged;
  };
};

/** The alarm outcome, or the state if there is none. */
export const Outcome = ({ alarm, now }: { alarm: Alarm; now: number }) => {
  const { id } = useMe();
  const words = useWords();
  const kind = kindOf(alarm, id, now);
  const isOver = alarm.state === 'over' || alarm.state === 'acknowledged';
  const plain = isOver && !isFalse(alarm) ? icons.over : icons.no;
  const icon = kind in icons ? icons[kind as keyof typeof icons] : plain;
  return (
    <State kind={kind} icon={icon}>
      {words(alarm, kind)}
    </State>
  );
};
