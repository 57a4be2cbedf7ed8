import { VisuallyHidden } from '@mantine/core';
import { Link, useLocation } from 'wouter';
import { GoButton } from '../overview/actions.tsx';
import { type Alarms, openRows, useAlarms } from '../overview/alarms-provider.tsx';
import type { Row } from '../overview/board.ts';
import { ElapsedTime } from '../overview/elapsed.tsx';
import { useHeadline } from '../overview/room-call.tsx';
import { shortName } from '../overview/room-name.ts';
import { useTexts } from '../texts/texts.tsx';
import { LyingIcon } from '../ui/state-icons.tsx';
import './alarm-bar.css';

/** The maximum number of rooms in the bar. The station shows the others. */
const MAX_ROOMS = 3;

const namesOf = (rows: readonly Row[]): string => [...new Set(rows.map(({ name }) => shortName(name)))].join(', ');

/** Returns a function that summarizes the alarms in a sentence; '' if there are none. */
const useSentence = () => {
  const { overview: texts } = useTexts();
  return (alarms: Alarms): string => {
    const open = openRows(alarms);
    const count = open.length + alarms.more;
    if (count > 0) return texts.needSomebody(count, namesOf(open));
    const suspected = alarms.rows.filter(({ kind }) => kind === 'suspected');
    if (suspected.length > 0) return texts.suspectedIn(namesOf(suspected));
    const offline = alarms.rows.filter(({ kind }) => kind === 'offline');
    if (offline.length > 0) return texts.offlineIn(namesOf(offline));
    return alarms.rows.length > 0 ? texts.somebodyIsOnIt(namesOf(alarms.rows)) : '';
  };
};

/** The station headline. The alarms themselves are in the rows of the station. */
const Summary = ({ alarms }: { alarms: Alarms }) => {
  const { overview: texts } = useTexts();
  const sentence = useSentence()(alarms);
  const isOpen = openRows(alarms).length + alarms.more > 0;
  const ofKind = (kind: Row['kind']) => alarms.rows.filter((row) => row.kind === kind);
  const [mine, suspected] = [ofKind('mine'), ofKind('suspected')];
  const longest = openRows(alarms)[0];
  return (
    <section className={isOpen ? 'call-sum open' : 'call-sum'} aria-label={texts.headline}>
      {isOpen && <LyingIcon />}
      <h1>{sentence}</h1>
      {isOpen && (
        <p>
          {longest && (
            <>
              {texts.longest} <ElapsedTime since={longest.since} />.{' '}
            </>
          )}
          {mine.length > 0 && `${texts.yours(namesOf(mine))} `}
          {suspected.length > 0 && texts.suspectedIn(namesOf(suspected))}
        </p>
      )}
    </section>
  );
};

const Room = ({ row }: { row: Row }) => {
  const headline = useHeadline()(row);
  const { overview: texts } = useTexts();
  const { kind, name, step, since } = row;
  return (
    <div className={`call-room ${kind}${kind === 'open' && step > 0 ? ' escalating' : ''}`}>
      <Link href="/" title={name}>
        <span className="call-no">
          <bdi>{shortName(name)}</bdi>
        </span>
        <span className="call-text">
          <b>{headline}</b>
          <span>
            {kind === 'open' && step > 0 && `${texts.escalating(step)}, `}
            <ElapsedTime since={since} />
          </span>
        </span>
      </Link>
      {kind === 'open' && <GoButton row={row} isSmall />}
    </div>
  );
};

/** All rooms but the first, on a single line. Phones have no space for a row per room. */
const Others = ({ rows, more }: { rows: readonly Row[]; more: number }) => {
  const { overview: texts } = useTexts();
  const ofKind = (kind: Row['kind']) => namesOf(rows.filter((row) => row.kind === kind));
  const open = ofKind('open');
  if (rows.length + more === 0) return null;
  return (
    <Link href="/" className={open === '' && more === 0 ? 'call-room others' : 'call-room others urgent'}>
      {texts.otherRooms({ open, mine: ofKind('mine'), more })}
    </Link>
  );
};

/**
 * The alarms, on every page: rooms that need someone, and the user's own. Screen readers announce new alarms, but not
 * the passing seconds.
 */
export const AlarmBar = () => {
  const { overview: texts } = useTexts();
  const [location] = useLocation();
  const alarms = useAlarms();
  const sentence = useSentence();
  const isStation = location === '/';
  if (!alarms) return null;
  // The alarm page already shows its own alarm.
  const rows = alarms.rows.filter(
    ({ kind, sensorId }) => (kind === 'open' || kind === 'mine') && location !== `/alarms/${sensorId}`,
  );
  const hidden = rows.length - MAX_ROOMS + alarms.more;
  return (
    <div className="call">
      <VisuallyHidden role="status">{openRows(alarms).length + alarms.more > 0 ? sentence(alarms) : ''}</VisuallyHidden>
      {isStation && sentence(alarms) !== '' && <Summary alarms={alarms} />}
      {!isStation && rows.length > 0 && (
        <section className="call-rooms" aria-label={texts.alarms}>
          {rows.slice(0, MAX_ROOMS).map((row) => (
            <Room key={row.key} row={row} />
          ))}
          {hidden > 0 && (
            <Link href="/" className="call-room more">
              {texts.moreAlarms(hidden)}
            </Link>
          )}
          <Others rows={rows.slice(1, MAX_ROOMS)} more={Math.max(0, hidden)} />
        </section>
      )}
    </div>
  );
};
