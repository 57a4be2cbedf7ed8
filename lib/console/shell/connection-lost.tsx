import { useEffect, useState } from 'react';
import { type Alarms, openRows } from '../overview/alarms-provider.tsx';
import { ElapsedTime } from '../overview/elapsed.tsx';
import { shortName } from '../overview/room-name.ts';
import { useDates, useTexts } from '../texts/texts.tsx';
import { NotWatchedPage } from './not-watched.tsx';

type ConnectionLostProps = { alarms: Alarms; isQuiet: boolean; onQuiet: () => void };

/**
 * Replaces every page while the service cannot be reached. Shows what was last known, and what to do until the
 * connection is back.
 */
export const ConnectionLost = ({ alarms, isQuiet, onQuiet }: ConnectionLostProps) => {
  const { notWatched: texts, tryAgain } = useTexts();
  const dates = useDates();
  const [openedAt] = useState(Date.now);
  const { at } = alarms.connection;
  const since = at > 0 ? at : openedAt;
  const open = openRows(alarms).map(({ name }) => shortName(name));
  const mine = alarms.rows.filter(({ kind }) => kind === 'mine').map(({ name }) => shortName(name));
  useEffect(() => document.getElementById('try-now')?.focus(), []);
  return (
    <NotWatchedPage
      since={
        <>
          {texts.noConnection(dates.second(since))} <ElapsedTime since={since} />
        </>
      }
      what={at > 0 ? texts.stateOf(dates.second(at)) : texts.nothingKnown}
    >
      <ol>
        {open.length + mine.length > 0 && (
          <li>
            <b>{texts.lookInto([...open, ...mine].join(', '))}</b>
          </li>
        )}
        <li>
          <b>{texts.keepPhone}</b> {texts.keepPhoneWhy}
        </li>
        <li>
          <b>{texts.rounds}</b> {texts.roundsWhy}
        </li>
      </ol>
      <p className="btns">
        <button type="button" className="btn" id="try-now" onClick={alarms.refetch}>
          {tryAgain}
        </button>
        {!isQuiet && (
          <button type="button" className="btn" onClick={onQuiet}>
            {texts.quiet}
          </button>
        )}
      </p>
    </NotWatchedPage>
  );
};
