import { ChevronDoubleUpIcon, SignalSlashIcon } from '@heroicons/react/24/outline';
import { TextInput } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { Link } from 'wouter';
import { useDates, useTexts } from '../texts/texts.tsx';
import { GoingIcon, UnsureIcon } from '../ui/state-icons.tsx';
import { CannotGoButton, CloseButtons, GoButton } from './actions.tsx';
import type { Row } from './board.ts';
import { ElapsedTime } from './elapsed.tsx';
import { Ladder } from './ladder.tsx';
import { roomNameOf } from './room-name.ts';
import './board.css';

/** Returns a function that describes the room state in words. */
export const useHeadline = () => {
  const { overview: texts, situations } = useTexts();
  return ({ kind, acknowledgement, items: [{ subject, alarm }] }: Row): string => {
    if (kind === 'mine') return texts.youAreOnIt;
    if (kind === 'theirs') return texts.isOnIt(acknowledgement?.name ?? '');
    if (kind === 'suspected') return texts.suspectedFall;
    const what = subject === 'fall' || !alarm ? texts.fall : situations[alarm.hits[0].situation];
    return kind === 'offline' ? what : texts.nobodyIsOnIt(what);
  };
};

/** The room number, as large as fits. A name without a number is shown instead. */
const RoomNumber = ({ sensorId, name }: Row) => {
  const { number, word } = roomNameOf(name);
  // The accessible name begins with the visible text.
  const visible = [word, number ?? name].filter((part) => part !== null).join(' ');
  const label = name.includes(visible) ? name : `${visible}: ${name}`;
  return (
    <Link href={`/alarms/${sensorId}`} className={number === null ? 'rc-no named' : 'rc-no'} aria-label={label}>
      {word !== null && <small>{word} </small>}
      <b>
        <bdi>{number ?? name}</bdi>
      </b>
    </Link>
  );
};

const Tag = ({ children, isMine = false }: { children: ReactNode; isMine?: boolean }) => (
  <span className={isMine ? 'tag mine-tag' : 'tag'}>{children}</span>
);

const Tags = ({ row }: { row: Row }) => {
  const { overview: texts } = useTexts();
  const { kind, falls, step, items } = row;
  const isOf = (flag: 'isSimulated' | 'isSensitive') => items.some(({ fall }) => fall?.[flag]);
  return (
    <>
      {kind === 'open' && step > 0 && (
        <Tag>
          <ChevronDoubleUpIcon className="icon" />
          {texts.escalating(step)}
        </Tag>
      )}
      {falls > 1 && <Tag isMine>{texts.falls(falls)}</Tag>}
      {isOf('isSimulated') && <Tag isMine>{texts.simulated}</Tag>}
      {isOf('isSensitive') && <Tag>{texts.sensitive}</Tag>}
    </>
  );
};

const icons = { open: null, mine: GoingIcon, theirs: GoingIcon, suspected: UnsureIcon, offline: SignalSlashIcon };

type WhatProps = RoomCallProps & { onNote: (() => void) | null; children: ReactNode };
const What = ({ row, isKnown, onNote, children }: WhatProps) => {
  const { overview: texts, sensor } = useTexts();
  const dates = useDates();
  const headline = useHeadline();
  const { kind, name, falls, lastSince, items } = row;
  const { number, rest } = roomNameOf(name);
  const Icon = icons[kind];
  const fall = items.findLast((item) => item.fall)?.fall;
  const details = [
    ...(number !== null && rest !== '' ? [<bdi key="rest">{rest}</bdi>] : []),
    ...(fall && fall.regionName !== '' ? [<bdi key="region">{fall.regionName}</bdi>] : []),
    ...(fall && kind !== 'suspected'
      ? [
          <span key="state" className="fall-state">
            {sensor.fall[fall.fallState]}
          </span>,
        ]
      : []),
    ...(falls > 1 ? [<span key="last">{texts.lastFall(dates.second(lastSince))}</span>] : []),
  ];
  return (
    <div className="rc-what">
      <h2>
        {Icon && <Icon className="icon" />}
        {headline(row)}
        <Tags row={row} />
      </h2>
      {details.length > 0 && <p className="rc-details">{details}</p>}
      {kind === 'offline' && <p>{texts.roomOffline}</p>}
      {(kind === 'open' || kind === 'suspected') && <Ladder row={row} isKnown={isKnown} />}
      {kind === 'mine' && (
        <p className="links">
          {onNote && (
            <button type="button" className="link" onClick={onNote}>
              {texts.addNote}
            </button>
          )}
          <CannotGoButton row={row} />
        </p>
      )}
      {children}
    </div>
  );
};

type RoomCallProps = { row: Row; isKnown: boolean };
/** A board row: where, what to do, since when, and the buttons. */
export const RoomCall = ({ row, isKnown }: RoomCallProps) => {
  const [note, setNote] = useState<string | null>(null);
  const { overview: texts } = useTexts();
  const dates = useDates();
  const { kind, step, since } = row;
  const isFall = row.items[0].subject === 'fall';
  const isAnswered = kind === 'mine' || kind === 'theirs';
  const time = dates.second(since);
  return (
    <li className={`room-call ${kind}${kind === 'open' && step > 0 ? ' escalating' : ''}`}>
      <RoomNumber {...row} />
      <What row={row} isKnown={isKnown} onNote={isFall && note === null ? () => setNote('') : null}>
        {note !== null && isAnswered && (
          <TextInput
            label={texts.note}
            value={note}
            maxLength={256}
            autoFocus
            onChange={({ currentTarget }) => setNote(currentTarget.value)}
          />
        )}
      </What>
      <div className="rc-time">
        <ElapsedTime since={since} />
        <span>{isAnswered ? texts.takenAt(time) : texts.since(time)}</span>
      </div>
      <div className="rc-do">{isAnswered ? <CloseButtons row={row} note={note ?? ''} /> : <GoButton row={row} />}</div>
    </li>
  );
};
